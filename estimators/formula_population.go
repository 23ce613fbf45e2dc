package estimators

import (
	"math"

	"vantage/estimators/torchsum"
)

// populationGRPO is GRPO in numpy's float64, with the standard deviation of a
// population, ddof 0:
//
//	A_i = (r_i − μ)/(s + 1e-8) ;  scale "none": r_i − μ
//
// Equal rewards and groups of one get 0 or a float64 residue of it. If apart, NaN
// counts in no mean and gives 0; else it makes its group NaN.
func populationGRPO(apart bool) formula {
	return func(dst []float64, b Batch, s Scale) error {
		mustHaveLength(dst, b)
		buf := make([]float64, largestGroup(b.Offsets))
		for g := range b.Groups() {
			lo, hi := b.Offsets[g], b.Offsets[g+1]
			r, to := b.Rewards[lo:hi], dst[lo:hi]
			mean, std := populationMoments(r, buf[:hi-lo], apart)
			for i, x := range r {
				to[i] = x - mean
				if s != ScaleNone {
					to[i] /= std + 1e-8
				}
				if apart && math.IsNaN(x) {
					to[i] = 0
				}
			}
		}
		return nil
	}
}

func populationMoments(r, buf []float64, apart bool) (mean, std float64) {
	count := 0
	for i, x := range r {
		buf[i] = x
		if apart && math.IsNaN(x) {
			buf[i] = 0
		} else {
			count++
		}
	}
	mean = torchsum.SumNumpy(buf) / float64(count)
	for i, x := range r {
		d := x - mean
		buf[i] = d * d
		if apart && math.IsNaN(x) {
			buf[i] = 0
		}
	}
	return mean, math.Sqrt(torchsum.SumNumpy(buf) / float64(count))
}

// pythonMeanCentred is r − Σr/n in float64, the sum from left to right as Python's sum was up
// to 3.11; later ones carry a compensation, which may change the last bit.
func pythonMeanCentred(dst []float64, b Batch, _ Scale) error {
	mustHaveLength(dst, b)
	for g := range b.Groups() {
		sum := 0.0
		for _, x := range b.Group(g) {
			sum += x
		}
		mean := sum / float64(b.Offsets[g+1]-b.Offsets[g])
		for i := b.Offsets[g]; i < b.Offsets[g+1]; i++ {
			dst[i] = b.Rewards[i] - mean
		}
	}
	return nil
}

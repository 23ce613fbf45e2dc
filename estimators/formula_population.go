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
// Equal rewards and groups of one get 0 or a float64 residue of it. With ignoreNaN, NaN
// is taken out before the sums and gives 0; else it makes its group NaN.
func populationGRPO(ignoreNaN bool) formula {
	return func(dst []float64, b Batch, s Scale) error {
		mustHaveLength(dst, b)
		buf := make([]float64, largestGroup(b.Offsets))
		for g := range b.Groups() {
			lo, hi := b.Offsets[g], b.Offsets[g+1]
			r, to := b.Rewards[lo:hi], dst[lo:hi]
			mean, std := populationMeanStd(r, buf[:hi-lo], ignoreNaN)
			for i, x := range r {
				to[i] = x - mean
				if s != ScaleNone {
					to[i] /= std + 1e-8
				}
				if ignoreNaN && math.IsNaN(x) {
					to[i] = 0
				}
			}
		}
		return nil
	}
}

// populationMeanStd overwrites buf, of the length of r.
func populationMeanStd(r, buf []float64, ignoreNaN bool) (mean, std float64) {
	x := buf[:0]
	for _, v := range r {
		if !ignoreNaN || !math.IsNaN(v) {
			x = append(x, v)
		}
	}
	mean = torchsum.SumNumpy(x) / float64(len(x))
	for i, v := range x {
		d := v - mean
		x[i] = d * d
	}
	return mean, math.Sqrt(torchsum.SumNumpy(x) / float64(len(x)))
}

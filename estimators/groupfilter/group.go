package groupfilter

import (
	"math"

	"vantage/estimators/torchsum"
)

// verdictOn says whether a group of rewards r stays and, if not, why. It may overwrite the memory of v
// for the values of a group.
type verdictOn func(v *Verdict, r []float64) (stays bool, why Reason)

// eachGroup asks about the values of every group; values has one for each row of b.
func (v *Verdict) eachGroup(b Batch, values []float64, ask verdictOn) {
	for g := range v.Admitted {
		if stays, why := ask(v, values[b.Offsets[g]:b.Offsets[g+1]]); !stays {
			v.drop(g, why)
		}
	}
}

// numpyMean is np.mean.
func numpyMean(r []float64) float64 { return torchsum.SumNumpy(r) / float64(len(r)) }

// numpyStd is np.std, ddof 0. It overwrites the memory of v for a sum. Rewards that are all equal have
// a standard deviation of 0 only if their mean is exact: three of 0.1 have 1.4e-17.
func (v *Verdict) numpyStd(r []float64) float64 {
	mean, squares := numpyMean(r), v.buf[:len(r)]
	for i, x := range r {
		d := x - mean
		squares[i] = float64(d * d)
	}
	return math.Sqrt(torchsum.SumNumpy(squares) / float64(len(r)))
}

// float32s returns r in float32, in the memory of v.
func (v *Verdict) float32s(r []float64) []float32 {
	x := v.x32[:len(r)]
	for i, y := range r {
		x[i] = float32(y)
	}
	return x
}

// rounded returns r as float64 of float32, in the memory of v.
func (v *Verdict) rounded(r []float64) []float64 {
	x := v.x[:len(r)]
	for i, y := range r {
		x[i] = float64(float32(y))
	}
	return x
}

// clearlyAbove reports that the standard deviation of r is above limit in every precision and order of
// sums, without adding anything: two of n values that are D apart have Σ(r − m)² ≥ D²/2, whatever m is. It
// is false if it cannot tell. Most groups vary so much; the others are computed.
func clearlyAbove[T float32 | float64](r []T, limit float64) bool {
	const smallest, largest = 1e-30, 1e140 // so that no square becomes 0 or infinite
	first, most := float64(r[0]), uint64(0)
	for _, x := range r {
		most = max(most, math.Float64bits(math.Abs(float64(x)-first))) // as numbers, and NaN is the largest
	}
	apart := math.Float64frombits(most)
	return apart > smallest && apart < largest && apart*apart > 8*limit*limit*float64(len(r))
}

// insideOpen is the rule LOW < mean < HIGH for a mean, with the reason otherwise.
func insideOpen(mean, low, high float64) (bool, Reason) {
	switch {
	case low < mean && mean < high:
		return true, Reason{}
	case mean >= high:
		return false, Reason{"too easy: mean", mean}
	case mean <= low:
		return false, Reason{"too hard: mean", mean}
	}
	return false, because("mean NaN")
}

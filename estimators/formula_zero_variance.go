package estimators

import (
	"math"

	"vantage/estimators/torchsum"
)

// flatSpread is how far rewards may be from the first of their group to count as equal.
const flatSpread = 1e-12

// flatGroups is GRPO with a test for equal rewards before any arithmetic: a group whose rewards are all
// within 1e-12 of the first, or of a single reward, gets 0. NaN is not within it. other writes the
// advantages of a group that is not flat; scaled says whether it divides.
func flatGroups(other func(dst, r []float64, scaled bool)) formula {
	return func(dst []float64, b Batch, s Scale) error {
		mustHaveLength(dst, b)
		for g := range b.Groups() {
			r, to := b.Group(g), dst[b.Offsets[g]:b.Offsets[g+1]]
			if isFlat(r) {
				clear(to)
				continue
			}
			other(to, r, s != ScaleNone)
		}
		return nil
	}
}

func isFlat(r []float64) bool {
	for _, x := range r[min(1, len(r)):] {
		if !(math.Abs(x-r[0]) <= flatSpread) {
			return false
		}
	}
	return true
}

// pythonGRPO is (r − μ)/(s + 1e-6) in Python's floats: sums from left to right as Python had them up to
// 3.11, ddof 0.
func pythonGRPO(dst, r []float64, scaled bool) {
	sum, squares, n := 0.0, 0.0, float64(len(r))
	for _, x := range r {
		sum += x
	}
	mean := sum / n
	for i, x := range r {
		dst[i] = x - mean
		squares += float64(dst[i] * dst[i])
	}
	if !scaled {
		return
	}
	std := math.Sqrt(squares / n)
	for i := range dst {
		dst[i] /= std + 1e-6
	}
}

// torchPopulationGRPO is (r − μ)/s in PyTorch's float32, ddof 0 and nothing added to s; 0 if s is not
// above 1e-8.
func torchPopulationGRPO(dst, r []float64, scaled bool) {
	var small [onStack]float32
	x := resize(small[:], len(r))
	toFloat32(x, r)
	mean := torchsum.Mean(x)
	std := torchsum.PopulationStd(x, mean)
	for i, v := range x {
		a := v - mean
		switch {
		case scaled && std > 1e-8:
			a /= std
		case scaled:
			a = 0
		}
		dst[i] = float64(a)
	}
}

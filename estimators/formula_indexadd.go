package estimators

import (
	"math"

	"vantage/estimators/torchsum"
)

// indexAddGRPO is GRPO over index_add_: sums from left to right, all of it float32,
//
//	A_i = (r_i − μ)/(s + 1e-6),  s = √(Σ (r_i − μ)²/(n−1))
//
// A group of one has μ := 0 and s := 1. Equal rewards give 0 or a float32 residue.
// With varianceFloor it is the older form, s = √max(v, 1e-6) with
// v = (Σr² − (Σr)²/n)/(n−1), so that s is never below 1e-3. Scale "none" omits the
// division.
func indexAddGRPO(varianceFloor bool) formula {
	return func(dst []float64, b Batch, s Scale) error {
		scaled := s != ScaleNone
		return perGroup(func(dst, r []float32) {
			mean, std := float32(0), float32(1)
			if len(r) > 1 {
				mean = torchsum.SumLeftToRight(r) / float32(len(r))
				std = indexAddStd(r, mean, varianceFloor)
			}
			for i, x := range r {
				dst[i] = x - mean
				if scaled {
					dst[i] /= std + 1e-6
				}
			}
		})(dst, b, s)
	}
}

// indexAddStd returns the standard deviation, ddof 1, in float32 from left to right.
func indexAddStd(r []float32, mean float32, varianceFloor bool) float32 {
	var squares float32
	for _, x := range r {
		d := x
		if !varianceFloor {
			d -= mean
		}
		squares += float32(d * d)
	}
	if varianceFloor {
		sum := torchsum.SumLeftToRight(r)
		squares -= float32(sum*sum) / float32(len(r))
	}
	v := squares / float32(len(r)-1)
	if varianceFloor && v < 1e-6 {
		v = 1e-6
	}
	return float32(math.Sqrt(float64(v)))
}

// bincountRLOO is RLOO over bincount: (n·r − Σ)/(n−1), float32, the sum from
// left to right. A group of one gets 0.
func bincountRLOO() formula {
	return perGroup(func(dst, r []float32) {
		n, sum := float32(len(r)), torchsum.SumLeftToRight(r)
		others, mask := max(n-1, 1), float32(min(1, len(r)-1))
		for i, x := range r {
			dst[i] = (float32(n*x) - sum) / others * mask
		}
	})
}

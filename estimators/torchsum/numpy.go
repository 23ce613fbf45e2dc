package torchsum

// pairwiseBlock is the length up to which numpy adds without halving.
const pairwiseBlock = 128

// SumNumpy returns the sum of x as numpy computes it, in the precision of x: fewer than 8 values
// from left to right, up to 128 in eight chains, ((r0+r1)+(r2+r3))+((r4+r5)+(r6+r7)),
// with the remainder added at the end, and more as two halves, cut at a multiple of
// eight.
//
// Source: numpy/numpy numpy/core/src/umath/loops_utils.h.src (pairwise_sum).
func SumNumpy[T float32 | float64](x []T) T {
	n := len(x)
	switch {
	case n < 8:
		s := T(0)
		for _, v := range x {
			s += v
		}
		return s
	case n > pairwiseBlock:
		half := n / 2
		half -= half % 8
		return SumNumpy(x[:half]) + SumNumpy(x[half:])
	}
	var r [8]T
	copy(r[:], x)
	done := n &^ 7
	for i := 8; i < done; i += 8 {
		for k, v := range x[i : i+8] {
			r[k] += v
		}
	}
	s := ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]))
	for _, v := range x[done:] {
		s += v
	}
	return s
}

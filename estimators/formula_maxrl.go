package estimators

import "vantage/estimators/torchsum"

// maxRL is maximum likelihood reinforcement learning: the centred reward divided by
// the mean,
//
//	A_i = (r_i − μ)/(μ + eps)
//
// With guarded, a group whose mean is not above 0 gets zeros. Without, a negative
// mean flips the signs, a mean of 0 divides by eps, and a group of one gets its raw
// reward.
func maxRL(eps float32, guarded bool) formula {
	return perGroup(func(dst, r []float32) {
		if len(r) == 1 && !guarded {
			dst[0] = r[0]
			return
		}
		mean := torchsum.Mean(r)
		if guarded && mean <= 0 {
			clear(dst)
			return
		}
		for i, x := range r {
			dst[i] = (x - mean) / (mean + eps)
		}
	})
}

package estimators

import "vantage/estimators/torchsum"

// maxRL is maximum likelihood reinforcement learning: the centred reward over the
// mean,
//
//	A_i = (r_i − μ)/(μ + eps)
//
// With guard, a group whose mean is not above 0 gets zeros. Without it a negative
// mean turns the signs round and a mean of 0 divides by eps; a group of one then
// gets its raw reward.
func maxRL(eps float32, guard bool) formula {
	return perGroup(func(dst, r []float32) {
		if len(r) == 1 && !guard {
			dst[0] = r[0]
			return
		}
		mean := torchsum.Mean(r)
		if guard && mean <= 0 {
			clear(dst)
			return
		}
		for i, x := range r {
			dst[i] = (x - mean) / (mean + eps)
		}
	})
}

package estimators

import (
	"math"

	"vantage/estimators/torchsum"
)

// minusBaseline is the reward less a baseline of its group, float32:
//
//	A_i = r_i − base(r) ;  a group of one: r
func minusBaseline(base groupBaseline) formula {
	return perGroup(func(dst, r []float32) {
		if len(r) == 1 {
			dst[0] = r[0]
			return
		}
		b := base(r, dst)
		for i, x := range r {
			dst[i] = x - b
		}
	})
}

// groupBaseline returns the baseline of the rewards r of a group. It may overwrite buf, of the length of r.
type groupBaseline func(r, buf []float32) float32

// shiftedMean is the baseline μ + shift. A negative shift is AsymRE's, which pushes more by successes
// than by failures: Arnal et al., "Asymmetric REINFORCE for off-Policy Reinforcement Learning",
// arXiv:2506.20520, 2025.
func shiftedMean(shift float32) groupBaseline {
	return func(r, _ []float32) float32 { return torchsum.Mean(r) + shift }
}

// logAvgExp is the baseline τ·(log Σ exp(r/τ) − log n), a soft maximum of the group: between its mean
// (τ → ∞) and its largest reward (τ → 0). Kimi Team, "Kimi k1.5: Scaling Reinforcement Learning with
// LLMs", arXiv:2501.12599, 2025, section 2.3.2.
func logAvgExp(tau float32) groupBaseline {
	return func(r, terms []float32) float32 {
		largest := float32(math.Inf(-1))
		for i, x := range r {
			terms[i] = x / tau
			largest = max(largest, terms[i])
		}
		if math.IsInf(float64(largest), 0) {
			largest = 0 // as PyTorch does: ∞ − ∞ is no number
		}
		for i, x := range terms {
			terms[i] = float32(math.Exp(float64(x - largest)))
		}
		sum := float32(math.Log(float64(torchsum.Sum(terms)))) + largest
		return tau * (sum - float32(math.Log(float64(len(r)))))
	}
}

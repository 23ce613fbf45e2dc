package estimators

import (
	"math"

	"vantage/estimators/torchsum"
)

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

// lengthWeighted is OPO: the baseline is the mean of the group by response tokens l,
//
//	A_i = r_i − Σ l r/Σ l
//
// in float32. A single-sample group gets its raw reward. Hao et al., "On-Policy RL with
// Optimal Reward Baseline", arXiv:2505.23585, 2025.
func lengthWeighted(dst []float64, b Batch, _ Scale) error {
	mustHaveLength(dst, b)
	r := make([]float32, len(b.Rewards))
	toFloat32(r, b.Rewards)
	products := make([]float32, largestGroup(b.Offsets))
	for lo, hi := range b.ranges() {
		var base float32
		if hi-lo > 1 {
			tokens := int64(0)
			for i, l := range b.Lengths[lo:hi] {
				products[i] = float32(l) * r[lo+i]
				tokens += int64(l)
			}
			base = torchsum.Sum(products[:hi-lo]) / float32(tokens)
		}
		for i := lo; i < hi; i++ {
			dst[i] = float64(r[i] - base)
		}
	}
	return nil
}

// lengthPenalty is the centred reward after a penalty for length:
//
//	r'_i = r_i − μ·Σ_k w_k·c_ki/max(max_j c_kj, 1) ;  A_i = r'_i − mean(r')
//
// The costs c_k of a sample are response tokens, input tokens and turns, μ is the mean reward of the group;
// float32.
type lengthPenalty struct{ output, input, turns float32 }

func (w lengthPenalty) needs() Needs {
	needs := Needs{Lengths: w.output != 0}
	if w.input != 0 {
		needs.Columns |= Columns(InputTokens)
		needs.Optional = Columns(TotalTokens) // of which the model makes input tokens
	}
	if w.turns != 0 {
		needs.Columns |= Columns(Turns)
	}
	return needs
}

func (w lengthPenalty) advantages(dst []float64, b Batch, _ Scale) error {
	mustHaveLength(dst, b)
	n := largestGroup(b.Offsets)
	r, penalty, cost := make([]float32, n), make([]float32, n), make([]float32, n)
	for lo, hi := range b.ranges() {
		r, penalty, cost := r[:hi-lo], penalty[:hi-lo], cost[:hi-lo]
		toFloat32(r, b.Rewards[lo:hi])
		clear(penalty)
		if w.output != 0 {
			for i, l := range b.Lengths[lo:hi] {
				cost[i] = float32(l)
			}
			addPenalty(penalty, cost, w.output)
		}
		if w.input != 0 {
			toFloat32(cost, b.Column(InputTokens)[lo:hi])
			addPenalty(penalty, cost, w.input)
		}
		if w.turns != 0 {
			toFloat32(cost, b.Column(Turns)[lo:hi])
			addPenalty(penalty, cost, w.turns)
		}
		subtractPenalty(dst[lo:hi], r, penalty)
	}
	return nil
}

// addPenalty adds the costs of a group's samples, relative to the largest.
func addPenalty(penalty, cost []float32, weight float32) {
	largest := float32(1)
	for _, x := range cost {
		largest = max(largest, x)
	}
	for i, x := range cost {
		penalty[i] += float32(weight * (x / largest))
	}
}

func subtractPenalty(dst []float64, r, penalty []float32) {
	mean := torchsum.Mean(r)
	for i, x := range r {
		penalty[i] = x - float32(mean*penalty[i])
	}
	base := torchsum.Mean(penalty)
	for i, x := range penalty {
		dst[i] = float64(x - base)
	}
}

// signWeights weighs right and wrong responses apart, with rewards of 1 for right and 0 for wrong:
//
//	A = λ·r of a right response (r = 1), r − 1 of a wrong one (r = 0), r of any other
//
// in float32, without a baseline and a group. Zhu et al., "The Surprising Effectiveness of Negative
// Reinforcement in LLM Reasoning", arXiv:2506.01347, 2025, section 5 (W-REINFORCE).
func signWeights(lambda float32) formula {
	return eachReward(func(r float32) float32 {
		switch r {
		case 1:
			return r * lambda
		case 0:
			return r - 1
		}
		return r
	})
}

// minusOne is A = r − 1, the same paper's NSR: only wrong responses train, by −1.
func minusOne() formula { return eachReward(func(r float32) float32 { return r - 1 }) }

// eachReward is the formula that computes each advantage from the sample's own reward, in float32.
func eachReward(f func(r float32) float32) formula {
	return func(dst []float64, b Batch, _ Scale) error {
		mustHaveLength(dst, b)
		for i, r := range b.Rewards {
			dst[i] = float64(f(float32(r)))
		}
		return nil
	}
}

// greedyBaseline is ReMax: A_i = r_i − b_i, where b is the reward of one greedy
// response to the same prompt; float32, one sample at a time. Li et al., "ReMax: A
// Simple, Effective, and Efficient Reinforcement Learning Method for Aligning Large
// Language Models", arXiv:2310.10505, 2023.
func greedyBaseline(dst []float64, b Batch, _ Scale) error {
	mustHaveLength(dst, b)
	for i, r := range b.Rewards {
		dst[i] = float64(float32(r) - float32(b.Baselines[i]))
	}
	return nil
}

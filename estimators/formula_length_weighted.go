package estimators

import "vantage/estimators/torchsum"

// optimalBaseline is the advantage of on-policy RL with an optimal baseline: the
// baseline is the mean of the group by tokens,
//
//	A_i = r_i − Σ l r/Σ l
//
// in float32. A group of one gets its raw reward. It is that of Hao et al.,
// "On-Policy RL with Optimal Reward Baseline", arXiv:2505.23585, 2025.
func optimalBaseline(dst []float64, b Batch, _ Scale) error {
	mustHaveLength(dst, b)
	r := make([]float32, len(b.Rewards))
	toFloat32(r, b.Rewards)
	products := make([]float32, largestGroup(b.Offsets))
	for g := range b.Groups() {
		lo, hi := b.Offsets[g], b.Offsets[g+1]
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

// groupPolicyGradient is GPG: centred rewards, made larger where few samples have
// a reward at all,
//
//	A_i = (N/max(m, 1))·(r_i − μ),  m = number of rewards that are not 0
//
// in float32; N/m is (1/m)·N. NaN counts as not 0. A group of one has μ := 0. It
// is that of Chu et al., "GPG: A Simple and Strong Reinforcement Learning Baseline
// for Model Reasoning", arXiv:2504.02546, 2025.
func groupPolicyGradient(dst []float64, b Batch, _ Scale) error {
	groupwise{ofOne: oneMean0Std1}.advantages(dst, b, ScaleNone)
	m := 0
	for _, x := range b.Rewards {
		m += one(x != 0)
	}
	alpha := 1 / float32(max(m, 1)) * float32(len(b.Rewards))
	for i, a := range dst {
		dst[i] = float64(alpha * float32(a))
	}
	return nil
}

// greedyBaseline is ReMax: A_i = r_i − b_i, where b is the reward of one greedy
// response to the same prompt; float32, one sample at a time. It is that of Li et
// al., "ReMax: A Simple, Effective, and Efficient Reinforcement Learning Method for
// Aligning Large Language Models", arXiv:2310.10505, 2023.
func greedyBaseline(dst []float64, b Batch, _ Scale) error {
	mustHaveLength(dst, b)
	for i, r := range b.Rewards {
		dst[i] = float64(float32(r) - float32(b.Baselines[i]))
	}
	return nil
}

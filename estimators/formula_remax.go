package estimators

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

package estimators

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

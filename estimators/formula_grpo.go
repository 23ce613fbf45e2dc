package estimators

// grpo is group relative policy optimization: a reward relative to the mean of its
// group, in standard deviations of the group,
//
//	A_i = (r_i − μ) / (s + eps)
//
// μ is the mean and s the standard deviation, ddof 1, of the n rewards of the
// group. Shao et al., "DeepSeekMath: Pushing the Limits of Mathematical Reasoning in
// Open Language Models", arXiv:2402.03300, 2024, section 4.1.
//
// Frameworks differ in what they add to s (1e-9 to 1e-4, or nothing), in ddof, in
// what a group of one gets, and in the order of their additions. The order decides
// what a constant group gets: often not 0, since μ misses r by a bit and s is
// nearly 0.
//
// Without the division (scale "none") it is Dr. GRPO: Liu et al., "Understanding
// R1-Zero-Like Training: A Critical Perspective", arXiv:2503.20783, 2025. With
// the standard deviation of the batch for s (scale "batch") it is that of Liu et
// al., "Part I: Tricks or Traps? A Deep Dive into RL for LLM Reasoning",
// arXiv:2508.08221, 2025.
//
// This variant holds the batch as a [G, n] matrix.
func grpo(eps float32) groupwise {
	return groupwise{baseline: groupMean, eps: eps, asMatrix: true}
}

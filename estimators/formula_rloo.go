package estimators

// rloo is REINFORCE leave-one-out: a reward relative to the mean of the others of
// its group,
//
//	A_i = r_i − (Σ − r_i) / (n − 1)
//
// Σ is the sum of the n rewards of the group. Mathematically that is n/(n−1)·(r−μ);
// in float32 the two forms differ in the last bits, and frameworks use both. A
// group of one has no others: 0/0. Ahmadian et al., "Back to Basics: Revisiting
// REINFORCE Style Optimization for Learning from Human Feedback in LLMs",
// arXiv:2402.14740, 2024, after Kool, van Hoof and Welling, "Buy 4 REINFORCE
// Samples, Get a Baseline for Free!", 2019.
//
// A framework that divides it by a standard deviation takes that of the rewards, not
// of the advantages, and adds eps. The batch is a [G, n] matrix.
func rloo(eps float32) groupwise {
	return groupwise{baseline: rlooSum, eps: eps, asMatrix: true}
}

// Package groupsize estimates what groups of another size would do to the prompts of a run: how many
// would be dead, and how many samples must be generated for a group that is not. In go the groups of a
// run with how many of their samples are solved, out comes a [Result]. The command and the screen call
// it.
//
// A group of n samples of a prompt that is solved at rate p is dead, all solved or none, with
// probability pⁿ + (1−p)ⁿ. Nobody knows p: s of the n samples seen are solved. The rates of a run are
// taken for a Beta(a, b) distribution, fitted to all groups, and the rate of each group for its
// posterior Beta(a+s, b+n−s). The probability is averaged over it, exactly:
//
//	E[pᵐ] = B(a+s+m, b+n−s) / B(a+s, b+n−s)
//
// a and b are the most likely ones. Each estimate has a range for 90 % of repeats, in which
// the same prompts are sampled once more: see [Estimate].
package groupsize

// Package sweep computes what every pair of keep ratios would do to steps of a run, or
// to some of their groups, with and without recompute. The command, the screen and the
// reports build a [Grid] from a snapshot, read its cells, and ask it what suits a [Goal].
//
// Few pairs differ for a group: of 8 positive samples 21 ratios keep at most 9 different
// numbers. So each group is sorted once, every number of kept samples is computed once,
// and equal groups share the result. Most estimators have a closed form, which needs only
// prefix sums over the sorted group, at the same cost for each number: see rankedGroup.
//
// Counts equal those of analysis.Analyze under the same settings: where sums could
// be wrong about a sign, the estimator itself computes. Sums of advantages agree to five
// digits.
package sweep

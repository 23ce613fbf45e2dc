// Package sweep computes what every pair of keep ratios would do to a step, to some
// groups of it, to some steps or to a whole run, with and without recompute.
//
// Few pairs differ for a group: of 8 positive samples 21 ratios keep 9 different
// numbers at most. So each group is sorted once, every number of kept samples is
// computed once, and groups that are alike share the answer. Where an estimator
// follows one of the usual laws, what a number of kept samples does is told from sums
// over the sorted group, each number at the same cost; see ranked.
//
// The counts are exactly those of model.Snapshot.Analyze under the same settings: what
// sums cannot tell for certain the estimator is asked. Sums of advantages are equal to
// six digits.
package sweep

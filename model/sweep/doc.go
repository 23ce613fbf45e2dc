// Package sweep computes what every pair of keep ratios would do to a step, to some
// steps or to a whole run, with and without recompute.
//
// Few pairs differ for a group: of 8 positive samples 21 ratios keep 9 different
// numbers at most. So each group is sorted once, every number of kept samples is
// computed once, and groups that are alike share the answer. The counts are exactly
// those of model.Snapshot.Analyze under the same settings, since the recompute is
// done by the estimator itself.
package sweep

// Package analysis computes what settings make of the steps of a run.
//
// In: a model.Snapshot and model.Settings. Out: an [Analysis] of a step, with a value for each sample,
// a row for each group, metrics and warnings; a [Trend] of all steps; the samples of each prompt ([EachPromptReward]).
// Callers: tui for the step on the screen and for the trend; report, check, sweep, query, match and
// internal/commands for whole runs.
//
// The way of a step, with the files where it happens:
//
//	samples of the log                              model.Step
//	  → sorted by group, with the chosen reward     step.go
//	  → length penalty                              step.go
//	  → rewards as the estimator reads them         advantages.go
//	  → original advantages                         advantages.go
//	  → groups that the group filter admits         advantages.go
//	  → keep rule → processed advantages → fates    advantages.go
//	  → weights in the loss                         lossweights.go
//	  → sums, in two passes                         statistics.go
//	  → metrics, warnings                           metrics.go, warnings.go
//
// Several steps are computed one by one, each as a batch of its own, and then joined (steps.go).
//
// Samples are computed in blocks of whole groups, on several processors (statistics.go). Of an earlier
// analysis of the same step its input is reused, and its original advantages if only the filter differs.
package analysis

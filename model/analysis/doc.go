// Package analysis computes what settings make of the steps of a run.
//
// In: a model.Snapshot and model.Settings. Out: an [Analysis] of a step, with a value for each sample,
// a row for each group, metrics and warnings; a [Trend] of all steps; the samples of each prompt ([EachPromptReward]).
// Callers: tui for the step on the screen and for the trend; report, check, sweep, query, match and
// internal/commands for whole runs.
//
// # Stages
//
// The samples of a step (model.Step) become an analysis in ten stages. Each computes one value from those before it:
//
//  1. grouped: the samples sorted by group, with the chosen reward (step.go).
//  2. shaped: the rewards after the length penalty, and what they tell of each group (shaped.go). These two need no estimator.
//  3. unfiltered: the advantages that the estimator gives, before any filter (unfiltered.go). The screen and the metrics say original.
//  4. long: which answers are the longest quarter, where there is a loss (lossweights.go).
//  5. admitted: what trains by the group filter and by the status of samples (admitted.go). It comes after the advantages since some
//     group filters look at them.
//  6. kept: what the keep rule keeps of it (filtered.go).
//  7. recomputed: the advantages of what is kept, computed again if asked for (filtered.go). The screen and the metrics say processed.
//  8. corrected: what the off-policy rule leaves of them (corrected.go): model.Judged says what it makes of each sample.
//  9. weighted: what the loss multiplies each advantage by (lossweights.go).
//  10. counted: the fate of each group (counted.go), sums over samples in two passes (statistics.go), metrics (metrics.go) and warnings
//     (warnings.go, warnings_log.go).
//
// stages.go lists them, each with the settings that it reads. What a value is computed from is its key: which samples, and the
// settings that its stage and the ones before read. Of an earlier analysis of the same step the first stages are taken whose keys
// are the same; the others are computed. To add a stage put its type and its method into a file, its value into stages and a row into
// stageList.
//
// Rollouts of several rows (rollouts.go) are one where the estimator counts them so: a batch has a value for each, and toOutputs
// gives it to each of its samples.
//
// Several steps are computed one by one, each as a batch of its own, and then joined (steps.go).
//
// Samples are computed in blocks of whole groups, on several processors (statistics.go), and steps that nobody keeps share their memory
// (memory.go).
package analysis

// Package offpolicy corrects for samples of another policy than the one that trains, as the trainers do, in
// their float32: a ratio between two engines or two versions is clipped, masked or rejected.
//
// # Words
//
// Of each sampled token r is the log-prob by the engine that sampled it (vLLM, SGLang), o that by the
// trainer before the update, n that by the policy within the update; natural logarithms. d = o − r, and
// ρ = e^d is the ratio of the trainer to the sampler: every trainer here has this direction. seq = e^Σd
// of a row, geo = e^(mean d). Sums and means run over the tokens that the loss mask lets train.
//
// A rule multiplies the policy loss of a token by a weight, takes the token out of the loss mask, or drops
// the row before the step. [Rule.Apply] says which, token by token, as the letters of [Kept].
//
// # What is here
//
//   - rules_*.go: the rules of the frameworks, a function for each framework, by family: the key in the
//     trainer's configuration, formula, options with the trainer's defaults, file and release that it was
//     read from. rule.go has [Rule] and the list of the frameworks, staleness.go the limits on versions.
//   - batch.go: what goes in, [Batch] of [Row], and what comes out, [Outcome].
//   - arithmetic.go: float32 as PyTorch computes it: differences, clamps, masked sums.
//   - figures.go: [FiguresOf] a row, in float64: what is said of it whatever the rule.
//
// # What is assumed
//
// Rewards and advantages are those before the rule: no trainer computes means of groups again. The one
// batch is what the trainer's function gets; where it normalises over a batch, a trainer of several ranks or
// micro-batches has other weights, and [Rule] says so in its Doc. Where a rule reads n and a log has none,
// n = o: that is exact at the first update of a batch and nowhere else, and [Result.Inexact] says so.
//
// A null of a log is NaN here. What a trainer does with NaN is part of its rule: some take the ratio for 1,
// some reject the token, some lose the step to it.
//
// # A new rule
//
//  1. A row in the function of its framework; the comments of estimators.Entry and [Rule] say what each
//     field holds. It builds a [rowRule] from the values of its options: what it does to one row, in the
//     trainer's order, with the helpers of arithmetic.go. Whatever needs the whole batch is its settle. A new
//     framework is a function and a line of catalogue, in rule.go.
//  2. Golden cases: testdata/golden/NAME.json, numbers that the framework's own code printed, and a row in
//     golden_test.go. The test fails for a rule that no case has.
//  3. go test ./estimators/offpolicy, then go test ./model/report -run OffPolicyPage -update, which writes
//     its name to the page .github/docs/offpolicy.md. Nothing else in the repository repeats it.
package offpolicy

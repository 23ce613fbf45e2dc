// Package estimators turns rewards into advantages, in the arithmetic of the framework
// that trains, to the last bit.
//
// # Words
//
// A batch is one training step: N samples in G groups. A group holds the samples
// (responses) of one prompt, in the order of the trainer's batch. Each sample has one
// reward. An estimator maps rewards to advantages, one per sample. A framework is a
// trainer; it has several estimators.
//
// # Two layers
//
//   - frameworks_*.go: the entries of the frameworks, a function for each, by family: those that grew out of
//     verl or TRL, on Megatron, for agents, and so on. What a trainer calls things: name, scales, defaults,
//     exceptions, and the file and revision that it was read from. catalogue.go lists the frameworks.
//   - Chapters of arithmetic that knows no framework, one for each shape of formula: groupwise.go, numpy.go,
//     scatter.go, nanmean.go, whiten.go, baselines.go, passk.go, rewards of steps in trajectories.go, and in
//     selection.go those that choose their samples. A formula is a function that writes the advantages of a
//     [Batch]; its parameters are what frameworks do differently. formula.go has its type and functions that
//     build one from another or add an exception.
//
// Package torchsum adds in the order of PyTorch and numpy, package lanes does so for eight groups at
// once. process.go and filter.go apply an estimator.
//
// # Shapes
//
// Rewards, advantages and kept flags are slices of length N in which the samples of a
// group are adjacent; group g is the half-open range Offsets[g]:Offsets[g+1]. A slice
// that is written is called dst and comes first. Slices of the wrong length panic.
//
// # Numbers
//
// All values are float64. Where a framework computes in float32 (nearly all do) every
// advantage is exactly representable in float32, and equal, bit for bit, to that of the
// framework's own code under PyTorch on a CPU, with AVX2's order of sums and the IEEE square
// root. Estimator.Float is the precision.
//
// A trainer may have another runtime. The square root of PyTorch's wheels with MKL misses the
// IEEE one by a unit in the last place for 0.7 % of the values, which can move the advantages
// of a group or batch by one or two. CUDA sums in another order, which nobody compared here.
//
// Two families are not equal to the bit: estimators that whiten over response tokens
// (REINFORCE++) are summed in float64 and agree to 1e-4; NeMo-RL adds in the order of its
// BLAS, and the sums here agree to 1e-5. Estimator.Tolerance says so.
//
// A reward that a log does not hold (null, None, an absent key) is [MissingReward], a NaN
// that [IsMissing] tells from others.
//
// # Needs
//
// Most estimators need rewards and groups. [Needs] says which need response lengths, the
// components of the reward, the reward of a greedy response, or a [Column] as the name of
// the agent, and which no reward log can feed, with the reason. The latter have no Advantage (see [Estimator.Computable])
// and are in the list so that a reader finds them. [Estimator.MissingIn] compares the
// needs with a batch.
//
// What a framework's configuration changes of the numbers is a scale, an entry of its own, or an
// [Option], which [Estimator.With] sets: see option.go for their kinds, and options_shared.go for
// those that several frameworks have. An option may name a scale or an entry
// (norm_adv_by_std_in_grpo is scale none in verl): [Option].Selects. What no entry and no option
// says is at the framework's default: no KL in the reward, gamma 1.
//
// # From logged rewards to processed advantages
//
//  1. [Estimator.CleanInto]: what the trainer does to the logged rewards.
//  2. [Estimator.Advantage]: the original advantages.
//  3. [Keep]: which samples of each group stay; dropped ones get 0. Some estimators leave
//     out samples by themselves: [Estimator.Select].
//  4. [Recompute], optional: the estimator again, over the kept samples.
//
// [Process] does 2 to 4.
//
// # Errors
//
// A batch that the framework's code refuses is computed all the same: dst is filled by
// the formula where it is defined for a group and with NaN where it is not, and the error
// is a [Refusal] with the framework's own text.
//
// # A new estimator
//
//  1. Formula. Look for it in the chapters: GRPO and RLOO with another eps, baseline or group of one are
//     values of groupwise. Else write it in the chapter of its shape, after maxRL: the formula in the
//     comment, with its paper, then the operations in the framework's precision and order, without allocation
//     per group.
//  2. Entry. A row in the function of its framework, after tinker; the comments of [Entry] and [Estimator]
//     say what each field holds. A release or a fork is written as changes on another list, as trl15 is. A
//     new framework is a function in the chapter of its family and a line of catalogue. If no public code
//     exists, set NoPublicCode, and name paper and equation in Source.
//  3. Golden cases. Add testdata/golden/NAME.json and a row in golden_test.go, whose head
//     says what the file holds: numbers that the framework's code printed or, with
//     NoPublicCode, numbers calculated by hand. Cases under other options than the
//     defaults set them in golden_options_test.go.
//  4. go test ./estimators. It checks DependsOnBatch, Tolerance and CanFilter, and that
//     shifts, permutations and sums behave as for GRPO. Where the formula does not, name
//     it with the reason among the exceptions of the test that fails, in invariant_test.go
//     or process_test.go.
//  5. go test ./model/report -run EstimatorsPage -update writes the page
//     .github/docs/estimators, go test ./tui -run Golden -update the frames that show
//     the list. Nothing else in the repository repeats it.
package estimators

// Package groupfilter decides which groups of a batch are trained on, by the rules of the frameworks, to
// the last flag: dynamic sampling, online filtering, masks.
//
// # Words
//
// Words, shapes and numbers are those of package estimators. A group is admitted if at least one of its
// rows trains. A [Filter] is the rule of one framework, a value in the list [All]; its [Admission] on a
// [Batch] says which groups it admits, why it drops the others, and which rows train if it drops single
// ones. [Dropped] says what becomes of the dropped rows: others are generated in their place, or nothing is,
// or they stay in the batch with a loss mask of 0.
//
// # Numbers
//
// Each rule takes mean and standard deviation in the framework's precision and order of sums, and compares
// as strictly. That decides groups of equal rewards: three of 0.1 have a np.std of 1.4e-17, so a rule
// "std ≠ 0" keeps them, while ranges, thresholds and torch's std of the rows of a matrix drop them. Doc of
// each filter says which it is, and [Admission.EqualButAdmitted] counts such groups.
//
// The orders are those of package torchsum: numpy's, and PyTorch's on a CPU with AVX2 or AVX-512. NeMo-RL's
// standard deviation comes out of a matrix product, whose order of sums differs from one processor to the
// next: of groups of nearly equal rewards the flags are those of float64 sums, not of one machine.
//
// # What a log does not hold
//
// A rule that reads a column or lengths that are not there admits all groups and returns a refusal of the
// kind estimators.KindMissing. What stands for something that is not there, such as rewards for OpenRLHF's
// scores, is named in Admission.Assumed. Random choices (SkyRL's replacements, trinity's duplicates) are not
// in a log: such rows are left out, and Admission.Note or Doc says so.
//
// # A new filter
//
//  1. A row in the function of its framework, in the chapter of what the rule looks at: rules_spread.go,
//     rules_mean.go, rules_advantage.go, rules_share.go; trinity is a short one. The comments of estimators.Entry
//     and [Filter] say what each field holds. Options have the trainer's own keys and defaults. Doc says in
//     a sentence what becomes of groups of equal rewards. A new framework is a function and a line of
//     catalogue, in filter.go, named as in package estimators.
//  2. Its rule, in the same row, asks about each group (byRewards, eachGroup) or each row (rows, dropEmpty): the
//     operations in the framework's precision and order, without allocation per group. admission.go has what
//     rules share.
//  3. Golden cases. Add testdata/golden/NAME.json and a row in golden_test.go, whose head says what the file
//     holds: flags that the framework's code gave. With NoPublicCode, cases calculated by hand in filter_test.go.
//  4. go test ./estimators/groupfilter, and -bench Decide: a rule should cost no more than GRPO does.
//  5. go test ./model/report -run FiltersPage -update writes the page .github/docs/filters.md.
package groupfilter

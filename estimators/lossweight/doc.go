// Package lossweight tells what each row of a batch weighs in the loss, by the framework's own
// averaging of tokens and rows, to the last bit of float32.
//
// # Words
//
// The losses of a step's tokens are averaged to one number. The weight of a row is that number if the
// loss of each of the row's tokens is 1 and that of all other tokens 0: at ratio 1 it multiplies the
// row's advantage. A batch is the rows of one optimizer step: N rows in groups, with l tokens each, T
// in all.
//
// # What is here
//
//   - losses_verl.go and losses_trl.go: the losses of the frameworks, a function for each: the name and the
//     key in the trainer's configuration, formula, the options that change the weights, and file and
//     release that it was read from. Of each framework the default is the first.
//   - loss.go: [Loss], the list of the frameworks, and the arithmetic that they share.
//   - mass.go: what the weights mean for a step: Σw·|A|, push down to push up, dilution by dead groups.
//
// # What is assumed
//
// Where a framework averages over micro-batches, the weights depend on how the step is cut. Options
// named as in the trainer's configuration say so; without them the step is one micro-batch. Rows are
// taken in the order of the log, which is not that of a trainer that shuffles (TRL does). A step of
// several mini-batches has these weights within each of them. [Loss].Doc says which of that matters.
//
// Lengths are those of tokens with a loss mask of 1.
//
// # A new loss
//
//  1. A row in the function of its framework, the default first; the comments of estimators.Entry and
//     [Loss] say what each field holds. The divisions are done in the framework's order, since each
//     rounds; nothing is allocated per row or micro-batch. A new framework is a function and a line of
//     catalogue, in loss.go.
//  2. Golden cases: testdata/golden/X_loss_weights.json, numbers that the framework's own code printed,
//     and a row in golden_test.go. The test fails for a loss that no case has.
//  3. go test ./estimators/lossweight, then go test ./model/report -run LossesPage -update, which
//     writes the pages .github/docs/losses. Nothing else in the repository repeats it.
package lossweight

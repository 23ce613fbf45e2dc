// Package overlong lowers the rewards of responses that are nearly as long as may be, as trainers do
// before they compute advantages, to the last bit of float32.
//
// All follow the soft overlong punishment of DAPO (arXiv:2503.14476, equation 13): nothing up to
// L_max − L_buffer tokens, then a penalty that grows with each token, up to L_max. They differ in what
// is beyond L_max, in precision, and in whether their filter of groups sees the reward before or after.
//
// A [Shaping] is a value in the list [All]: what switches it on in the trainer's configuration, its
// options there, and its arithmetic. A reward that a log holds may be shaped already: whoever shapes it
// again must say so.
//
// # A new shaping
//
//  1. A row in shaping.go, in the precision and order of the framework's own code, and a line of catalogue.
//  2. testdata/golden/NAME.json, numbers that this code printed, and a row in golden_test.go.
//  3. go test ./estimators/overlong, then go test ./model/report -run LossesPage -update, which writes
//     the page .github/docs/losses.md.
package overlong

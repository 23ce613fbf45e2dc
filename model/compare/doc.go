// Package compare compares two runs prompt by prompt: the same task under both says more
// than averages over different tasks. Mean rewards per prompt of both runs go in; pairs,
// wins and losses with a sign test, and differences by difficulty come out. The compare
// command and the screen call it.
package compare

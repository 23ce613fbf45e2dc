// Package compare compares two runs, the first (baseline in the code) and the second (candidate), prompt by prompt: the same task under
// both says more than averages over different tasks. Two snapshots go in; pairs, wins and losses with a
// sign test, and differences by difficulty come out. The compare command and the screen call it.
//
// Only what both runs have is compared, so that two runs of one policy differ by chance alone:
//
//   - steps that both have and that are complete, since a run that went further has learned more;
//   - prompts that both saw in these steps;
//   - of each prompt as many samples of either run, since the mean of few is more often far off, which
//     gives wins to one side; the samples are spread evenly over those of the run, in their order;
//   - by difficulty over the samples of both: a prompt that is easy by the luck of the baseline's draw
//     alone would be expected to lose (regression to the mean).
//
// What is left out is counted for each run: see [Scope].
package compare

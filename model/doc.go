// Package model holds the samples of a run, and the settings and words of their analysis, which
// model/analysis computes. It does no I/O and knows no screen.
//
// In: chunks of records or blocks, from loaders. Out: an immutable Snapshot, with the samples of
// each step in input order, how they are grouped, and their rewards under the settings. Callers:
// loaders make chunks; tui and loaders/commands own a Store; all packages below model read snapshots.
//
// A run is what was opened, a step is one training batch, a group is the samples of one prompt
// within a step, and a sample is one response with its reward. Rows of one group need not be
// adjacent in a log. A component is the reward of one of several reward functions.
package model

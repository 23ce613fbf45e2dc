// Package model holds what was read and what was computed from it: samples in
// append-only columns, the settings that a person chooses, and the analysis
// that the settings give. It does no I/O and knows no screen.
//
// The words: a run is what was opened; a step is one training batch; a group is
// the samples of one prompt within a step; a sample is one response with its
// reward. Rows of one group need not lie next to each other in a log.
package model

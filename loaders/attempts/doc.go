// Package attempts tells the attempts of a run apart: a run that is started again writes into the
// folder, or the file, of the run before it.
//
// In: what is known of the files of one run, their steps in the order of rows ([Order]) and when they
// were written ([File]). Out: which rows belong to which attempt ([Judge]). Source calls it; it opens
// nothing and knows no clock.
//
// A run that is resumed from a checkpoint continues its attempt: what had been written beyond the
// checkpoint is abandoned, and written again. A run that begins again at its first step is a new attempt.
//
// Times are weak evidence, since copying a folder gives its files other times. They are believed only
// if all files fit one history of starts: each start wrote a stretch of steps in their order, and what
// it did not get to is older. See [Judge] for what else is asked.
package attempts

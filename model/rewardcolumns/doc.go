// Package rewardcolumns finds out which columns of a log make up its reward, and with which weights.
// TRL logs a column for each reward function, more columns that a person adds with log_extra, and no
// total; but it logs the advantages, and those follow from the weighted sum of the right columns.
//
// In comes a snapshot; out goes a [Found] that reproduces the logged advantages in the arithmetic of
// the log's trainer. Package choice asks for it.
package rewardcolumns

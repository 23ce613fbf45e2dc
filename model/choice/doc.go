// Package choice decides with which framework, estimator and scale a log is computed. In this
// order: what flags say, what --config says, the estimator that reproduces the advantages in the
// log, the trainer that wrote the log, and else the default. Before that [ChooseRewards] decides which
// columns of the log are its reward. It also takes the groups that these
// advantages prove, unless flags or --config decide on them. The commands and the screen both ask
// [Choose], and show the [Choice] with every number: nothing is assumed silently.
package choice

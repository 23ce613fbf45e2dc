// Package demo makes a training run that never was: nothing has to be set up to
// see what vantage shows. Its rows are written in verl's form and read by the
// decoder that reads real ones. The same seed makes the same rows, however fast
// they are fetched.
package demo

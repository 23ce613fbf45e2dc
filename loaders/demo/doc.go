// Package demo is a synthetic training run, so that `vantage demo` needs no log. It takes a
// seed and returns chunks like a loader: its rows are written as verl's JSONL and read by the
// same decoder as real logs. The same seed gives the same rows, whatever the timing.
package demo

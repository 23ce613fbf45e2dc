//go:build race

package loaders

// raced says that the race detector is at work, ten times as slow: what takes
// seconds without it, and has one goroutine, is left to the run without it.
const raced = true

//go:build race

package loaders

// raceEnabled says that the race detector makes code ten times as slow: slow tests with one
// goroutine are skipped.
const raceEnabled = true

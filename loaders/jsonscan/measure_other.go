//go:build !amd64

package jsonscan

// countBlocks counts nothing: this processor has no instructions for whole blocks.
func countBlocks([]byte, *Counts) (n int, escaped, stopped bool) { return 0, false, false }

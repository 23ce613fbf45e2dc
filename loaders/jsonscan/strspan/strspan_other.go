//go:build !amd64

package strspan

// blocks counts in whole blocks where the processor has instructions for that.
func blocks([]byte, *Count) (n int, escaped, done bool) { return 0, false, false }

//go:build !amd64

package fast

const canReadNumbers = false

// readNumberRows reads nothing: this processor has no instructions for a whole number.
func readNumberRows(_ []byte, at, _ int, _ []byte, _ []numberColumn, _ []int64, _ int64) (n, end int) {
	return 0, at
}

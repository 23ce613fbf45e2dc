//go:build !lean

package pages

import (
	"io"

	"github.com/andybalholm/brotli"
)

// newBrotliReader decompresses brotli.
func newBrotliReader(compressed io.Reader) (io.Reader, error) {
	return brotli.NewReader(compressed), nil
}

//go:build lean

package pages

import "io"

// newBrotliReader refuses: what decompresses brotli is left out.
func newBrotliReader(io.Reader) (io.Reader, error) { return nil, ErrUnsupported }

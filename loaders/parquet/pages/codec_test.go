package pages

import (
	"errors"
	"io"
	"testing"
)

// A page whose compressed data ends early is broken. It is not the end of its column, after which
// nothing would be missed.
func TestPageThatEndsEarly(t *testing.T) {
	for _, codec := range []int{codecSnappy, codecGzip, codecBrotli, codecZstd, codecLZ4} {
		for _, compressed := range []string{"", "\x00", "\x1b", "\x1f\x8b\x08\x00", "\x28\xb5\x2f\xfd"} {
			var b Buffer
			data, err := b.Decompress(codec, []byte(compressed), 20)
			if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("codec %d, %q: %q, %v", codec, compressed, data, err)
			}
			b.Close()
		}
	}
}

package compressed

import (
	"errors"
	"io"
	"strings"
	"testing"
)

// panicReader is a decompressor that meets what it did not expect.
type panicReader struct{ text io.Reader }

func (p panicReader) Read(b []byte) (int, error) {
	n, err := p.text.Read(b)
	if err != nil {
		panic("index out of range")
	}
	return n, nil
}

// A panic while a file is decompressed is that file's error, after the text before it.
func TestPanicIsTheFilesError(t *testing.T) {
	d := startDecompressor(io.NopCloser(panicReader{strings.NewReader("text")}), &countingReader{})
	defer d.Stop()
	text, _, err := d.Next()
	if string(text) != "text" || err != nil {
		t.Fatalf("%q, %v", text, err)
	}
	if _, _, err = d.Next(); !errors.Is(err, errDamaged) {
		t.Error(err)
	}
}

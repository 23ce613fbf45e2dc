package inflate

import (
	"bytes"
	"io"
	"math"

	"github.com/klauspost/compress/s2"
)

// errEnd is the end of the text.
var errEnd = io.EOF

// Mark is where unpacking can begin again.
type Mark struct {
	Text   int64 // bytes of text before it
	bit    int64 // of the file
	window []byte
}

// Size returns the bytes of memory that a mark takes.
func (m Mark) Size() int { return len(m.window) + 40 }

// Place returns how much text is before a mark.
func (m Mark) Place() int64 { return m.Text }

// Marks has a function called where a block begins, from which a mark can be made.
func (d *Reader) Marks(at func(*Reader)) { d.mark = at }

// Text returns how many bytes of text have been unpacked.
func (d *Reader) Text() int64 { return d.text + int64(d.n) }

// Mark marks the block that begins: it may only be called from the function given to
// Marks.
func (d *Reader) Mark() Mark {
	from := max(0, d.n-window)
	return Mark{
		Text:   d.Text(),
		bit:    (d.base+int64(d.at))*8 - int64(d.count),
		window: bytes.Clone(s2.Encode(nil, d.out[from:d.n])), // no longer than it must be
	}
}

// From returns a reader of a gzip file from a mark on.
func From(r io.ReaderAt, m Mark) (*Reader, error) {
	at := m.bit / 8
	d := NewReader(io.NewSectionReader(r, at, math.MaxInt64-at))
	text, err := s2.Decode(nil, m.window)
	if err != nil {
		return nil, err
	}
	d.n = copy(d.out, text)
	d.given, d.text = d.n, m.Text-int64(d.n)
	d.base, d.state, d.unsummed = at, block, true
	d.member = d.text
	_, err = d.bits(uint(m.bit % 8))
	return d, err
}

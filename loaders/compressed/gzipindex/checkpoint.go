package gzipindex

import (
	"bytes"
	"io"
	"math"

	"github.com/klauspost/compress/s2"
)

// Checkpoint is a place from which decompression can resume: the start of a block.
type Checkpoint struct {
	Offset int64  // in the text
	bit    int64  // in the file
	window []byte // the text before it, compressed
}

// Size returns the bytes of memory that a checkpoint takes.
func (c Checkpoint) Size() int { return len(c.window) + 40 }

// OnBlock sets a function to call at the start of each block, where it may take a
// [Reader.Checkpoint].
func (r *Reader) OnBlock(f func(*Reader)) { r.onBlock = f }

// Offset returns how many bytes of text have been decompressed.
func (r *Reader) Offset() int64 { return r.outOffset + int64(r.n) }

// Checkpoint returns a checkpoint at the block that starts. It may only be called from the
// function given to [Reader.OnBlock].
func (r *Reader) Checkpoint() Checkpoint {
	from := max(0, r.n-windowSize)
	return Checkpoint{
		Offset: r.Offset(),
		bit:    (r.inOffset+int64(r.next))*8 - int64(r.bitCount),
		window: bytes.Clone(s2.Encode(nil, r.out[from:r.n])), // without spare capacity
	}
}

// Resume returns a reader of a gzip file that starts at a checkpoint.
func Resume(file io.ReaderAt, c Checkpoint) (*Reader, error) {
	at := c.bit / 8
	r := NewReader(io.NewSectionReader(file, at, math.MaxInt64-at))
	window, err := s2.Decode(nil, c.window)
	if err != nil {
		return nil, err
	}
	r.n = copy(r.out, window)
	r.delivered, r.outOffset = r.n, c.Offset-int64(r.n)
	r.memberStart = r.outOffset
	r.inOffset, r.state, r.crcUnknown = at, atBlock, true
	_, err = r.bits(uint(c.bit % 8))
	return r, err
}

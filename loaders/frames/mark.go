package frames

import (
	"bytes"
	"io"
	"math"
	"math/bits"

	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
)

// Mark is where unpacking can begin again.
type Mark struct {
	Text   int64 // bytes of text before it
	at     int64 // of the file
	frame  frame
	primer []*block
	window []byte // packed
	size   int    // of it, unpacked
}

// Size returns the bytes of memory that a mark takes.
func (m Mark) Size() int { return len(m.window) + 48*len(m.primer) + 120 }

// Place returns how much text is before a mark.
func (m Mark) Place() int64 { return m.Text }

// From unpacks a zstd file from a mark on.
func From(d *zstd.Decoder, h io.ReaderAt, m Mark) error {
	if m.primer == nil { // a frame begins
		return d.Reset(io.NewSectionReader(h, m.at, math.MaxInt64-m.at))
	}
	window, err := s2.Decode(nil, m.window)
	if err != nil {
		return err
	}
	prime := append(m.ground(h), raws(window, m.room())...)
	if err := d.Reset(io.MultiReader(append(prime, &rest{h: h, at: m.at, summed: m.frame.summed})...)); err != nil {
		return err
	}
	_, err = io.CopyN(io.Discard, d, m.primed())
	return err
}

// room is a window that has a size of which frames can be.
func (m Mark) room() int64 {
	return max(1<<10, int64(1)<<bits.Len64(uint64(max(1, m.frame.window)-1)))
}

// ground is what comes before the window: zeros that distances can lead to, and the primer.
func (m Mark) ground(h io.ReaderAt) []io.Reader {
	head := zstd.Header{WindowSize: uint64(m.room())}
	begin, _ := head.AppendTo(nil) // a window that is a power of two can be said
	all := []io.Reader{bytes.NewReader(begin)}
	zeros := make([]byte, min(m.room(), maxBlock))
	for range m.room() / int64(len(zeros)) {
		all = append(all, raws(zeros, m.room())...)
	}
	for _, b := range m.primer {
		all = append(all, io.NewSectionReader(h, b.at, b.size))
	}
	return all
}

// primed is how much text all of that unpacks to.
func (m Mark) primed() int64 {
	n := m.room() + int64(m.size)
	for _, b := range m.primer {
		n += b.text
	}
	return n
}

// raws are blocks with a text as it is.
func raws(text []byte, room int64) []io.Reader {
	var all []io.Reader
	for len(text) > 0 {
		n := min(int64(len(text)), room, maxBlock)
		all = append(all, bytes.NewReader(appendHeader(nil, raw, n, false)), bytes.NewReader(text[:n]))
		text = text[n:]
	}
	return all
}

func appendHeader(dst []byte, kind int, size int64, last bool) []byte {
	x := size<<3 | int64(kind)<<1
	if last {
		x |= 1
	}
	return append(dst, byte(x), byte(x>>8), byte(x>>16))
}

// rest is a file from a block on. It leaves out the checksum of the frame, which is not
// that of what an unpacker has been given, and goes on with the frames that follow.
type rest struct {
	h      io.ReaderAt
	at     int64
	left   int64 // of the block at hand
	last   bool  // it is
	summed bool
	over   bool // with the frame
}

// Read implements [io.Reader].
func (r *rest) Read(p []byte) (int, error) {
	if !r.over && r.left == 0 {
		if err := r.next(); err != nil {
			return 0, err
		}
	}
	if !r.over {
		p = p[:min(int64(len(p)), r.left)]
	}
	n, err := r.h.ReadAt(p, r.at)
	r.at += int64(n)
	if !r.over {
		r.left -= int64(n)
	}
	return n, err
}

// next goes to the next block, or out of the frame.
func (r *rest) next() error {
	if r.last {
		r.over = true
		if r.summed {
			r.at += sumSize
		}
		return nil
	}
	b, err := blockAt(r.h, r.at)
	if err != nil {
		return err
	}
	r.left, r.last = b.size, b.last
	return nil
}

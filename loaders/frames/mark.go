package frames

import (
	"bytes"
	"io"
	"math/bits"

	"github.com/klauspost/compress/zstd"
)

// Mark is where unpacking can begin again.
type Mark struct {
	Text   int64 // bytes of text before it
	at     int64 // of the file
	frame  frame
	primer []*block
	window []byte   // packed
	size   int      // of it, unpacked
	sums   []uint32 // of the blocks behind it that may refer back to the window
}

// Size returns the bytes of memory that a mark takes.
func (m Mark) Size() int { return len(m.window) + 48*len(m.primer) + 4*cap(m.sums) + 160 }

// Place returns how much text is before a mark.
func (m Mark) Place() int64 { return m.Text }

// Bounded reports whether to unpack from here takes no more memory than that of a window of
// which marks are made.
func (m Mark) Bounded() bool { return m.primer != nil }

// room is a window that has a size of which frames can be.
func (m Mark) room() int64 {
	return max(1<<10, int64(1)<<bits.Len64(uint64(max(1, m.frame.window)-1)))
}

// begin is what comes before the window: zeros that distances can lead to, and the primer.
func (m Mark) begin(h io.ReaderAt) []io.Reader {
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

// primed is how much text all of that, and the window, unpack to.
func (m Mark) primed() int64 {
	if m.primer == nil {
		return 0
	}
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

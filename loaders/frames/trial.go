package frames

import (
	"bytes"
	"encoding/binary"
	"io"

	"github.com/klauspost/compress/zstd"
)

// trial finds out which distances an unpacker remembers behind a primer.
type trial struct {
	decoder *zstd.Decoder
	numbers []byte
}

// probe is a block of three literals, and three copies of sixteen bytes, from the second
// of the distances that are remembered, then from the second again, which has become
// what was the first, then from the third. All codes are said outright.
var probe = [...]byte{
	3 << 3, 'a', 'b', 'c', // three literals, as they are
	3,                  // copies
	1<<6 | 1<<4 | 1<<2, // each table has one code:
	1, 1, 13,           // a literal before each; the second or third distance, told by a bit; 16 bytes
	1<<3 | 0<<2 | 0<<1 | 1, // the bits: second, second, third, beneath the one that ends them
}

const (
	copies   = 3
	copySize = 16
)

// begins are the distances that an unpacker begins with: 1, 4 and 8. Others come of them,
// but only smaller ones.
const begins = 8

// passes reports whether a mark's primer replaces all of those distances.
func (t *trial) passes(h io.ReaderAt, m Mark) bool {
	if t.decoder == nil {
		var err error
		if t.decoder, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow)); err != nil {
			return false
		}
	}
	t.number(int(m.room()))
	end := append(appendHeader(nil, compressed, int64(len(probe)), true), probe[:]...)
	in := append(append(m.ground(h), raws(t.numbers, m.room())...), bytes.NewReader(end))
	if t.decoder.Reset(io.MultiReader(in...)) != nil {
		return false
	}
	m.window = t.numbers
	if _, err := io.CopyN(io.Discard, t.decoder, m.primed()); err != nil {
		return false
	}
	var got [copies * (1 + copySize)]byte
	if _, err := io.ReadFull(t.decoder, got[:]); err != nil {
		return false
	}
	for i := range copies {
		at := i*(1+copySize) + 1
		if t.distance(got[at:at+copySize], at) <= begins {
			return false
		}
	}
	return true
}

// odd makes the bytes of numbers look like no others near them.
const odd = 0x9e3779b97f4a7c15

// number makes a text of which sixteen bytes tell where they are from.
func (t *trial) number(n int) {
	if len(t.numbers) == n {
		return
	}
	t.numbers = make([]byte, 0, n)
	for i := range uint64(n / 8) {
		t.numbers = binary.LittleEndian.AppendUint64(t.numbers, i*odd)
	}
}

// distance is how far before a place behind the numbers a piece of them stands, 0 if it
// is none of them.
func (t *trial) distance(piece []byte, at int) int {
	for shift := range 8 {
		i := binary.LittleEndian.Uint64(piece[shift:]) * inverse(odd)
		from := int64(i)*8 - int64(shift)
		if i < uint64(len(t.numbers)/8) && from >= 0 && from+copySize <= int64(len(t.numbers)) && bytes.Equal(t.numbers[from:from+copySize], piece) {
			return len(t.numbers) + at - int(from)
		}
	}
	return 0
}

// inverse returns the number that gives 1 with an odd x, by Newton's iteration.
func inverse(x uint64) uint64 {
	y := x
	for range 5 {
		y *= 2 - x*y
	}
	return y
}

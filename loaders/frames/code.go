package frames

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// code is what numbers are written in (RFC 8878, 4.1): a row of states, each of which
// stands for a number and leads to the next.
type code struct {
	states [maxStates]state
	bits   uint // that tell the first state
	known  bool // some block has said it
}

// maxStates is how many states the largest code has.
const maxStates = 1 << 9

// state is a state of a code. What it stands for and where it leads are told by some bits
// more.
type state uint64

func stateOf(base uint32, next uint16, bits, extra uint8) state {
	return state(base)<<32 | state(next)<<16 | state(bits)<<8 | state(extra)
}
func (s state) base() int   { return int(s >> 32) }
func (s state) next() uint  { return uint(s >> 16 & 0xffff) }
func (s state) bits() uint  { return uint(s >> 8 & 0xff) }
func (s state) extra() uint { return uint(s & 0xff) }

// alphabet is what a code can be of: symbols that stand for a base and the numbers behind
// it, each with so many extra bits.
type alphabet struct {
	first uint32 // base
	extra []uint8
	bits  uint8   // that tell a state, at most
	usual []int16 // shares of the code that a block need not bring
}

// alphabets are those of the codes of copies. A distance is written as a number from 1 on.
var alphabets = [tables]alphabet{
	numbers: {
		extra: []uint8{16: 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
		bits:  9,
		usual: []int16{4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1},
	},
	distances: {
		first: 1,
		extra: []uint8{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31},
		bits:  8,
		usual: []int16{1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1},
	},
	lengths: {
		first: 3,
		extra: []uint8{32: 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
		bits:  9,
		usual: []int16{
			1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
			1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
		},
	},
}

var errCode = fmt.Errorf("%w: a code that means nothing", errLost)

// one makes the code of a single symbol, which is never said.
func (c *code) one(a *alphabet, symbol int) error {
	if symbol >= len(a.extra) {
		return errCode
	}
	base := a.first
	for _, extra := range a.extra[:symbol] {
		base += 1 << extra
	}
	c.known, c.bits, c.states[0] = true, 0, stateOf(base, 0, 0, a.extra[symbol])
	return nil
}

// read makes the code that a block describes, and returns the size of that.
func (c *code) read(a *alphabet, in []byte) (size int, err error) {
	r := forward{in: in}
	width := uint8(r.take(4)) + 5
	if width > a.bits {
		return 0, errCode
	}
	var room [64]int16
	shares := room[:0]
	left := 1 << width
	for left > 0 && len(shares) < len(a.extra) {
		share := r.below(left+1) - 1
		shares = append(shares, int16(share))
		left -= max(share, -share)
		for again := share == 0; again; { // how many more have none
			n := r.take(2)
			shares = append(shares, make([]int16, n)...)
			again = n == 3 && len(shares) < len(a.extra)
		}
	}
	if size = (r.at + 7) / 8; left != 0 || len(shares) > len(a.extra) || size > len(in) {
		return 0, errCode
	}
	c.share(a, shares, width)
	return size, nil
}

// share makes the code whose symbols have such shares of the states: -1 is the share of
// one that hardly ever comes.
func (c *code) share(a *alphabet, shares []int16, width uint8) {
	size := 1 << width
	c.known, c.bits = true, uint(width)
	var symbols [maxStates]uint8
	var next [64]uint16 // of the states of a symbol
	last := size - 1
	for symbol, share := range shares {
		next[symbol] = uint16(max(share, -share))
		if share < 0 {
			symbols[last] = uint8(symbol)
			last--
		}
	}
	at := 0
	for symbol, share := range shares {
		for range share {
			symbols[at] = uint8(symbol)
			for at = (at + size>>1 + size>>3 + 3) & (size - 1); at > last; {
				at = (at + size>>1 + size>>3 + 3) & (size - 1)
			}
		}
	}
	var bases [64]uint32
	base := a.first
	for symbol, extra := range a.extra {
		bases[symbol] = base
		base += 1 << extra
	}
	for i, symbol := range symbols[:size] {
		n := next[symbol]
		next[symbol]++
		more := width - uint8(bits.Len16(n)-1)
		c.states[i] = stateOf(bases[symbol], n<<more-uint16(size), more, a.extra[symbol])
	}
}

// forward takes bits from the begin of a text on; behind its end are zeros.
type forward struct {
	in []byte
	at int // bit
}

func (r *forward) peek(n int) int {
	var b [4]byte
	copy(b[:], r.in[min(len(r.in), r.at/8):])
	return int(binary.LittleEndian.Uint32(b[:])>>(r.at%8)) & (1<<n - 1)
}

func (r *forward) take(n int) int {
	x := r.peek(n)
	r.at += n
	return x
}

// below takes a number up to most, in as few bits as tell it: the smaller ones take a bit less.
func (r *forward) below(most int) int {
	n := bits.Len(uint(most))
	short := 1<<n - 1 - most // so many
	x := r.peek(n - 1)
	if x < short {
		r.at += n - 1
		return x
	}
	x = r.take(n)
	if x >= 1<<(n-1) {
		x -= short
	}
	return x
}

package frames

import (
	"encoding/binary"
	"io"
	"math"
	"math/bits"
	"slices"
)

// copied is a piece of the text of a block that is copied from what stands before it.
type copied struct{ at, length, distance int32 }

// copier tells what blocks copy from far before them, without unpacking them. It begins at
// a block that brings the tables it uses, or behind such blocks.
type copier struct {
	codes  [tables]code
	recent [3]int // distances, the last one first
	far    int    // bytes before the block: only what is copied from before those is told
	copies []copied
	buffer []byte
}

// unknown are distances before any has been seen: nothing can be copied from so far back.
const unknown = math.MaxInt / 4

// begin forgets what came before. No copies are told.
func (c *copier) begin() {
	c.recent, c.far = [3]int{unknown, 2 * unknown, 3 * unknown}, math.MaxInt/2
}

// settled reports whether all of the distances that are remembered have been seen.
func (c *copier) settled() bool { return max(c.recent[0], c.recent[1], c.recent[2]) < unknown/2 }

// read takes a block of a file.
func (c *copier) read(h io.ReaderAt, b *block) (text int, err error) {
	if b.kind != compressed {
		return int(b.text), nil
	}
	in := slices.Grow(c.buffer[:0], front+int(b.size))[:front+b.size-headerSize]
	c.buffer = in
	if _, err := h.ReadAt(in[front:], b.at+headerSize); err != nil {
		return 0, err
	}
	return c.pass(in)
}

// front is how many bytes stand before a block in memory, so that eight can be read
// wherever its bits end.
const front = 8

// pass takes a block as it stands behind the front of in, and returns how much text it is.
// Its copies are there until the next one comes.
func (c *copier) pass(in []byte) (text int, err error) {
	c.copies = c.copies[:0]
	var head [5]byte
	copy(head[:], in[front:])
	plain := literalsIn(head)
	rest := in[min(int64(len(in)), front+literalsSize(head)):]
	n, rest, ok := countOf(rest)
	switch {
	case !ok:
		return 0, errLost
	case n == 0:
		return plain, nil
	}
	modes := rest[0]
	rest = rest[1:]
	for i, t := range [...]int{numbers, distances, lengths} {
		if rest, err = c.learn(t, modes>>(6-2*i)&3, rest); err != nil {
			return 0, err
		}
	}
	if len(rest) == 0 || rest[len(rest)-1] == 0 {
		return 0, errLost
	}
	return c.run(in, len(in)-len(rest), n, plain)
}

// countOf reads how many copies there are. A byte follows if there are any.
func countOf(in []byte) (n int, rest []byte, ok bool) {
	switch {
	case len(in) > 0 && in[0] == 0:
		return 0, nil, true
	case len(in) > 1 && in[0] < 128:
		return int(in[0]), in[1:], true
	case len(in) > 2 && in[0] < 255:
		return int(in[0]-128)<<8 | int(in[1]), in[2:], true
	case len(in) > 3:
		return int(in[1]) + int(in[2])<<8 + 0x7f00, in[3:], true
	}
	return 0, nil, false
}

// The ways in which a block says what a code is.
const (
	usual = iota
	single
	described
	asBefore
)

// learn takes over one of the codes that a block says.
func (c *copier) learn(t int, mode byte, in []byte) (rest []byte, err error) {
	a := &alphabets[t]
	switch mode {
	case usual:
		c.codes[t].share(a, a.usual, usualBits(t))
	case single:
		if len(in) == 0 {
			return nil, errLost
		}
		return in[1:], c.codes[t].one(a, int(in[0]))
	case described:
		n, err := c.codes[t].read(a, in)
		return in[n:], err
	}
	if !c.codes[t].known {
		return nil, errLost
	}
	return in, nil
}

// usualBits tell a state of a usual code.
func usualBits(t int) uint8 {
	if t == distances {
		return 5
	}
	return 6
}

// run reads n copies, whose bits begin behind the begin and are read from the end. What
// it needs it keeps beside the copier: this is where all the time goes. Of 57 bits or more
// that are at hand after each look, a distance takes up to 31, two numbers 32, and three
// states 26.
func (c *copier) run(in []byte, begin, n, plain int) (text int, err error) {
	codeN, codeD, codeL := &c.codes[numbers], &c.codes[distances], &c.codes[lengths]
	at, used := len(in)-8, uint(bits.LeadingZeros8(in[len(in)-1]))+1
	hold := binary.LittleEndian.Uint64(in[at:])
	stateN, used := bitsOf(hold, used, codeN.bits)
	stateD, used := bitsOf(hold, used, codeD.bits)
	stateL, used := bitsOf(hold, used, codeL.bits)
	first, second, third := c.recent[0], c.recent[1], c.recent[2]
	copies, far := c.copies, c.far
	for {
		at, used = at-int(used>>3), used&7
		if uint(at) >= uint(len(in)-7) {
			return 0, errLost
		}
		hold = binary.LittleEndian.Uint64(in[at:])
		toN, toD, toL := codeN.states[stateN%maxStates], codeD.states[stateD%maxStates], codeL.states[stateL%maxStates]
		var more uint
		more, used = bitsOf(hold, used, toD.extra())
		distance := toD.base() + int(more)
		number, length := toN.base(), toL.base()
		if (toN|toL)&0xff != 0 {
			if used > 24 {
				if at, used = at-int(used>>3), used&7; at < 0 {
					return 0, errLost
				}
				hold = binary.LittleEndian.Uint64(in[at:])
			}
			more, used = bitsOf(hold, used, toL.extra())
			length += int(more)
			more, used = bitsOf(hold, used, toN.extra())
			number += int(more)
		}
		if distance > 3 {
			first, second, third = distance-3, first, second
		} else if first, second, third = again(distance, number, first, second, third); first == 0 {
			return 0, errLost
		}
		plain -= number
		text += number
		if first > text+far {
			copies = append(copies, copied{int32(text), int32(length), int32(min(first, 1<<31-1))})
		}
		text += length
		if n--; n == 0 {
			break
		}
		if used > 38 {
			if at, used = at-int(used>>3), used&7; at < 0 {
				return 0, errLost
			}
			hold = binary.LittleEndian.Uint64(in[at:])
		}
		more, used = bitsOf(hold, used, toN.bits())
		stateN = toN.next() + more
		more, used = bitsOf(hold, used, toL.bits())
		stateL = toL.next() + more
		more, used = bitsOf(hold, used, toD.bits())
		stateD = toD.next() + more
	}
	c.recent, c.copies = [3]int{first, second, third}, copies
	if plain < 0 || text+plain > maxBlock || at*8+64-int(used) != begin*8 {
		return 0, errLost
	}
	return text + plain, nil
}

// again is one of the distances before, or one less than the last, which comes first then.
// Where there are no literals before the copy, the last itself is not meant. It is 0 if that is
// none.
func again(which, literals, first, second, third int) (int, int, int) {
	if literals == 0 {
		which++
	}
	switch which {
	case 2:
		return second, first, third
	case 3:
		return third, first, second
	case 4:
		if first > unknown/2 { // it could be 1, of which none is left
			return 0, 0, 0
		}
		return first - 1, first, second
	}
	return first, second, third
}

// bitsOf takes the n bits of hold behind those that have been used.
func bitsOf(hold uint64, used, n uint) (x, after uint) {
	return uint(hold << (used & 63) >> 1 >> (^n & 63)), used + n
}

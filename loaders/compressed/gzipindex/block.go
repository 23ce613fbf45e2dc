package gzipindex

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

var (
	errCode     = fmt.Errorf("%w: a block's code", ErrCorrupt)
	errNoCode   = fmt.Errorf("%w: a code that means nothing", ErrCorrupt)
	errDistance = fmt.Errorf("%w: a distance beyond its begin", ErrCorrupt)
)

func (r *Reader) startBlock() {
	if r.lastBlock {
		r.step = (*Reader).trailer
		return
	}
	if r.OnBlock != nil {
		r.OnBlock(r)
	}
	r.lastBlock = r.bits(1) == 1
	symbols, distances := 288, 32
	switch r.bits(2) {
	case 0:
		r.align()
		x := r.bits(32)
		if uint16(x) != ^uint16(x>>16) {
			r.fail(fmt.Errorf("%w: a block whose length fails its check", ErrCorrupt))
		}
		r.storedLeft, r.step = int(uint16(x)), (*Reader).copyStored
		return
	case 1: // the code that the standard fixes
		for i := range r.codeLengths {
			switch {
			case i >= symbols:
				r.codeLengths[i] = 5
			case i < 144, i >= 280:
				r.codeLengths[i] = 8
			case i < 256:
				r.codeLengths[i] = 9
			default:
				r.codeLengths[i] = 7
			}
		}
	case 2:
		symbols, distances = r.readCodeLengths()
	default:
		r.fail(fmt.Errorf("%w: a block of unknown type", ErrCorrupt))
	}
	if r.err != nil {
		return
	}
	var ok, distancesOK bool
	r.symbols, ok = buildTable(r.symbols, r.codeLengths[:symbols], symbolBits, symbolEntry)
	r.distances, distancesOK = buildTable(r.distances, r.codeLengths[symbols:symbols+distances], distanceBits, distanceEntry)
	if !ok || !distancesOK || r.codeLengths[256] == 0 {
		r.fail(errCode)
	}
	r.step = (*Reader).decode
}

func (r *Reader) copyStored() {
	for ; r.storedLeft > 0 && r.n < outEnd; r.storedLeft-- {
		x := r.bits(8)
		if r.err != nil {
			return
		}
		r.out[r.n] = byte(x)
		r.n++
	}
	if r.storedLeft == 0 {
		r.step = (*Reader).startBlock
	}
}

var codeLengthOrder = [...]byte{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// repeats are how often the length codes from 16 on repeat a length: at least so often, and as often more as so many bits say.
var repeats = [...]struct {
	least int
	bits  uint
}{{3, 2}, {3, 3}, {11, 7}}

// readCodeLengths reads the lengths of the codes of a block, which are run-length encoded, and returns how many there are.
func (r *Reader) readCodeLengths() (symbols, distances int) {
	symbols, distances = int(r.bits(5))+257, int(r.bits(5))+1
	var lengths [19]byte
	for _, at := range codeLengthOrder[:r.bits(4)+4] {
		lengths[at] = byte(r.bits(3))
	}
	var ok bool
	if r.lengthCodes, ok = buildTable(r.lengthCodes, lengths[:], lengthCodeBits, literalEntry); !ok || symbols > 286 {
		r.fail(errCode)
	}
	for i := 0; i < symbols+distances && r.err == nil; {
		if r.need(14); r.err != nil {
			break
		}
		e := r.lengthCodes[r.bitBuffer&(1<<lengthCodeBits-1)]
		r.take(e.size())
		l, times := byte(e.value()), 1
		isRepeat := l >= 16 // of the one before, or of 0
		if isRepeat {
			times = repeats[l-16].least + int(r.take(repeats[l-16].bits))
		}
		if e == 0 || l == 16 && i == 0 || i+times > symbols+distances {
			r.fail(errCode)
			break
		}
		switch {
		case l == 16:
			l = r.codeLengths[i-1]
		case isRepeat:
			l = 0
		}
		for range times {
			r.codeLengths[i] = l
			i++
		}
	}
	r.checkOverrun()
	return symbols, distances
}

// decode decompresses until the block ends or out is full. Near the end of the file it checks
// for overrun after every code.
func (r *Reader) decode() {
	for r.n < outEnd && r.err == nil {
		if len(r.in)-r.next < slack {
			if r.readMore(); r.err != nil {
				return
			}
		}
		before, until := r.n, outEnd
		if r.padding > 0 {
			until = before + 1
		}
		ended, err := r.decodeUntil(until)
		if r.checkOverrun(); r.err != nil {
			r.n = before
			return
		}
		if r.err = err; ended {
			r.step = (*Reader).startBlock
			return
		}
	}
}

// decodeUntil decompresses until n reaches until, the block ends or in is used up. All the
// time is spent here, so it works on local copies of the reader's state. 56 bits are enough
// for two literals without subtable and a length; a distance may need more.
func (r *Reader) decodeUntil(until int) (ended bool, err error) {
	in, out := r.in, r.out
	buf, count, next, n := r.bitBuffer, r.bitCount, r.next, r.n
	symbols, distances := r.symbols, r.distances
	memberStart := int(max(0, r.memberStart-r.outOffset)) // in out
	for n < until && next+slack <= len(in) {
		buf |= binary.LittleEndian.Uint64(in[next:]) << (count & 63)
		next, count = next+int((63-count)>>3), count|56
		e := symbols[buf&(1<<symbolBits-1)]
		for range 2 {
			if e.kind() != literal {
				break
			}
			buf, count = buf>>(e.size()&63), count-e.size()
			out[n] = byte(e >> 16)
			n++
			e = symbols[buf&(1<<symbolBits-1)]
		}
		if e.kind() == subtable {
			buf, count = buf>>symbolBits, count-symbolBits
			e = symbols[e.value()+int(buf&(1<<(maxCodeBits-symbolBits)-1))]
		}
		buf, count = buf>>(e.size()&63), count-e.size()
		if e.kind() == literal {
			out[n] = byte(e >> 16)
			n++
			continue
		}
		if e.kind() != match {
			ended = e.kind() == endOfBlock
			break
		}
		length := e.value() + int(buf&(1<<e.extra()-1))
		buf, count = buf>>(e.extra()&63), count-e.extra()
		if count < maxCodeBits+13 { // the most that a distance takes: its code and extra bits
			buf |= binary.LittleEndian.Uint64(in[next:]) << (count & 63)
			next, count = next+int((63-count)>>3), count|56
		}
		e = distances[buf&(1<<distanceBits-1)]
		if e.kind() == subtable {
			buf, count = buf>>distanceBits, count-distanceBits
			e = distances[e.value()+int(buf&(1<<(maxCodeBits-distanceBits)-1))]
		}
		buf, count = buf>>(e.size()&63), count-e.size()
		distance := e.value() + int(buf&(1<<e.extra()-1))
		buf, count = buf>>(e.extra()&63), count-e.extra()
		if e.kind() != match || n-distance < memberStart {
			err = errDistance
			break
		}
		copyMatch(out, n-distance, n, length)
		n += length
	}
	if !ended && err == nil && n < until && next+slack <= len(in) {
		err = errNoCode
	}
	r.bitBuffer, r.bitCount, r.next, r.n = buf, count, next, n
	return ended, err
}

// copyMatch copies text that may overlap its copy.
func copyMatch(out []byte, from, to, length int) {
	if to-from >= length {
		copy(out[to:to+length], out[from:from+length])
		return
	}
	for i := range length {
		out[to+i] = out[from+i]
	}
}

// entry is an entry of a decoding table, indexed by the next bits of the file:
//
//	bits 0-4    length of the code
//	bits 5-7    kind
//	bits 8-12   number of extra bits after it
//	bits 16-31  the literal, the base of the length or distance, or the index of the subtable
//
// 0 means that the bits are no code.
type entry uint32

// The kinds of entries.
const (
	literal    entry = 1 << 5
	subtable   entry = 2 << 5 // the code is longer than the table is wide
	endOfBlock entry = 3 << 5
	match      entry = 4 << 5 // a length or a distance
	kindMask   entry = 7 << 5
)

func (e entry) size() uint  { return uint(e & 31) }
func (e entry) extra() uint { return uint(e >> 8 & 31) }
func (e entry) value() int  { return int(e >> 16) }
func (e entry) kind() entry { return e & kindMask }

// The widths of the tables. Longer codes, which are rare, need a second look-up in a subtable.
const (
	symbolBits     = 10
	distanceBits   = 8
	lengthCodeBits = 7 // no code is longer
	maxCodeBits    = 15
)

// symbolEntry returns the entry of a literal, the end of the block, or a length.
func symbolEntry(n int) entry {
	switch {
	case n < 256:
		return literalEntry(n)
	case n == 256:
		return endOfBlock
	case n == 285:
		return match | maxMatch<<16
	case n > 285:
		return 0
	}
	return rangeEntry(n-257, 4, 3)
}

func distanceEntry(n int) entry {
	if n > 29 {
		return 0
	}
	return rangeEntry(n, 2, 1)
}

// rangeEntry returns the entry of range n of the lengths or distances from least on. Of each size there are so many ranges:
// first of one value, twice as many, then of two, of four and so on.
func rangeEntry(n, ranges, least int) entry {
	extra := max(0, n/ranges-1)
	if extra > 0 {
		n = (ranges + n%ranges) << extra
	}
	return match | entry(extra)<<8 | entry(n+least)<<16
}

// literalEntry returns the entry of a symbol that stands for itself.
func literalEntry(n int) entry { return literal | entry(n)<<16 }

// buildTable builds the table of a canonical Huffman code from the length of each symbol's
// code: 1<<width entries, then the subtables. It reports false if the lengths are no
// complete code. A single code may be incomplete.
func buildTable(table []entry, lengths []byte, width uint, entryOf func(symbol int) entry) ([]entry, bool) {
	var count, next [maxCodeBits + 1]uint32 // by length: codes, and the first of them, then the next
	for _, l := range lengths {
		count[l]++
	}
	code, used := uint32(0), uint32(0)
	for l := 1; l <= maxCodeBits; l++ {
		code <<= 1
		next[l] = code
		code, used = code+count[l], used+count[l]
		if code > 1<<l {
			return table[:0], false
		}
	}
	if code != 1<<maxCodeBits && used > 1 {
		return table[:0], false
	}
	table = append(table[:0], make([]entry, 1<<width)...)
	for symbol, l := range lengths {
		if l == 0 {
			continue
		}
		reversed, length, e := uint(bits.Reverse32(next[l])>>(32-uint(l))), uint(l), entryOf(symbol)
		next[l]++
		if length <= width {
			for at := reversed; at < 1<<width; at += 1 << length {
				table[at] = e | entry(length)
			}
			continue
		}
		prefix, rest := reversed&(1<<width-1), maxCodeBits-width
		if table[prefix] == 0 {
			table[prefix] = subtable | entry(rest)<<8 | entry(len(table))<<16 | entry(width)
			table = append(table, make([]entry, 1<<rest)...)
		}
		sub := table[table[prefix].value():]
		for at := reversed >> width; at < 1<<rest; at += 1 << (length - width) {
			sub[at] = e | entry(length-width)
		}
	}
	return table, true
}

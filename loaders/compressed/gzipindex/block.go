package gzipindex

import (
	"fmt"
	"math/bits"
)

// startBlock reads the header of a block.
func (r *Reader) startBlock() error {
	if r.lastBlock {
		r.state = atTrailer
		return nil
	}
	if r.onBlock != nil {
		r.onBlock(r)
	}
	x, err := r.bits(3)
	if err != nil {
		return err
	}
	r.lastBlock = x&1 == 1
	switch x >> 1 {
	case 0:
		return r.startStored()
	case 1:
		r.state = inCompressed
		return r.fixedTables()
	case 2:
		r.state = inCompressed
		return r.dynamicTables()
	}
	return fmt.Errorf("%w: a block of unknown type", ErrCorrupt)
}

func (r *Reader) startStored() error {
	r.align()
	x, err := r.bits(32)
	if err != nil {
		return err
	}
	if uint16(x) != ^uint16(x>>16) {
		return fmt.Errorf("%w: a block whose length fails its check", ErrCorrupt)
	}
	r.storedLeft, r.state = int(uint16(x)), inStored
	return nil
}

func (r *Reader) copyStored() error {
	for r.storedLeft > 0 && r.n < outEnd {
		x, err := r.bits(8)
		if err != nil {
			return err
		}
		r.out[r.n] = byte(x)
		r.n++
		r.storedLeft--
	}
	if r.storedLeft == 0 {
		r.state = atBlock
	}
	return nil
}

// fixedTables builds the tables of the code that the standard fixes.
func (r *Reader) fixedTables() error {
	for i := range 288 {
		r.codeLengths[i] = fixedLength(i)
	}
	var ok, distancesOK bool
	r.symbols, ok = buildTable(r.symbols, r.codeLengths[:288], symbolBits, symbolEntry)
	for i := range 32 {
		r.codeLengths[i] = 5
	}
	r.distances, distancesOK = buildTable(r.distances, r.codeLengths[:32], distanceBits, distanceEntry)
	if !ok || !distancesOK {
		return ErrCorrupt
	}
	return nil
}

// fixedLength returns the length of a symbol's code in the fixed code.
func fixedLength(symbol int) byte {
	switch {
	case symbol < 144:
		return 8
	case symbol < 256:
		return 9
	case symbol < 280:
		return 7
	}
	return 8
}

// codeLengthOrder is the order in which the lengths of the code length code are written.
var codeLengthOrder = [...]byte{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

var errCode = fmt.Errorf("%w: a block's code", ErrCorrupt)

// dynamicTables reads the code of a block and builds its tables.
func (r *Reader) dynamicTables() error {
	x, err := r.bits(14)
	if err != nil {
		return err
	}
	symbols, distances, n := int(x&31)+257, int(x>>5&31)+1, int(x>>10)+4
	var lengths [19]byte
	for i := range n {
		l, err := r.bits(3)
		if err != nil {
			return err
		}
		lengths[codeLengthOrder[i]] = byte(l)
	}
	var ok bool
	if r.lengthCodes, ok = buildTable(r.lengthCodes, lengths[:], lengthCodeBits, literalEntry); !ok || symbols > 286 {
		return errCode
	}
	if err := r.readCodeLengths(symbols + distances); err != nil {
		return err
	}
	var distancesOK bool
	r.symbols, ok = buildTable(r.symbols, r.codeLengths[:symbols], symbolBits, symbolEntry)
	r.distances, distancesOK = buildTable(r.distances, r.codeLengths[symbols:symbols+distances], distanceBits, distanceEntry)
	if !ok || !distancesOK || r.codeLengths[256] == 0 {
		return errCode
	}
	return nil
}

// readCodeLengths reads the lengths of n codes, which are run-length encoded.
func (r *Reader) readCodeLengths(n int) error {
	for i := 0; i < n; {
		if err := r.need(14); err != nil {
			return err
		}
		e := r.lengthCodes[r.bitBuffer&(1<<lengthCodeBits-1)]
		if e == 0 {
			return errCode
		}
		r.take(e.size())
		l, times := byte(e.value()), 1
		switch l {
		case 16:
			if i == 0 {
				return errCode
			}
			l, times = r.codeLengths[i-1], 3+int(r.take(2))
		case 17:
			l, times = 0, 3+int(r.take(3))
		case 18:
			l, times = 0, 11+int(r.take(7))
		}
		if i+times > n {
			return errCode
		}
		for range times {
			r.codeLengths[i] = l
			i++
		}
	}
	return r.checkOverrun()
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
		return match | 258<<16
	case n > 285:
		return 0
	}
	n -= 257
	if n < 8 {
		return match | entry(n+3)<<16
	}
	extra := n/4 - 1
	return match | entry(extra)<<8 | entry((4+n%4)<<extra+3)<<16
}

// distanceEntry returns the entry of a distance.
func distanceEntry(n int) entry {
	if n > 29 {
		return 0
	}
	if n < 4 {
		return match | entry(n+1)<<16
	}
	extra := n/2 - 1
	return match | entry(extra)<<8 | entry((2+n%2)<<extra+1)<<16
}

// literalEntry returns the entry of a symbol that stands for itself.
func literalEntry(n int) entry { return literal | entry(n)<<16 }

// buildTable builds the table of a canonical Huffman code from the length of each symbol's
// code: 1<<width entries, then the subtables. It reports false if the lengths are no
// complete code. A single code may be incomplete.
func buildTable(table []entry, lengths []byte, width uint, entryOf func(symbol int) entry) ([]entry, bool) {
	next, ok := firstCodes(lengths)
	if !ok {
		return table[:0], false
	}
	table = append(table[:0], make([]entry, 1<<width)...)
	for symbol, l := range lengths {
		if l == 0 {
			continue
		}
		reversed := uint(bits.Reverse32(next[l]) >> (32 - uint(l)))
		next[l]++
		e := entryOf(symbol)
		if uint(l) > width {
			table = addLong(table, reversed, uint(l), width, e)
			continue
		}
		for at := reversed; at < 1<<width; at += 1 << l {
			table[at] = e | entry(l)
		}
	}
	return table, true
}

// firstCodes returns the first code of each length.
func firstCodes(lengths []byte) (first [maxCodeBits + 1]uint32, ok bool) {
	var count [maxCodeBits + 1]int
	for _, l := range lengths {
		count[l]++
	}
	code, used := uint32(0), 0
	for l := 1; l <= maxCodeBits; l++ {
		code <<= 1
		first[l] = code
		code += uint32(count[l])
		used += count[l]
		if code > 1<<l {
			return first, false
		}
	}
	return first, code == 1<<maxCodeBits || used <= 1
}

// addLong adds a code that is longer than width to a subtable.
func addLong(table []entry, reversed, length, width uint, e entry) []entry {
	prefix := reversed & (1<<width - 1)
	rest := maxCodeBits - width
	if table[prefix] == 0 {
		table[prefix] = subtable | entry(rest)<<8 | entry(len(table))<<16 | entry(width)
		table = append(table, make([]entry, 1<<rest)...)
	}
	sub := table[table[prefix].value():]
	for at := reversed >> width; at < 1<<rest; at += 1 << (length - width) {
		sub[at] = e | entry(length-width)
	}
	return table
}

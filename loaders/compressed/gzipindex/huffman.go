package gzipindex

import "math/bits"

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

package inflate

import "math/bits"

// An entry of a table says what the next bits are:
//
//	bits 0-4    how many of them the code takes
//	bits 5-7    kind
//	bits 8-12   how many extra bits follow, of a length or a distance
//	bits 16-31  the byte, the base of the length or distance, or where the next table is
type entry uint32

// The kinds of entries; one that no code leads to is 0.
const (
	literal entry = 1 << 5
	link    entry = 2 << 5 // the code goes on in another table
	end     entry = 3 << 5 // of the block
	pair    entry = 4 << 5 // a length, or a distance
	kinds   entry = 7 << 5
)

func (e entry) size() uint  { return uint(e & 31) }
func (e entry) extra() uint { return uint(e >> 8 & 31) }
func (e entry) value() int  { return int(e >> 16) }
func (e entry) kind() entry { return e & kinds }

// The widths of the first tables: codes that are longer, which are rare, take a second
// look.
const (
	symbolBits   = 10
	distanceBits = 8
	maxCode      = 15 // bits
)

// symbols gives the meanings of the codes of literals and lengths.
func symbol(n int) entry {
	switch {
	case n < 256:
		return literal | entry(n)<<16
	case n == 256:
		return end
	case n == 285:
		return pair | 258<<16
	case n > 285:
		return 0
	}
	n -= 257
	if n < 8 {
		return pair | entry(n+3)<<16
	}
	extra := n/4 - 1
	return pair | entry(extra)<<8 | entry((4+n%4)<<extra+3)<<16
}

func distance(n int) entry {
	if n > 29 {
		return 0
	}
	if n < 4 {
		return pair | entry(n+1)<<16
	}
	extra := n/2 - 1
	return pair | entry(extra)<<8 | entry((2+n%2)<<extra+1)<<16
}

// plainSymbol is the meaning of the codes that lengths of codes are written in.
func plainSymbol(n int) entry { return literal | entry(n)<<16 }

// build makes the tables of a code whose symbols have codes of those lengths: a first
// one of so many bits, and behind it those that its links lead to. It returns no table
// if the lengths are no code. An incomplete one is permitted where it is of one symbol.
func build(dst []entry, lengths []byte, width uint, meaning func(int) entry) ([]entry, bool) {
	var count [maxCode + 1]int
	for _, l := range lengths {
		count[l]++
	}
	count[0] = 0
	var next [maxCode + 2]uint32
	code, used := uint32(0), 0
	for l := 1; l <= maxCode; l++ {
		code <<= 1
		next[l] = code
		code += uint32(count[l])
		used += count[l]
		if code > 1<<l {
			return dst[:0], false
		}
	}
	if code != 1<<maxCode && used > 1 {
		return dst[:0], false
	}
	dst = append(dst[:0], make([]entry, 1<<width)...)
	for n, l := range lengths {
		if l == 0 {
			continue
		}
		reversed := uint(bits.Reverse32(next[l]) >> (32 - uint(l)))
		next[l]++
		e := meaning(n)
		if uint(l) <= width {
			for at := reversed; at < 1<<width; at += 1 << l {
				dst[at] = e | entry(l)
			}
			continue
		}
		dst = long(dst, reversed, uint(l), width, e)
	}
	return dst, true
}

// long enters a code that is longer than the first table is wide.
func long(dst []entry, reversed, l, width uint, e entry) []entry {
	first := reversed & (1<<width - 1)
	const rest = maxCode
	if dst[first] == 0 {
		dst[first] = link | entry(rest-width)<<8 | entry(len(dst))<<16 | entry(width)
		dst = append(dst, make([]entry, 1<<(rest-width))...)
	}
	table := dst[dst[first].value():]
	for at := reversed >> width; at < 1<<(rest-width); at += 1 << (l - width) {
		table[at] = e | entry(l-width)
	}
	return dst
}

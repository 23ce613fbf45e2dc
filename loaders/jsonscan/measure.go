package jsonscan

import (
	"encoding/binary"
	"math/bits"
)

// Counts are the counts of the bytes of a string, without its quotes. The AVX2 loop knows the order
// of its fields.
type Counts struct {
	Bytes        int
	continuation int // bytes that continue a UTF-8 character
	escapes      int // each a backslash and the byte after it
	longEscapes  int // of those, \u and what JSON does not have
}

// Characters returns how many characters the string has once decoded. It is not ok if the string
// has long escapes: two \u may be one character.
func (c Counts) Characters() (n int, ok bool) {
	return c.Bytes - c.continuation - c.escapes, c.longEscapes == 0
}

// MeasureString counts the bytes of the string that begins at p[0], after its opening quote, up to its closing one. It is not ok
// if p has none, or a control character before it: no JSON string holds one, so the quote may be another's. Most of a log is
// model text, so reading spends its time here: with AVX2 or AVX-512 it takes 64 bytes at once, elsewhere 8.
func MeasureString(p []byte) (c Counts, ok bool) {
	stopped := c.add(p)
	return c, stopped && p[c.Bytes] == '"'
}

// add counts up to a quote or a control character, and reports whether there is one.
func (c *Counts) add(p []byte) (stopped bool) {
	n, escaped, stopped := countBlocks(p, c)
	if !stopped {
		n, stopped = countWords(p, n, escaped, c)
	}
	c.Bytes = n
	return stopped
}

// Words of eight equal bytes, to compare eight bytes at once.
const (
	ones     = 0x0101010101010101
	highBits = 0x8080808080808080
	quotes   = '"' * ones
	slashes  = '\\' * ones
	spaces   = ' ' * ones // control characters are smaller
)

// countWords counts from byte n on; escaped says that a backslash before it escapes it. It returns
// the offset at which it stopped, and whether a quote or a control character stands there.
func countWords(p []byte, n int, escaped bool, c *Counts) (end int, stopped bool) {
	for ; n+8 <= len(p); n += 8 {
		w := binary.LittleEndian.Uint64(p[n:])
		if escaped || mayHoldSpecial(w) {
			if end, escaped, stopped = countBytes(p[:n+8], n, escaped, c); stopped {
				return end, true
			}
			continue
		}
		c.continuation += bits.OnesCount64((w >> 7) & ^(w >> 6) & ones)
	}
	end, _, stopped = countBytes(p, n, escaped, c)
	return end, stopped
}

// mayHoldSpecial reports whether one of eight bytes is a quote, a backslash or a control character.
// The borrow of one byte's difference may make it true of others.
func mayHoldSpecial(w uint64) bool {
	q, s := w^quotes, w^slashes
	return ((q-ones)&^q|(s-ones)&^s|(w-spaces)&^w)&highBits != 0
}

// countBytes is countWords byte by byte. It also returns whether the byte after p is escaped.
func countBytes(p []byte, n int, escaped bool, c *Counts) (end int, escapesNext, stopped bool) {
	for ; n < len(p); n++ {
		b := p[n]
		if b < ' ' || b == '"' && !escaped {
			return n, false, true
		}
		if b&0xc0 == 0x80 {
			c.continuation++
		}
		if !escaped {
			escaped = b == '\\'
			continue
		}
		c.escapes++
		if shortEscapes[b] == 0 {
			c.longEscapes++
		}
		escaped = false
	}
	return n, escaped, false
}

// Package quoted measures the strings of JSON without decoding them. Most of a log is
// model text of which nothing is wanted but its end and its length, so this is where
// reading spends its time: on processors with AVX2 64 bytes are looked at together.
package strspan

import (
	"encoding/binary"
	"math/bits"
)

// Count is what stands in the part of a string that has been looked at.
type Count struct {
	Bytes     int // so many, up to the quote
	Continued int // bytes that go on with a character of UTF-8
	Escapes   int // each a backslash and the byte that it stands before
	Odd       int // escapes that are not simple: \u, and those that JSON does not know
}

// Characters returns how many characters the string has once it is decoded; ok is
// false where odd escapes hide it: two of \u may be one character.
func (c Count) Characters() (n int, ok bool) {
	return c.Bytes - c.Continued - c.Escapes, c.Odd == 0
}

// Measure counts what stands in p before the quote that ends the string whose first
// byte p[0] is. It returns false if there is no such quote, or if a control character
// stands before it: JSON has none in a string, so that the quote may be another's.
func Measure(p []byte) (c Count, ok bool) {
	done := c.look(p)
	return c, done && p[c.Bytes] == '"'
}

// Whole counts what stands in a string of which p is all, without its quotes. It
// returns false if a quote or a control character stands in it.
func Whole(p []byte) (c Count, ok bool) {
	done := c.look(p)
	return c, !done
}

// look counts up to a quote or a control character, and reports whether there is one.
func (c *Count) look(p []byte) (done bool) {
	n, escaped, done := blocks(p, c)
	if !done {
		n, done = measure(p, n, escaped, c)
	}
	c.Bytes = n
	return done
}

// Words of eight equal bytes, for looking at eight bytes together.
const (
	ones     = 0x0101010101010101
	highs    = 0x8080808080808080
	quotes   = '"' * ones
	slashes  = '\\' * ones
	controls = ' ' * ones // and what is below
)

// measure goes on at byte n; escaped says that the byte before is a backslash that
// begins an escape. It returns where it stopped, and whether at a quote or a control
// character.
func measure(p []byte, n int, escaped bool, c *Count) (at int, done bool) {
	for ; n+8 <= len(p); n += 8 {
		w := binary.LittleEndian.Uint64(p[n:])
		if escaped || odd(w) {
			if at, escaped, done = bytewise(p[:n+8], n, escaped, c); done {
				return at, true
			}
			continue
		}
		c.Continued += bits.OnesCount64((w >> 7) & ^(w >> 6) & ones)
	}
	at, _, done = bytewise(p, n, escaped, c)
	return at, done
}

// odd reports whether one of eight bytes is a quote, a backslash or a control
// character; where one is, the borrow may find others.
func odd(w uint64) bool {
	q, s := w^quotes, w^slashes
	return ((q-ones)&^q|(s-ones)&^s|(w-controls)&^w)&highs != 0
}

func bytewise(p []byte, n int, escaped bool, c *Count) (at int, still, done bool) {
	for ; n < len(p); n++ {
		b := p[n]
		if b < ' ' || b == '"' && !escaped {
			return n, false, true
		}
		if b&0xc0 == 0x80 {
			c.Continued++
		}
		if !escaped {
			escaped = b == '\\'
			continue
		}
		c.Escapes++
		if !simple(b) {
			c.Odd++
		}
		escaped = false
	}
	return n, escaped, false
}

// simple reports whether a letter makes an escape of two bytes with a backslash.
func simple(letter byte) bool {
	switch letter {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	default:
		return false
	}
}

package loaders

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strconv"
	"unicode/utf8"
)

// text decodes a JSON string. What has neither escapes nor broken UTF-8 is
// returned as it stands in the line, so it must not be changed or kept.
func (v value) text() []byte {
	if bytes.IndexByte(v.raw, '\\') < 0 && utf8.Valid(v.raw) {
		return v.raw
	}
	return appendText(nil, v.raw)
}

// appendText appends a decoded string. Lone surrogates and broken UTF-8 become
// U+FFFD, an escape that JSON does not know stays as it is.
func appendText(dst, raw []byte) []byte {
	for len(raw) > 0 {
		r, size := nextRune(raw)
		dst = utf8.AppendRune(dst, r)
		raw = raw[size:]
	}
	return dst
}

// Words of eight equal bytes, for counting eight bytes at a time.
const (
	ones    = 0x0101010101010101
	highs   = 0x8080808080808080
	lows    = 0x7f7f7f7f7f7f7f7f
	slashes = '\\' * ones
)

// countRunes returns how many characters a string has, without decoding it: bytes
// that continue none, and an escape as one. Responses are long, and most logs have
// no other length, so this is the busiest loop of reading: 32 bytes at a time where
// there is plain ASCII without escapes, which is nearly everywhere.
func countRunes(raw []byte) int {
	n, next, at := len(raw), 0, 0
	for ; at+32 <= len(raw); at += 32 {
		b := raw[at : at+32 : at+32]
		w0, w1 := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
		w2, w3 := binary.LittleEndian.Uint64(b[16:]), binary.LittleEndian.Uint64(b[24:])
		x0, x1, x2, x3 := w0^slashes, w1^slashes, w2^slashes, w3^slashes
		// where a byte is 0, this has its highest bit set; maybe those above it too
		found := (x0-ones)&^x0 | (x1-ones)&^x1 | (x2-ones)&^x2 | (x3-ones)&^x3
		if (found|w0|w1|w2|w3)&highs != 0 {
			for k, w := range [...]uint64{w0, w1, w2, w3} {
				n, next = countWord(raw, at+8*k, w, n, next)
			}
		}
	}
	for ; at+8 <= len(raw); at += 8 {
		n, next = countWord(raw, at, binary.LittleEndian.Uint64(raw[at:]), n, next)
	}
	for ; at < len(raw); at++ {
		switch c := raw[at]; {
		case c&0xc0 == 0x80:
			n--
		case c == '\\' && at >= next:
			_, size := unescape(raw[at:])
			next = at + size
			n -= size - 1
		}
	}
	return n
}

// countWord takes off n what the eight bytes at at do not count as characters; next is
// where the last escape ended.
func countWord(raw []byte, at int, w uint64, n, next int) (int, int) {
	n -= bits.OnesCount64((w >> 7) & ^(w >> 6) & ones)
	x := w ^ slashes
	for found := ^((x&lows + lows) | x) & highs; found != 0; found &= found - 1 {
		p := at + bits.TrailingZeros64(found)/8
		if p < next {
			continue
		}
		size := 2
		if p+1 == len(raw) || !short[raw[p+1]] {
			_, size = unescape(raw[p:])
		}
		next = p + size
		n -= size - 1
	}
	return n, next
}

// short has the letters that make an escape of two bytes with a backslash.
var short = [256]bool{'n': true, '"': true, '\\': true, 't': true, '/': true, 'r': true, 'b': true, 'f': true}

// nextRune returns the first character of a raw string and its size there.
func nextRune(raw []byte) (rune, int) {
	switch c := raw[0]; {
	case c == '\\':
		return unescape(raw)
	case c < utf8.RuneSelf:
		return rune(c), 1
	default:
		return utf8.DecodeRune(raw)
	}
}

// unescape reads the escape that raw begins with.
func unescape(raw []byte) (r rune, size int) {
	if len(raw) < 2 {
		return '\\', 1
	}
	switch raw[1] {
	case '"', '\\', '/':
		return rune(raw[1]), 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		return unescapeUnicode(raw)
	default:
		return '\\', 1
	}
}

func unescapeUnicode(raw []byte) (r rune, size int) {
	high, ok := hex4(raw)
	if !ok {
		return '\\', 1
	}
	if high < 0xd800 || high > 0xdfff {
		return high, 6
	}
	if low, ok := hex4(raw[6:]); ok && high < 0xdc00 && 0xdc00 <= low && low <= 0xdfff {
		return (high-0xd800)<<10 + (low - 0xdc00) + 0x10000, 12
	}
	return utf8.RuneError, 6
}

// hex4 reads \uXXXX.
func hex4(raw []byte) (rune, bool) {
	if len(raw) < 6 || raw[0] != '\\' || raw[1] != 'u' {
		return 0, false
	}
	var r rune
	for _, c := range raw[2:6] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// maxQuote bounds what a message repeats of a log.
const maxQuote = 40

// quote makes text of a log safe to show in a sentence.
func quote(b []byte) string {
	if len(b) <= maxQuote {
		return strconv.Quote(string(b))
	}
	return strconv.Quote(string(clip(b, maxQuote))) + "…"
}

// clip returns at most n bytes of b, whole characters only.
func clip(b []byte, n int) []byte {
	if len(b) <= n {
		return b
	}
	for i := n; i > n-utf8.UTFMax && i > 0; i-- {
		if utf8.RuneStart(b[i]) {
			return b[:i]
		}
	}
	return b[:n]
}

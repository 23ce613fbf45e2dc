package jsonscan

import (
	"bytes"
	"math"
	"strconv"
	"unicode/utf8"

	"vantage/loaders/jsonscan/strspan"
)

// Text returns a decoded JSON string. Without escapes and broken UTF-8 these are the bytes of the
// record, which the caller must neither change nor keep.
func (v Value) Text() []byte {
	if bytes.IndexByte(v.Raw, '\\') < 0 && utf8.Valid(v.Raw) {
		return v.Raw
	}
	return AppendUnescaped(nil, v.Raw)
}

// AppendUnescaped appends a decoded JSON string to dst. Lone surrogates and broken UTF-8 become
// U+FFFD; escapes that JSON does not have stay as they are.
func AppendUnescaped(dst, raw []byte) []byte {
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 {
			return appendValid(dst, raw)
		}
		r, size := unescape(raw[i:])
		dst = utf8.AppendRune(appendValid(dst, raw[:i]), r)
		raw = raw[i+size:]
	}
}

func appendValid(dst, raw []byte) []byte {
	if utf8.Valid(raw) {
		return append(dst, raw...)
	}
	for _, r := range string(raw) { // each broken byte becomes one U+FFFD
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// CountRunes returns how many characters a JSON string has once decoded.
func CountRunes(raw []byte) int {
	if c, ok := strspan.MeasureAll(raw); ok {
		if n, ok := c.Characters(); ok {
			return n
		}
	}
	n := 0
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 {
			return n + utf8.RuneCount(raw)
		}
		_, size := unescape(raw[i:])
		n += utf8.RuneCount(raw[:i]) + 1
		raw = raw[i+size:]
	}
}

// unescape decodes the escape at the start of raw; size is its length in bytes. A backslash that
// begins no escape stands for itself.
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

// hex4 reads the four digits of \uXXXX at the start of raw.
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

// AppendText appends a text as a JSON string. Bytes from 0x20 on are kept as they are, also those that are no UTF-8.
func AppendText[T string | []byte](dst []byte, s T) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	plain := 0 // where the bytes begin that are not appended yet
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[plain:i]...)
		switch plain = i + 1; c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, `\n`...)
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(append(dst, s[plain:]...), '"')
}

// AppendNumber appends a number as Python's json.dumps writes it: NaN, Infinity and -Infinity as they are, which [Scanner]
// reads and JSON lacks.
func AppendNumber(dst []byte, x float64) []byte {
	switch {
	case math.IsInf(x, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(x, -1):
		return append(dst, "-Infinity"...)
	}
	return strconv.AppendFloat(dst, x, 'g', -1, 64)
}

// AppendEnd closes a list or an object whose elements each have a comma after them: the bracket stands in place of the last one.
func AppendEnd(dst []byte, bracket byte) []byte {
	if n := len(dst) - 1; n >= 0 && dst[n] == ',' {
		dst = dst[:n]
	}
	return append(dst, bracket)
}

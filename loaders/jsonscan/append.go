package jsonscan

import (
	"math"
	"strconv"
)

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

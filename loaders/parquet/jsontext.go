package parquet

import (
	"bytes"
	"math"
	"strconv"

	"vantage/loaders/jsonscan"
)

// appendJSON appends a scalar.
func appendJSON(dst []byte, v jsonscan.Value) []byte {
	switch {
	case v.Kind == jsonscan.Null:
		return append(dst, "null"...)
	case v.Kind == jsonscan.Bool:
		return append(dst, v.Raw...)
	case v.Kind == jsonscan.String:
		return appendString(dst, v.Text())
	case math.IsInf(v.Float, 0):
		if v.Float < 0 {
			dst = append(dst, '-')
		}
		return append(dst, "Infinity"...)
	}
	return strconv.AppendFloat(dst, v.Float, 'g', -1, 64)
}

// appendString appends a text in quotes.
func appendString(dst, text []byte) []byte {
	dst = append(dst, '"')
	for {
		i := bytes.IndexFunc(text, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' })
		if i < 0 {
			return append(append(dst, text...), '"')
		}
		dst = append(dst, text[:i]...)
		switch c := text[i]; c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, `\n`...)
		default:
			const hex = "0123456789abcdef"
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		text = text[i+1:]
	}
}

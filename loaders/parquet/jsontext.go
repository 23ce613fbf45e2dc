package parquet

import (
	"vantage/loaders/jsonscan"
)

// appendJSON appends a scalar.
func appendJSON(dst []byte, v jsonscan.Value) []byte {
	switch v.Kind {
	case jsonscan.Null:
		return append(dst, "null"...)
	case jsonscan.Bool:
		return append(dst, v.Raw...)
	case jsonscan.String:
		return jsonscan.AppendText(dst, v.Text())
	default:
		return jsonscan.AppendNumber(dst, v.Float)
	}
}

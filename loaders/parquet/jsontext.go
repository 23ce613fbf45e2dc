package parquet

import (
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
		return jsonscan.AppendText(dst, v.Text())
	}
	return jsonscan.AppendNumber(dst, v.Float)
}

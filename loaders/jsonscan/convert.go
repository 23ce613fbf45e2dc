package jsonscan

import (
	"bytes"
	"math"
	"strconv"

	"vantage/estimators"
)

// ToFloat reads a number as trainers write it: as a number, a truth value, a text ("0.5", "nan",
// "-inf") or a list of one of these. Null is a missing reward.
func (v Value) ToFloat() (float64, bool) {
	switch v.Kind {
	case Number, String:
		// Out of range is no error here: 1e999 is +Inf, as Python reads it.
		x, err := strconv.ParseFloat(string(bytes.TrimSpace(v.Raw)), 64)
		return x, err == nil || math.IsInf(x, 0)
	case ComputedNumber:
		return v.Float, true
	case Bool:
		if v.Raw[0] == 't' {
			return 1, true
		}
		return 0, true
	case Null:
		return estimators.MissingReward(), true
	case Array:
		element, ok := v.Single()
		if !ok || element.Kind == Array {
			return 0, false
		}
		return element.ToFloat()
	default:
		return 0, false
	}
}

// ToInt reads a step or a length: an integer, also one written as 7.0, "7" or [7].
func (v Value) ToInt() (int64, bool) {
	if v.Kind == Number || v.Kind == String {
		if n, err := strconv.ParseInt(string(bytes.TrimSpace(v.Raw)), 10, 64); err == nil {
			return n, true
		}
	}
	if v.Kind == Null || v.Kind == Bool {
		return 0, false
	}
	x, ok := v.ToFloat()
	const maxExact = 1 << 53
	if !ok || x != math.Trunc(x) || math.Abs(x) > maxExact {
		return 0, false
	}
	return int64(x), true
}

// ToAdvantage reads an advantage, NaN if there is none. Of a list, one per token, it returns the
// first that is not zero: prompts and padding are masked with zeros.
func (v Value) ToAdvantage() float64 {
	if v.Kind != Array {
		if x, ok := v.ToFloat(); ok && v.Kind != Null {
			return x
		}
		return math.NaN()
	}
	first := math.NaN()
	v.EachElement(func(e Value) {
		if x := e.ToAdvantage(); first == 0 || math.IsNaN(first) {
			first = x
		}
	})
	return first
}

// FromFloat returns a number that has no text in the record.
func FromFloat(x float64) Value { return Value{Kind: ComputedNumber, Float: x} }

// FromText returns plain text as a JSON string: backslashes are escaped, since they begin no
// escapes there. Text without any is not copied.
func FromText(text []byte) Value {
	if bytes.IndexByte(text, '\\') >= 0 {
		text = bytes.ReplaceAll(text, []byte{'\\'}, []byte(`\\`))
	}
	return Value{Kind: String, Raw: text}
}

// Literal returns v with the text that a JSON log would have: group ids and ground truths are
// compared by their bytes.
func (v Value) Literal() Value {
	if v.Kind != ComputedNumber {
		return v
	}
	return Value{Kind: Number, Raw: strconv.AppendFloat(nil, v.Float, 'f', -1, 64)}
}

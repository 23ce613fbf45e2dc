package jsonscan

import (
	"bytes"
	"math"
	"strconv"

	"vantage/estimators"
)

// ToFloat reads a number that a trainer wrote as a number, a truth value, a
// text ("0.5", "nan", "-inf") or a list of one of these. Null is a number that
// is missing.
func (v Value) ToFloat() (float64, bool) {
	switch v.Kind {
	case Number, String:
		// Out of range is not an error here: 1e999 is +Inf, as Python reads it.
		x, err := strconv.ParseFloat(string(bytes.TrimSpace(v.Raw)), 64)
		return x, err == nil || math.IsInf(x, 0)
	case Float:
		return v.Float, true
	case Bool:
		if v.Raw[0] == 't' {
			return 1, true
		}
		return 0, true
	case Null:
		return estimators.MissingReward(), true
	case Array:
		one, ok := v.Single()
		if !ok || one.Kind == Array {
			return 0, false
		}
		return one.ToFloat()
	default:
		return 0, false
	}
}

// Single returns the element of a list that has one.
func (v Value) Single() (one Value, ok bool) {
	n := 0
	EachElement(v, func(e Value) {
		one = e
		n++
	})
	return one, n == 1
}

// ToInt reads a step or a length: an integer, however it is written.
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
	const exact = 1 << 53
	if !ok || x != math.Trunc(x) || math.Abs(x) > exact {
		return 0, false
	}
	return int64(x), true
}

// ToAdvantage reads an advantage; of one per token it takes the first that is
// not zero, since prompts and padding are masked with zeros.
func (v Value) ToAdvantage() float64 {
	if v.Kind != Array {
		if x, ok := v.ToFloat(); ok && v.Kind != Null {
			return x
		}
		return math.NaN()
	}
	first := math.NaN()
	EachElement(v, func(e Value) {
		if x := e.ToAdvantage(); first == 0 || math.IsNaN(first) {
			first = x
		}
	})
	return first
}

// Len returns how many elements a list has.
func (v Value) Len() int {
	n := 0
	EachElement(v, func(Value) { n++ })
	return n
}

// FromFloat is a number that was not in the log as such.
func FromFloat(x float64) Value { return Value{Kind: Float, Float: x} }

// Literal is the value as a log would have it in text: names and truths are told
// apart by their bytes.
func (v Value) Literal() Value {
	if v.Kind != Float {
		return v
	}
	return Value{Kind: Number, Raw: strconv.AppendFloat(nil, v.Float, 'f', -1, 64)}
}

package loaders

import (
	"bytes"
	"math"
	"strconv"

	"vantage/estimators"
)

// toFloat reads a number that a trainer wrote as a number, a truth value, a
// text ("0.5", "nan", "-inf") or a list of one of these. Null is a number that
// is missing.
func (v value) toFloat() (float64, bool) {
	switch v.kind {
	case number, text:
		// Out of range is not an error here: 1e999 is +Inf, as Python reads it.
		x, err := strconv.ParseFloat(string(bytes.TrimSpace(v.raw)), 64)
		return x, err == nil || math.IsInf(x, 0)
	case real:
		return v.x, true
	case boolean:
		if v.raw[0] == 't' {
			return 1, true
		}
		return 0, true
	case null:
		return estimators.MissingReward(), true
	case list:
		one, ok := v.single()
		if !ok || one.kind == list {
			return 0, false
		}
		return one.toFloat()
	default:
		return 0, false
	}
}

// single returns the element of a list that has one.
func (v value) single() (one value, ok bool) {
	n := 0
	eachElement(v, func(e value) {
		one = e
		n++
	})
	return one, n == 1
}

// toInt reads a step or a length: an integer, however it is written.
func (v value) toInt() (int64, bool) {
	if v.kind == number || v.kind == text {
		if n, err := strconv.ParseInt(string(bytes.TrimSpace(v.raw)), 10, 64); err == nil {
			return n, true
		}
	}
	if v.kind == null || v.kind == boolean {
		return 0, false
	}
	x, ok := v.toFloat()
	const exact = 1 << 53
	if !ok || x != math.Trunc(x) || math.Abs(x) > exact {
		return 0, false
	}
	return int64(x), true
}

// toAdvantage reads an advantage; of one per token it takes the first that is
// not zero, since prompts and padding are masked with zeros.
func (v value) toAdvantage() float64 {
	if v.kind != list {
		if x, ok := v.toFloat(); ok && v.kind != null {
			return x
		}
		return math.NaN()
	}
	first := math.NaN()
	eachElement(v, func(e value) {
		if x := e.toAdvantage(); first == 0 || math.IsNaN(first) {
			first = x
		}
	})
	return first
}

// count returns how many elements a list has.
func (v value) count() int {
	n := 0
	eachElement(v, func(value) { n++ })
	return n
}

// floatValue is a number that was not in the log as such.
func floatValue(x float64) value { return value{kind: real, x: x} }

// written is the value as a log would have it in text: names and truths are told
// apart by their bytes.
func (v value) written() value {
	if v.kind != real {
		return v
	}
	return value{kind: number, raw: strconv.AppendFloat(nil, v.x, 'f', -1, 64)}
}

package logprobs

import (
	"bytes"
	"math"
	"strconv"

	"vantage/estimators/offpolicy"
	"vantage/loaders/jsonscan"
)

// floats are the numbers of a list, NaN for what is not one; nil if v is no list. A list of one list is that list.
func floats(v jsonscan.Value) []float32 {
	if v.Kind != jsonscan.Array {
		return nil
	}
	if inner := bytes.TrimSpace(v.Raw[1 : len(v.Raw)-1]); bytes.HasPrefix(inner, []byte("[")) {
		if bytes.IndexByte(inner, ']') == len(inner)-1 {
			v.Raw = inner
		} else if one, ok := v.Single(); ok {
			v = one
		}
	}
	if out, ok := plainFloats(v.Raw); ok {
		return out
	}
	out := make([]float32, 0, len(v.Raw)/bytesOfNumber)
	v.EachElement(func(e jsonscan.Value) {
		x, ok := e.ToFloat()
		if !ok || e.Kind == jsonscan.Array && e.Len() != 1 {
			x = offpolicy.NoAdvantage()
		}
		out = append(out, float32(x))
	})
	return out
}

// bytesOfNumber is about how many bytes a number has, with its comma.
const bytesOfNumber = 8

// plainFloats are the numbers of a list that has nothing else, as nearly all have: to look for other values takes several times as long.
func plainFloats(list []byte) (out []float32, ok bool) {
	out = make([]float32, 0, len(list)/bytesOfNumber)
	list = bytes.TrimSpace(list[1 : len(list)-1])
	for len(list) > 0 {
		n := bytes.IndexByte(list, ',')
		if n < 0 {
			n = len(list)
		}
		x, ok := decimal(bytes.TrimSpace(list[:n]))
		if !ok || n == len(list)-1 {
			return nil, false
		}
		out = append(out, float32(x))
		list = list[min(n+1, len(list)):]
	}
	return out, true
}

// decimal is the number of a text. A quotient of whole numbers that float64 holds exactly is the nearest float64, as strconv has it.
func decimal(text []byte) (x float64, ok bool) {
	whole, digits, point := uint64(0), 0, -1
	for i, c := range text {
		switch {
		case c >= '0' && c <= '9':
			whole, digits = 10*whole+uint64(c-'0'), digits+1
		case c == '.' && point < 0:
			point = digits
		case c == '-' && i == 0:
		default:
			return anyDecimal(text)
		}
	}
	if digits > maxDigits || digits == 0 {
		return anyDecimal(text)
	}
	if x = float64(whole); point >= 0 {
		x /= powersOfTen[digits-point]
	}
	if text[0] == '-' {
		x = -x
	}
	return x, true
}

// anyDecimal is decimal of any length, and with an exponent.
func anyDecimal(text []byte) (x float64, ok bool) {
	if len(bytes.Trim(text, "0123456789+-.eE")) > 0 {
		return 0, false
	}
	x, err := strconv.ParseFloat(string(text), 64)
	return x, err == nil || math.IsInf(x, 0)
}

// maxDigits of a decimal number are a whole number that float64 holds exactly.
const maxDigits = 15

var powersOfTen = [maxDigits + 1]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// truths are numbers as a mask; nil if there are none.
func truths(numbers []float32) []bool {
	if numbers == nil {
		return nil
	}
	out := make([]bool, len(numbers))
	for i, x := range numbers {
		out[i] = x > 0
	}
	return out
}

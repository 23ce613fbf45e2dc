package logprobs

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"vantage/estimators/offpolicy"
	"vantage/loaders/jsonscan"
)

// floats are the numbers of a list, NaN for what is not one; nil if v is no list. A list of one list is that list.
func floats(v jsonscan.Value) []float32 {
	if v.Kind != jsonscan.Array {
		return nil
	}
	v = unwrapped(v)
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

// unwrapped is the list within a list of one, else the list.
func unwrapped(v jsonscan.Value) jsonscan.Value {
	inner := bytes.TrimSpace(v.Raw[1 : len(v.Raw)-1])
	if !bytes.HasPrefix(inner, []byte("[")) {
		return v
	}
	if bytes.IndexByte(inner, ']') == len(inner)-1 {
		v.Raw = inner
	} else if one, ok := v.Single(); ok {
		return one
	}
	return v
}

// bytesOfNumber is about how many bytes a number has, with its comma.
const bytesOfNumber = 8

// plainFloats are the numbers of a list that has nothing else, as nearly all have: to look for other values takes several times as long.
func plainFloats(list []byte) (out []float32, ok bool) {
	out = make([]float32, 0, len(list)/bytesOfNumber)
	list = bytes.TrimSpace(list[1 : len(list)-1])
	for len(list) > 0 {
		x, n := decimal(list)
		if n == 0 {
			return nil, false
		}
		out = append(out, x)
		switch list = bytes.TrimLeft(list[n:], " "); {
		case len(list) == 0:
			return out, true
		case list[0] != ',' || len(list) == 1:
			return nil, false
		}
		if list = list[1:]; list[0] == ' ' {
			list = bytes.TrimLeft(list, " ")
		}
	}
	return out, true
}

// plainAt is the number at a place of a list of numbers; ok is false if something else comes before, or the list ends.
func plainAt(list []byte, place int) (x float32, ok bool) {
	list = list[1 : len(list)-1]
	for ; place > 0; place-- {
		n := bytes.IndexByte(list, ',')
		if n < 0 || bytes.ContainsAny(list[:n], `"[{`) {
			return 0, false
		}
		list = list[n+1:]
	}
	list = bytes.TrimLeft(list, " ")
	x, n := decimal(list)
	rest := bytes.TrimLeft(list[n:], " ")
	return x, n > 0 && (len(rest) == 0 || rest[0] == ',')
}

// decimal is the number that a text begins with, and its length; 0 if it begins with none. Its value is that of strconv: a quotient of
// whole numbers is off by a few units of float64, which matters between two float32 alone.
func decimal(text []byte) (x float32, length int) {
	d := digitsOf(text)
	isDone := d.end == len(text) || text[d.end] == ',' || text[d.end] == ' '
	isPlain := d.count <= maxDigits && d.decimals < len(powersOfTen) && d.isNumber
	if !isDone || !isPlain {
		return anyDecimal(text)
	}
	y := float64(d.whole) / powersOfTen[d.decimals]
	const low = 1<<29 - 1 // bits that float32 lacks
	if between := math.Float64bits(y) & low; between > 1<<28-8 && between < 1<<28+8 {
		return anyDecimal(text)
	}
	if text[0] == '-' {
		y = -y
	}
	return float32(y), d.end
}

// digits are those that a text begins with, after a sign.
type digits struct {
	whole    uint64 // without the point
	count    int    // from the first that is not 0
	decimals int    // after the point
	end      int    // where they end
	isNumber bool   // there is one
}

func digitsOf(text []byte) (d digits) {
	i, point := 0, -1
	if len(text) > 0 && text[0] == '-' {
		i = 1
	}
	from := i
	for ; i < len(text); i++ {
		c := text[i] - '0'
		if c <= 9 {
			if d.whole = 10*d.whole + uint64(c); d.whole > 0 {
				d.count++
			}
			continue
		}
		if text[i] != '.' || point >= 0 {
			break
		}
		point = i
	}
	d.end, d.isNumber = i, i > from
	if point >= 0 {
		d.decimals, d.isNumber = i-point-1, i > from+1
	}
	return d
}

// anyDecimal is decimal of any length, and with an exponent.
func anyDecimal(text []byte) (x float32, length int) {
	for length < len(text) && strings.IndexByte("0123456789+-.eE", text[length]) >= 0 {
		length++
	}
	y, err := strconv.ParseFloat(string(text[:length]), 64)
	if err != nil && !math.IsInf(y, 0) {
		return 0, 0
	}
	return float32(y), length
}

// maxDigits of a decimal number fit into 64 bits.
const maxDigits = 19

var powersOfTen = [23]float64{
	1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

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

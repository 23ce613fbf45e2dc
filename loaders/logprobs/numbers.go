package logprobs

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
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
	out := make([]float32, 0, min(bytes.Count(v.Raw, comma)+1, len(v.Raw)/2))
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

// plainFloats are the numbers of a list that has nothing else, as nearly all have: to look for other values takes several times as long.
func plainFloats(list []byte) (out []float32, ok bool) {
	list = bytes.TrimSpace(list[1 : len(list)-1])
	out = make([]float32, 0, min(bytes.Count(list, comma), len(list)/2)+1)
	for i := 0; i < len(list); {
		x, n := decimal(list[i:])
		if n == 0 {
			return nil, false
		}
		out = append(out, x)
		if i = next(list, i+n); i < 0 {
			return nil, false
		}
	}
	return out, true
}

// plainTruths are the numbers of a list of 0 and 1 alone, as of most masks.
func plainTruths(list []byte) (out []bool, ok bool) {
	list = bytes.TrimSpace(list[1 : len(list)-1])
	out = make([]bool, 0, min(bytes.Count(list, comma), len(list)/2)+1)
	for i := 0; i < len(list); {
		digit := list[i] - '0'
		if digit > 1 {
			return nil, false
		}
		out = append(out, digit == 1)
		if i = next(list, i+1); i < 0 {
			return nil, false
		}
	}
	return out, true
}

var comma = []byte{','}

// next is where the value of a list begins after one that ends at i: at the end of the list after the last, −1 if something else follows.
func next(list []byte, i int) int {
	for i < len(list) && list[i] == ' ' {
		i++
	}
	if i == len(list) {
		return i
	}
	if list[i] != ',' {
		return -1
	}
	for i++; i < len(list) && list[i] == ' '; {
		i++
	}
	if i == len(list) {
		return -1
	}
	return i
}

// plainAt is the number at a place of a list of numbers; ok is false if something else comes before, or the list ends.
func plainAt(list []byte, place int) (x float32, ok bool) {
	list = list[1 : len(list)-1]
	all := list
	for ; place > 0; place-- {
		n := bytes.IndexByte(list, ',')
		if n < 0 {
			return 0, false
		}
		list = list[n+1:]
	}
	if before := all[:len(all)-len(list)]; hasOther(before) {
		return 0, false
	}
	list = bytes.TrimLeft(list, " ")
	x, n := decimal(list)
	rest := bytes.TrimLeft(list[n:], " ")
	return x, n > 0 && (len(rest) == 0 || rest[0] == ',')
}

// hasOther reports whether a part of a list has texts, lists or objects.
func hasOther(list []byte) bool {
	for _, begin := range []byte(`"[{`) {
		if bytes.IndexByte(list, begin) >= 0 {
			return true
		}
	}
	return false
}

// decimal is the number that a text begins with, and its length; 0 if it begins with none. Its value is that of strconv.
func decimal(text []byte) (x float32, length int) {
	if len(text) > 1 && text[0] == '0' && text[1] == ',' {
		return 0, 1 // of a prompt, and of padding
	}
	whole, decimals, end := fraction(text)
	if end == 0 || text[end] != ',' && text[end] != ' ' {
		d := digitsOf(text)
		if !d.arePlain(text) {
			return anyDecimal(text)
		}
		whole, decimals, end = d.whole, d.decimals, d.end
	}
	y := float64(whole) / powersOfTen[decimals]
	if !isSure(y) {
		return anyDecimal(text)
	}
	if text[0] == '-' {
		y = -y
	}
	return float32(y), end
}

// isSure reports whether the float32 of a quotient of whole numbers is that of the number itself: the quotient is off by a few units of
// float64, which matters between two float32 alone, and where these have fewer bits.
func isSure(y float64) bool {
	const low = 1<<29 - 1   // bits that float32 lacks
	const normal = 0x1p-126 // least number of float32 that has all others
	between := math.Float64bits(y) & low
	return (between <= 1<<28-8 || between >= 1<<28+8) && (y >= normal || y == 0)
}

// fraction is a number as most log-probs are written: a digit, the point, and 8 to 19 digits more, with as many bytes behind as are looked
// at together. Without its sign and the point it is whole; end is 0 for any other.
func fraction(text []byte) (whole uint64, decimals, end int) {
	const looked = 2 + 24
	if len(text) > looked && text[0] == '-' {
		text, end = text[1:], 1
	}
	if len(text) < looked {
		return 0, 0, 0
	}
	first := uint64(text[0] - '0')
	a := binary.LittleEndian.Uint64(text[2:]) ^ zeroDigits
	b := binary.LittleEndian.Uint64(text[10:]) ^ zeroDigits
	if first > 9 || text[1] != '.' || leadingDigits(a) < 8 {
		return 0, 0, 0
	}
	n := leadingDigits(b)
	whole, decimals = (first*1e8+eightDigits(a))*wholePowers[n]+eightDigits(b<<(8*(8-n))), 8+n
	if n == 8 {
		c := binary.LittleEndian.Uint64(text[18:]) ^ zeroDigits
		n = leadingDigits(c)
		most := 3 // 19 digits fit
		if first > 0 {
			most = 2
		}
		if n > most {
			return 0, 0, 0
		}
		whole, decimals = whole*wholePowers[n]+eightDigits(c<<(8*(8-n))), decimals+n
	}
	return whole, decimals, end + 2 + decimals
}

// digits are those that a text begins with, after a sign.
type digits struct {
	whole    uint64 // without the point
	count    int    // from the first that is not 0
	decimals int    // after the point, and by how much an exponent moves it
	end      int    // where they end
	isNumber bool   // there is one
}

// arePlain reports whether the digits of a text are a number of a list, and fit.
func (d *digits) arePlain(text []byte) bool {
	isDone := d.end == len(text) || text[d.end] == ',' || text[d.end] == ' '
	return isDone && d.isNumber && d.count <= maxDigits && d.decimals < len(powersOfTen)
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
			if d.whole = 10*d.whole + uint64(c); d.whole > 0 || d.count > 0 {
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
	if d.isNumber && d.end < len(text) && text[d.end] == 'e' {
		d.shrink(text)
	}
	return d
}

// shrink takes an exponent of one or two digits below 0.
func (d *digits) shrink(text []byte) {
	if d.end+2 >= len(text) || text[d.end+1] != '-' {
		return // not the end of the number
	}
	exponent, i := 0, d.end+2
	for ; i < len(text) && i < d.end+4 && text[i]-'0' <= 9; i++ {
		exponent = 10*exponent + int(text[i]-'0')
	}
	if i > d.end+2 {
		d.decimals, d.end = d.decimals+exponent, i
	}
}

// zeroDigits is eight digits 0.
const zeroDigits = 0x3030303030303030

// leadingDigits is how many of eight bytes are digits, before one that is none. The word has of each the distance from 0.
func leadingDigits(word uint64) int {
	const tooLarge, top = 0x7676767676767676, 0x8080808080808080
	return bits.TrailingZeros64((word+tooLarge|word)&top) / 8
}

// eightDigits is the number of eight digits, of which the first is the lowest byte: of pairs, of pairs of pairs, and of both.
func eightDigits(word uint64) uint64 {
	const ends = 0x000000FF000000FF
	word = word*10 + word>>8
	return (word&ends*(100+1_000_000<<32) + word>>16&ends*(1+10_000<<32)) >> 32
}

// wholePowers are 10⁰ to 10⁸.
var wholePowers = [9]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8}

// anyDecimal is decimal of any length, and with any exponent.
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

var powersOfTen = [...]float64{
	1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
	1e23, 1e24, 1e25, 1e26, 1e27, 1e28, 1e29, 1e30, 1e31, 1e32, 1e33, 1e34, 1e35, 1e36, 1e37, 1e38, 1e39, 1e40, 1e41, 1e42, 1e43,
}

// maskOf are the numbers of a list as a mask: nil if there are none.
func maskOf(v jsonscan.Value) []bool {
	if v.Kind == jsonscan.Array {
		if out, ok := plainTruths(unwrapped(v).Raw); ok {
			return out
		}
	}
	return truths(floats(v))
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

package pages

import (
	"encoding/binary"
	"math"
	"math/big"
	"strconv"

	"vantage/loaders/half"
)

// NumberFormat says which number the bytes of a value are.
type NumberFormat struct {
	physical int
	width    int // in bytes, 0 if it varies
	meaning  meaning
	scale    int // of a decimal: how many of its digits are decimals
}

// meaning is what a logical type makes of a physical one.
type meaning int

const (
	asStored meaning = iota
	unsigned         // an integer without a sign
	decimal          // an integer over a power of ten
	float16
)

// IsNumber reports whether values of the column are numbers, whether or not this package reads them.
func (f NumberFormat) IsNumber() bool { return f.meaning != asStored || f.width > 0 }

// newNumberFormat returns the format of a leaf of the schema, zero if its values are no numbers.
func newNumberFormat(e *element) NumberFormat {
	f := NumberFormat{physical: e.physical, meaning: e.meaning, scale: e.scale}
	switch e.physical {
	case typeInt32, typeFloat:
		f.width = 4
	case typeInt64, typeDouble:
		f.width = 8
	case typeFixedByteArray:
		if f.meaning == decimal && e.length > 0 && e.length <= maxDecimalWidth || f.meaning == float16 && e.length == 2 {
			f.width = e.length
			return f
		}
		return NumberFormat{}
	case typeByteArray:
		if f.meaning == decimal {
			return f
		}
		return NumberFormat{}
	default:
		return NumberFormat{}
	}
	if isFloat := e.physical == typeFloat || e.physical == typeDouble; isFloat || f.meaning == float16 {
		f.meaning = asStored
	}
	return f
}

// plain returns the number that data begins with, in plain encoding.
func (f *NumberFormat) plain(data []byte) float64 {
	switch f.physical {
	case typeInt32:
		return f.FromInt32(int32(binary.LittleEndian.Uint32(data)))
	case typeInt64:
		return f.FromInt64(int64(binary.LittleEndian.Uint64(data)))
	case typeFloat:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(data)))
	case typeDouble:
		return math.Float64frombits(binary.LittleEndian.Uint64(data))
	}
	return f.FromBytes(data[:f.width])
}

// FromInt32 returns the number that an INT32 is.
func (f *NumberFormat) FromInt32(n int32) float64 {
	if f.meaning == unsigned {
		return float64(uint32(n))
	}
	if f.meaning == decimal {
		return decimalOf(int64(n), f.scale)
	}
	return float64(n)
}

// FromInt64 returns the number that an INT64 is.
func (f *NumberFormat) FromInt64(n int64) float64 {
	if f.meaning == unsigned {
		return float64(uint64(n))
	}
	if f.meaning == decimal {
		return decimalOf(n, f.scale)
	}
	return float64(n)
}

// FromBytes returns the number that a byte array is: a float16, or a decimal in big-endian two's
// complement.
func (f *NumberFormat) FromBytes(b []byte) float64 {
	if f.meaning == float16 && len(b) == 2 {
		return half.Float64(binary.LittleEndian.Uint16(b))
	}
	if len(b) == 0 || len(b) > maxDecimalWidth {
		return math.NaN()
	}
	sign := byte(int8(b[0]) >> 7)
	for len(b) > 1 && b[0] == sign && byte(int8(b[1])>>7) == sign {
		b = b[1:]
	}
	if len(b) <= 8 {
		n := int64(int8(sign))
		for _, c := range b {
			n = n<<8 | int64(c)
		}
		return decimalOf(n, f.scale)
	}
	n := new(big.Int).SetBytes(b)
	if sign != 0 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	return parseDecimal(n.Append(nil, 10), f.scale)
}

// maxDecimalWidth is more bytes than any decimal has; converting megabytes would take minutes.
const maxDecimalWidth = 256

// maxExact is the largest integer up to which a float64 represents all of them exactly.
const maxExact = 1 << 53

// exactPowers are the powers of ten that a float64 represents exactly.
var exactPowers = [...]float64{
	1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// decimalOf returns the float64 next to n / 10^scale: one division rounds it correctly if both are exact.
func decimalOf(n int64, scale int) float64 {
	if -maxExact <= n && n <= maxExact && 0 <= scale && scale < len(exactPowers) {
		return float64(n) / exactPowers[scale]
	}
	return parseDecimal(strconv.AppendInt(nil, n, 10), scale)
}

func parseDecimal(digits []byte, scale int) float64 {
	x, _ := strconv.ParseFloat(string(strconv.AppendInt(append(digits, 'e'), -int64(scale), 10)), 64)
	return x
}

// joinStreams returns values of that width in plain encoding, which BYTE_STREAM_SPLIT stores with the
// first bytes of all of them first, then the second bytes.
func joinStreams(data []byte, width int) []byte {
	n := len(data) / width
	joined := make([]byte, n*width)
	for i := range joined {
		joined[i] = data[i%width*n+i/width]
	}
	return joined
}

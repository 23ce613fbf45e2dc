package pages

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"

	"vantage/loaders/jsonscan"
)

var errTruncated = fmt.Errorf("%w: a page ends early", ErrBroken)

// decodeHybrid appends n values of the RLE/bit-packing hybrid encoding: levels, bools, or indexes into a dictionary. A run of it is
// a value that repeats, or packed values, lowest bits first.
func decodeHybrid(dst []int32, data []byte, width, n int) ([]int32, error) {
	if width == 0 {
		return append(dst, make([]int32, n)...), nil
	}
	if width > maxBitWidth {
		return dst, fmt.Errorf("%w: values of %d bits", ErrBroken, width)
	}
	for n > 0 {
		head, used := binary.Uvarint(data)
		if used <= 0 || head>>1 == 0 {
			return dst, errTruncated
		}
		isPacked, count, size := head&1 == 1, int(min(head>>1, uint64(n))), (width+7)/8
		if isPacked { // groups of eight values
			groups := int(min(head>>1, uint64(n+7)/8))
			count, size = min(groups*8, n), groups*width
		}
		if data = data[used:]; size > len(data) {
			return dst, errTruncated
		}
		if isPacked {
			dst = unpackBits(dst, data[:size], width, count)
		} else {
			var x uint64
			for i, b := range data[:size] {
				x |= uint64(b) << (8 * i)
			}
			value := int32(x & (1<<width - 1))
			dst = slices.Grow(dst, count)
			for range count {
				dst = append(dst, value)
			}
		}
		data, n = data[size:], n-count
	}
	return dst, nil
}

// maxBitWidth bounds the bit width that a page declares.
const maxBitWidth = 32

// unpackBits appends count bit-packed values.
func unpackBits(dst []int32, data []byte, width, count int) []int32 {
	mask := uint64(1)<<width - 1
	var bits uint64
	have := 0
	for range count {
		for have < width {
			bits |= uint64(data[0]) << have
			data, have = data[1:], have+8
		}
		dst = append(dst, int32(bits&mask))
		bits, have = bits>>width, have-width
	}
	return dst
}

var errDelta = fmt.Errorf("%w: a page of differences does not match its header", ErrBroken)

// A block of differences has few values in all writers, and a byte of a page stands for a few more: 128 values that are
// alike take at least two.
const (
	maxDeltaBlock = 1 << 16
	valuesPerByte = 64
)

// deltaHead begins a page of differences.
type deltaHead struct {
	block, parts int // integers in a block, and parts of a block
	total        uint64
	first        int64
}

func readDeltaHead(data []byte) (h deltaHead, rest []byte, err error) {
	var counts [3]uint64
	for i := range counts {
		x, used := binary.Uvarint(data)
		if used <= 0 {
			return h, nil, errTruncated
		}
		counts[i], data = x, data[used:]
	}
	first, used := binary.Varint(data)
	block, parts := counts[0], counts[1]
	if used <= 0 || block > maxDeltaBlock || parts == 0 || block%(8*parts) != 0 {
		return h, nil, errDelta
	}
	return deltaHead{int(block), int(parts), counts[2], first}, data[used:], nil
}

// decodeDelta appends n integers that are stored as differences, and returns the data after them. The differences of a block
// are packed without their least, those of each part of it in as many bits as the largest of these takes.
func decodeDelta(dst []int64, data []byte, n int) (_ []int64, rest []byte, err error) {
	h, data, err := readDeltaHead(data)
	switch {
	case err != nil:
		return dst, nil, err
	case h.total != uint64(n) || n > max(freeDeltas, valuesPerByte*len(data)):
		return dst, nil, errDelta
	case n == 0:
		return dst, data, nil
	}
	dst = append(slices.Grow(dst, n), h.first)
	for end := len(dst) + n - 1; len(dst) < end; {
		least, used := binary.Varint(data)
		if used <= 0 || len(data)-used < h.parts {
			return dst, nil, errTruncated
		}
		widths := data[used:][:h.parts]
		data = data[used+h.parts:]
		for _, width := range widths {
			count := min(h.block/h.parts, end-len(dst))
			if width > 64 || (count*int(width)+7)/8 > len(data) {
				return dst, nil, errTruncated
			}
			dst = addDeltas(dst, data, int(width), count, least)
			if count > 0 { // the last part is padded, perhaps
				data = data[min(h.block/h.parts*int(width)/8, len(data)):]
			}
		}
	}
	return dst, data, nil
}

// freeDeltas is how many values any page may have.
const freeDeltas = 1 << 16

// addDeltas appends count integers, each the one before plus least and a packed difference.
func addDeltas(dst []int64, packed []byte, width, count int, least int64) []int64 {
	last := dst[len(dst)-1]
	for i := range count {
		last += least + int64(bitsAt(packed, i*width, width))
		dst = append(dst, last)
	}
	return dst
}

// bitsAt returns width bits from a bit on, lowest bits first.
func bitsAt(packed []byte, bit, width int) (x uint64) {
	for have := 0; have < width; {
		b := uint64(packed[bit/8]) >> (bit % 8)
		n := min(8-bit%8, width-have)
		x |= (b & (1<<n - 1)) << have
		have, bit = have+n, bit+n
	}
	return x
}

// deltaSpans appends the spans of n texts whose lengths come first, as differences, and returns the texts.
func deltaSpans(dst []span, data []byte, n int) (_ []span, texts []byte, err error) {
	lengths, texts, err := decodeDelta(nil, data, n)
	if err != nil {
		return dst, nil, err
	}
	at := int64(0)
	for _, size := range lengths {
		if size < 0 || size > int64(len(texts))-at {
			return dst, nil, errTooFewValues
		}
		dst = append(dst, span{int32(at), int32(size)})
		at += size
	}
	return dst, texts, nil
}

// deltaTexts decodes n texts of which each shares a prefix with the one before: the lengths of the prefixes, as differences, come
// before the rest of each. It appends their spans in texts, of which there are at most maxTexts bytes.
func deltaTexts(dst []span, data []byte, n int, maxTexts int64) (texts []byte, _ []span, err error) {
	prefixes, data, err := decodeDelta(nil, data, n)
	if err != nil {
		return nil, dst, err
	}
	from := len(dst)
	dst, data, err = deltaSpans(dst, data, n)
	if err != nil {
		return nil, dst, err
	}
	all, last := int64(0), int64(0)
	for i, prefix := range prefixes {
		if prefix < 0 || prefix > last {
			return nil, dst, errTooFewValues
		}
		last = prefix + int64(dst[from+i].size)
		all += last
	}
	if all > maxTexts {
		return nil, dst, errDelta
	}
	texts = make([]byte, 0, all)
	before := 0
	for i, prefix := range prefixes {
		s, start := &dst[from+i], len(texts)
		texts = append(append(texts, texts[before:before+int(prefix)]...), data[s.offset:s.offset+s.size]...)
		before, *s = start, span{int32(start), int32(len(texts) - start)}
	}
	return texts, dst, nil
}

// maxTexts is how many bytes the texts of a page may have, although prefixes that they share are stored once.
func (f *File) maxTexts() int64 { return min(max(64<<20, 64*f.size), math.MaxInt32) }

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
	return f.FromInt64(int64(n))
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
		return jsonscan.Float16(binary.LittleEndian.Uint16(b))
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

package jsonscan

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/bits"
	"strconv"
	"unicode/utf8"

	"vantage/estimators"
)

// Text returns a decoded JSON string. Without escapes and broken UTF-8 these are the bytes of the
// record, which the caller must neither change nor keep.
func (v Value) Text() []byte {
	if bytes.IndexByte(v.Raw, '\\') < 0 && utf8.Valid(v.Raw) {
		return v.Raw
	}
	return AppendUnescaped(nil, v.Raw)
}

// AppendUnescaped appends a decoded JSON string to dst. Lone surrogates and broken UTF-8 become
// U+FFFD; escapes that JSON does not have stay as they are.
func AppendUnescaped(dst, raw []byte) []byte {
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 {
			return appendValid(dst, raw)
		}
		r, size := unescape(raw[i:])
		dst = utf8.AppendRune(appendValid(dst, raw[:i]), r)
		raw = raw[i+size:]
	}
}

func appendValid(dst, raw []byte) []byte {
	if utf8.Valid(raw) {
		return append(dst, raw...)
	}
	for _, r := range string(raw) { // each broken byte becomes one U+FFFD
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// CountRunes returns how many characters a JSON string has once decoded.
func CountRunes(raw []byte) int {
	var c Counts
	if stopped := c.add(raw); !stopped {
		if n, ok := c.Characters(); ok {
			return n
		}
	}
	n := 0
	for {
		i := bytes.IndexByte(raw, '\\')
		if i < 0 {
			return n + utf8.RuneCount(raw)
		}
		_, size := unescape(raw[i:])
		n += utf8.RuneCount(raw[:i]) + 1
		raw = raw[i+size:]
	}
}

// shortEscapes are what the letters after a backslash stand for, 0 for one that begins no escape of two bytes.
var shortEscapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unescape decodes the escape at the start of raw; size is its length in bytes. A backslash that
// begins no escape stands for itself.
func unescape(raw []byte) (r rune, size int) {
	if len(raw) > 1 && shortEscapes[raw[1]] != 0 {
		return rune(shortEscapes[raw[1]]), 2
	}
	high, ok := hex4(raw)
	if !ok {
		return '\\', 1
	}
	if high < 0xd800 || high > 0xdfff {
		return high, 6
	}
	if low, ok := hex4(raw[6:]); ok && high < 0xdc00 && 0xdc00 <= low && low <= 0xdfff {
		return (high-0xd800)<<10 + (low - 0xdc00) + 0x10000, 12
	}
	return utf8.RuneError, 6
}

// hex4 reads the four digits of \uXXXX at the start of raw.
func hex4(raw []byte) (rune, bool) {
	if len(raw) < 6 || raw[0] != '\\' || raw[1] != 'u' {
		return 0, false
	}
	var code [2]byte
	_, err := hex.Decode(code[:], raw[2:6])
	return rune(binary.BigEndian.Uint16(code[:])), err == nil
}

// AppendText appends a text as a JSON string. Bytes from 0x20 on are kept as they are, also those that are no UTF-8.
func AppendText[T string | []byte](dst []byte, s T) []byte {
	const digits = "0123456789abcdef"
	dst = append(dst, '"')
	plain := 0 // where the bytes begin that are not appended yet
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[plain:i]...)
		switch plain = i + 1; c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, `\n`...)
		default:
			dst = append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
		}
	}
	return append(append(dst, s[plain:]...), '"')
}

// AppendNumber appends a number as Python's json.dumps writes it: NaN, Infinity and -Infinity as they are, which [Scanner]
// reads and JSON lacks.
func AppendNumber(dst []byte, x float64) []byte {
	switch {
	case math.IsInf(x, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(x, -1):
		return append(dst, "-Infinity"...)
	}
	return strconv.AppendFloat(dst, x, 'g', -1, 64)
}

// AppendEnd closes a list or an object whose elements each have a comma after them: the bracket stands in place of the last one.
func AppendEnd(dst []byte, bracket byte) []byte {
	if n := len(dst) - 1; n >= 0 && dst[n] == ',' {
		dst = dst[:n]
	}
	return append(dst, bracket)
}

// ToFloat reads a number as trainers write it: as a number, a truth value, a text ("0.5", "nan",
// "-inf") or a list of one of these. Null is a missing reward.
func (v Value) ToFloat() (float64, bool) {
	switch v.Kind {
	case Number, String:
		// Out of range is no error here: 1e999 is +Inf, as Python reads it.
		x, err := strconv.ParseFloat(string(bytes.TrimSpace(v.Raw)), 64)
		if truth, ok := truthOf(v); ok && err != nil {
			return truth, true
		}
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

// truthOf returns the number that a text stands for which is a truth value, as Python or JSON writes it.
func truthOf(v Value) (x float64, ok bool) {
	if v.Kind != String {
		return 0, false
	}
	switch string(bytes.TrimSpace(v.Raw)) {
	case "True", "true":
		return 1, true
	case "False", "false":
		return 0, true
	}
	return 0, false
}

// ToInt reads a step or a length: an integer, also one written as 7.0, "7" or [7].
func (v Value) ToInt() (int64, bool) {
	if v.Kind == Number || v.Kind == String {
		if n, err := strconv.ParseInt(string(bytes.TrimSpace(v.Raw)), 10, 64); err == nil {
			return n, true
		}
	}
	if _, isTruth := truthOf(v); isTruth || v.Kind == Null || v.Kind == Bool {
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
		x, ok := v.ToFloat()
		switch {
		case !ok || v.Kind == Null:
			return math.NaN()
		case x != x:
			return estimators.LoggedNaN()
		}
		return x
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

// Float16 returns the number that 16 bits are in tables: binary16 of IEEE 754. Each of them is exact, subnormal ones too; NaNs lose their
// sign and payload.
func Float16(bits uint16) float64 {
	fraction, exponent := float64(bits&0x3ff), int(bits>>10&0x1f)
	var x float64
	switch {
	case exponent == 0x1f && fraction != 0:
		return math.NaN()
	case exponent == 0x1f:
		x = math.Inf(1)
	case exponent == 0:
		x = math.Ldexp(fraction, -24)
	default:
		x = math.Ldexp(1024+fraction, exponent-25)
	}
	if bits>>15 != 0 {
		x = -x
	}
	return x
}

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

// Hash64 hashes a text, the same in every run of the program (hash/maphash is not). It folds a
// 128-bit product for each eight bytes, as wyhash does (Wang Yi, 2019), in its simplest form.
func Hash64(b []byte) uint64 {
	const k0, k1 = 0x9e3779b97f4a7c15, 0xd6e8feb86659fd93
	h := uint64(len(b)) ^ k0
	for len(b) >= 8 {
		h = fold(h^binary.LittleEndian.Uint64(b), k1)
		b = b[8:]
	}
	var last [8]byte
	copy(last[:], b)
	h = fold(h^binary.LittleEndian.Uint64(last[:]), k1)
	return fold(h^k0, k0)
}

// MixHash hashes a sequence of hashes: h is the hash of those before next.
func MixHash(h, next uint64) uint64 {
	return fold(h^0x9e3779b97f4a7c15, next^0xd6e8feb86659fd93) + next
}

func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

package pages

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// Numbers returns the values of a page of numbers or bools, NaN for a null. valid holds 0
// for a null, else 1; it is nil if there is no null, and valid until the buffer is used again.
func (p *Page) Numbers(b *Buffer) (values []float64, valid []int32, err error) {
	l, err := p.levels(b)
	if err == nil {
		values, err = p.numbers(make([]float64, 0, p.Rows), l.values, l.defined, b)
	}
	if err != nil {
		return nil, nil, err
	}
	return spread(values, l.definition, math.NaN()), l.definition, nil
}

// levels are the levels of the values of a page, and the values that are there, as they are encoded.
type levels struct {
	repetition, definition []int32 // nil if all are 0, or all as high as they can be
	defined                int     // how many are there
	values                 []byte
}

func (p *Page) levels(b *Buffer) (l levels, err error) {
	repetition, definition, values, err := p.split(b)
	c, n := &p.reader.column, p.header.values
	l.defined, l.values = n, values
	if err == nil && c.repetition > 0 {
		b.repetition, err = decodeHybrid(b.repetition[:0], repetition, bits.Len(uint(c.repetition)), n)
		l.repetition = b.repetition
	}
	if err == nil && definition != nil {
		b.levels, err = decodeHybrid(b.levels[:0], definition, bits.Len(uint(c.definition)), n)
		l.definition, l.defined = b.levels, 0
		for _, level := range b.levels {
			if int(level) == c.definition {
				l.defined++
			}
		}
	}
	return l, err
}

// spread moves values apart, so that each stands where a value is valid, and null elsewhere.
func spread[T any](values []T, valid []int32, null T) []T {
	if valid == nil {
		return values
	}
	k := len(values)
	values = slices.Grow(values, len(valid)-k)[:len(valid)]
	for i, level := range slices.Backward(valid) {
		if level == 0 {
			values[i] = null
			continue
		}
		k--
		values[i] = values[k]
	}
	return values
}

// numbers appends the n numbers of a page that are there.
func (p *Page) numbers(dst []float64, data []byte, n int, b *Buffer) (_ []float64, err error) {
	f := &p.reader.column.Number
	switch encoding := p.header.encoding; {
	case encoding == encodingRLEDictionary || encoding == encodingPlainDictionary:
		index, err := p.indexes(data, n, len(p.reader.numbers), b)
		for _, at := range index {
			dst = append(dst, p.reader.numbers[at])
		}
		return dst, err
	case p.reader.column.stored == Bool:
		return decodeBools(dst, data, n, encoding)
	case encoding == encodingPlain:
		return decodeNumbers(dst, data, f, n)
	case encoding == encodingByteStreamSplit:
		return decodeNumbers(dst, joinStreams(data, f.width), f, n)
	case encoding == encodingDelta && f.physical == typeInt32, encoding == encodingDelta && f.physical == typeInt64:
		integers, _, err := decodeDelta(nil, data, n)
		for _, x := range integers {
			if f.physical == typeInt32 {
				dst = append(dst, f.FromInt32(int32(x)))
			} else {
				dst = append(dst, f.FromInt64(x))
			}
		}
		return dst, err
	case encoding == encodingDeltaTexts && f.physical == typeFixedByteArray:
		texts, spans, err := deltaTexts(nil, data, n, p.reader.f.maxTexts())
		for _, s := range spans {
			dst = append(dst, f.FromBytes(texts[s.offset:s.offset+s.size]))
		}
		return dst, err
	}
	return dst, ErrUnsupported
}

func (p *Page) indexes(data []byte, n, size int, b *Buffer) ([]int32, error) {
	if n == 0 {
		return nil, nil
	}
	if len(data) == 0 {
		return nil, errTruncated
	}
	var err error
	if b.indexes, err = decodeHybrid(b.indexes[:0], data[1:], int(data[0]), n); err != nil {
		return nil, err
	}
	for _, at := range b.indexes {
		if uint32(at) >= uint32(size) {
			return nil, fmt.Errorf("%w: an index beyond the dictionary", ErrBroken)
		}
	}
	return b.indexes, nil
}

var (
	errTooFewValues = fmt.Errorf("%w: a page has fewer values than it claims", ErrBroken)
	errNoDictionary = fmt.Errorf("%w: a dictionary is missing", ErrBroken)
)

// decodeNumbers appends n numbers in plain encoding.
func decodeNumbers(dst []float64, data []byte, f *NumberFormat, n int) ([]float64, error) {
	if n > len(data)/f.width {
		return dst, errTooFewValues
	}
	if f.meaning != asStored {
		for ; n > 0; n-- {
			dst, data = append(dst, f.plain(data)), data[f.width:]
		}
		return dst, nil
	}
	for ; n > 0; n-- {
		var x float64
		switch f.physical {
		case typeInt32:
			x = float64(int32(binary.LittleEndian.Uint32(data)))
		case typeInt64:
			x = float64(int64(binary.LittleEndian.Uint64(data)))
		case typeFloat:
			x = float64(math.Float32frombits(binary.LittleEndian.Uint32(data)))
		case typeDouble:
			x = math.Float64frombits(binary.LittleEndian.Uint64(data))
		}
		dst, data = append(dst, x), data[f.width:]
	}
	return dst, nil
}

func decodeBools(dst []float64, data []byte, n, encoding int) ([]float64, error) {
	var values []int32
	var err error
	switch {
	case encoding == encodingRLE && len(data) >= 4:
		values, err = decodeHybrid(nil, data[4:], 1, n)
	case encoding == encodingPlain && n <= 8*len(data):
		values = unpackBits(nil, data, 1, n)
	case encoding == encodingPlain || encoding == encodingRLE:
		err = errTooFewValues
	default:
		err = ErrUnsupported
	}
	for _, bit := range values {
		dst = append(dst, float64(bit))
	}
	return dst, err
}

// Texts are the values of a page of texts, or of a dictionary. They are valid until the buffer
// is used again.
type Texts struct {
	data       []byte
	spans      []span
	index      []int32 // into the dictionary, -1 for a null
	dictionary *Texts
}

// span is where a text lies in the data; a null has size -1.
type span struct{ offset, size int32 }

// Texts decodes a page of texts.
func (p *Page) Texts(b *Buffer) (t Texts, err error) {
	l, err := p.levels(b)
	if err != nil {
		return t, err
	}
	if t, err = p.texts(l.values, l.defined, b); err != nil || l.definition == nil {
		return t, err
	}
	if t.dictionary != nil {
		b.indexes = spread(t.index, l.definition, -1)
		t.index = b.indexes
	} else {
		b.spans = spread(t.spans, l.definition, span{size: -1})
		t.spans = b.spans
	}
	return t, nil
}

func (p *Page) texts(data []byte, n int, b *Buffer) (t Texts, err error) {
	t.data = data
	switch p.header.encoding {
	case encodingRLEDictionary, encodingPlainDictionary:
		if t.dictionary = p.reader.texts; t.dictionary == nil {
			return t, errNoDictionary
		}
		t.index, err = p.indexes(data, n, len(t.dictionary.spans), b)
		return t, err
	case encodingPlain:
		b.spans, err = p.reader.column.plainSpans(b.spans[:0], data, n)
	case encodingDeltaLength:
		b.spans, t.data, err = deltaSpans(b.spans[:0], data, n)
	case encodingDeltaTexts:
		t.data, b.spans, err = deltaTexts(b.spans[:0], data, n, p.reader.f.maxTexts())
	case encodingByteStreamSplit:
		if width := p.reader.column.width; width > 0 {
			t.data = joinStreams(data, width)
			b.spans, err = p.reader.column.plainSpans(b.spans[:0], t.data, n)
			break
		}
		err = ErrUnsupported
	default:
		err = ErrUnsupported
	}
	t.spans = b.spans
	return t, err
}

// plainSpans appends the spans of n texts in plain encoding.
func (c *Column) plainSpans(dst []span, data []byte, n int) ([]span, error) {
	if c.width == 0 {
		return decodeSpans(dst, data, n)
	}
	if n > len(data)/c.width {
		return dst, errTooFewValues
	}
	for i := range n {
		dst = append(dst, span{int32(i * c.width), int32(c.width)})
	}
	return dst, nil
}

// decodeSpans is plainSpans of texts that each have their length before them.
func decodeSpans(dst []span, data []byte, n int) ([]span, error) {
	if n > len(data)/4 {
		return dst, errTooFewValues
	}
	dst = slices.Grow(dst, n)
	at := 0
	for ; n > 0; n-- {
		if len(data)-at < 4 {
			return dst, errTooFewValues
		}
		size := binary.LittleEndian.Uint32(data[at:])
		if at += 4; uint64(size) > uint64(len(data)-at) {
			return dst, errTooFewValues
		}
		dst = append(dst, span{int32(at), int32(size)})
		at += int(size)
	}
	return dst, nil
}

// Len returns the number of texts.
func (t *Texts) Len() int {
	if t.dictionary != nil {
		return len(t.index)
	}
	return len(t.spans)
}

// At returns text i; false for a null.
func (t *Texts) At(i int) (text []byte, ok bool) {
	if t.dictionary != nil {
		if t.index[i] < 0 {
			return nil, false
		}
		return t.dictionary.At(int(t.index[i]))
	}
	s := t.spans[i]
	if s.size < 0 {
		return nil, false
	}
	return t.data[s.offset : s.offset+s.size], true
}

// Entry returns the dictionary index of text i, -1 without a dictionary.
func (t *Texts) Entry(i int) int32 {
	if t.dictionary == nil {
		return -1
	}
	return t.index[i]
}

// Values are the values of a page of any column, of which a row may have none or many, with their levels. They are valid
// until the buffer is used again.
type Values struct {
	levels
	column  *Column
	n       int
	numbers []float64
	texts   Texts
}

// Values decodes a page of any column.
func (p *Page) Values(b *Buffer) (v Values, err error) {
	if !p.reader.f.HasRoom(p.header.values) {
		return v, errManyValues
	}
	v = Values{column: &p.reader.column, n: p.header.values}
	v.levels, err = p.levels(b)
	switch {
	case err != nil || v.defined == 0:
	case v.column.stored == Text:
		v.texts, err = p.texts(v.values, v.defined, b)
	case v.column.stored == Nested:
		err = ErrUnsupported
	default:
		b.numbers, err = p.numbers(b.numbers[:0], v.values, v.defined, b)
		v.numbers = b.numbers
	}
	return v, err
}

var errManyValues = fmt.Errorf("%w: a page claims more values than it has room for", ErrBroken)

// Len returns how many values there are, nulls included.
func (v *Values) Len() int { return v.n }

// Levels returns the levels of value i, and whether it is there.
func (v *Values) Levels(i int) (repetition, definition int, ok bool) {
	definition = v.column.definition
	if v.repetition != nil {
		repetition = int(v.repetition[i])
	}
	if v.definition != nil {
		definition = int(v.definition[i])
	}
	return repetition, definition, definition == v.column.definition
}

// At returns value k of those that are there: a text, or else a number.
func (v *Values) At(k int) (kind Kind, x float64, text []byte) {
	if v.column.stored != Text {
		return v.column.stored, v.numbers[k], nil
	}
	text, _ = v.texts.At(k)
	if v.column.Number.IsNumber() {
		return Number, v.column.Number.FromBytes(text), nil
	}
	return Text, 0, text
}

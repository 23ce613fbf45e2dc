package pages

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// Numbers appends the values of a page of numbers or bools to dst, NaN for a null. valid holds 0
// for a null, else 1; it is nil if there is no null.
func (p *Page) Numbers(dst []float64, b *Buffer) (values []float64, valid []int32, err error) {
	valid, data, err := p.splitValidity(b)
	if err != nil {
		return dst, nil, err
	}
	n := countValid(valid, p.Rows)
	from := len(dst)
	dst = slices.Grow(dst, p.Rows)
	switch {
	case p.header.encoding == encodingRLEDictionary || p.header.encoding == encodingPlainDictionary:
		dst, err = p.dictionaryNumbers(dst, data, n, b)
	case p.reader.column.Kind == Bool:
		dst, err = decodeBools(dst, data, n, p.header.encoding)
	case p.header.encoding == encodingPlain:
		dst, err = decodeNumbers(dst, data, &p.reader.column.Number, n)
	case p.header.encoding == encodingByteStreamSplit:
		dst, err = decodeNumbers(dst, joinStreams(data, p.reader.column.Number.width), &p.reader.column.Number, n)
	default:
		err = ErrUnsupported
	}
	if err != nil {
		return dst, nil, err
	}
	return insertNulls(dst, from, valid), valid, nil
}

// countValid returns how many rows have a value.
func countValid(valid []int32, rows int) int {
	if valid == nil {
		return rows
	}
	n := 0
	for _, level := range valid {
		n += int(level)
	}
	return n
}

// insertNulls puts NaN for nulls between the values of dst from index from on.
func insertNulls(dst []float64, from int, valid []int32) []float64 {
	if valid == nil {
		return dst
	}
	k := len(dst)
	dst = dst[:from+len(valid)]
	for i, level := range slices.Backward(valid) {
		if level == 0 {
			dst[from+i] = math.NaN()
			continue
		}
		k--
		dst[from+i] = dst[k]
	}
	return dst
}

func (p *Page) dictionaryNumbers(dst []float64, data []byte, n int, b *Buffer) ([]float64, error) {
	index, err := p.indexes(data, n, len(p.reader.numbers), b)
	for _, at := range index {
		dst = append(dst, p.reader.numbers[at])
	}
	return dst, err
}

// indexes decodes n indexes into a dictionary of that size.
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
	errTooFewValues = fmt.Errorf("%w: a page has fewer values than it says", ErrBroken)
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
func (p *Page) Texts(b *Buffer) (Texts, error) {
	valid, data, err := p.splitValidity(b)
	if err != nil {
		return Texts{}, err
	}
	n := countValid(valid, p.Rows)
	switch p.header.encoding {
	case encodingRLEDictionary, encodingPlainDictionary:
		return p.dictionaryTexts(valid, data, n, b)
	case encodingPlain:
		b.spans, err = decodeSpans(b.spans[:0], data, n)
	case encodingDeltaLength:
		b.spans, data, err = deltaSpans(b.spans[:0], data, n)
	default:
		err = ErrUnsupported
	}
	if err != nil {
		return Texts{}, err
	}
	b.spans = insertNullSpans(b.spans, valid)
	return Texts{data: data, spans: b.spans}, nil
}

func (p *Page) dictionaryTexts(valid []int32, data []byte, n int, b *Buffer) (Texts, error) {
	if p.reader.texts == nil {
		return Texts{}, errNoDictionary
	}
	index, err := p.indexes(data, n, len(p.reader.texts.spans), b)
	if err != nil || valid == nil {
		return Texts{index: index, dictionary: p.reader.texts}, err
	}
	spread, k := make([]int32, p.Rows), 0
	for i, level := range valid {
		spread[i] = -1
		if level != 0 {
			spread[i] = index[k]
			k++
		}
	}
	return Texts{index: spread, dictionary: p.reader.texts}, nil
}

// decodeSpans appends the spans of n texts in plain encoding.
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

func insertNullSpans(dst []span, valid []int32) []span {
	if valid == nil {
		return dst
	}
	k := len(dst)
	dst = slices.Grow(dst, len(valid)-k)[:len(valid)]
	for i, level := range slices.Backward(valid) {
		if level == 0 {
			dst[i] = span{size: -1}
			continue
		}
		k--
		dst[i] = dst[k]
	}
	return dst
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

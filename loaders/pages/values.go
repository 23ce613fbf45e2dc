package pages

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// Numbers appends the values of a page of numbers or truth values to dst, NaN where
// there is a null; there tells which are none, and is nil if none is a null.
func (p *Page) Numbers(dst []float64, b *Buffer) (values []float64, there []int32, err error) {
	there, data, err := p.present(b)
	if err != nil {
		return dst, nil, err
	}
	n := count(there, p.Rows)
	from := len(dst)
	dst = slices.Grow(dst, p.Rows)
	switch {
	case p.header.encoding == dictionary || p.header.encoding == plainDictionary:
		dst, err = p.lookUp(dst, data, n, b)
	case p.reader.column.Kind == Bool:
		dst, err = truths(dst, data, n, p.header.encoding)
	case p.header.encoding == plain:
		dst, err = numbers(dst, data, p.reader.column.physical, n)
	default:
		err = ErrUnsupported
	}
	if err != nil {
		return dst, nil, err
	}
	return spread(dst, from, there), there, nil
}

// count returns how many values are there.
func count(there []int32, rows int) int {
	if there == nil {
		return rows
	}
	n := 0
	for _, level := range there {
		n += int(level)
	}
	return n
}

// spread moves the values from on to where they belong between nulls.
func spread(dst []float64, from int, there []int32) []float64 {
	if there == nil {
		return dst
	}
	k := len(dst)
	dst = dst[:from+len(there)]
	for i, level := range slices.Backward(there) {
		if level == 0 {
			dst[from+i] = math.NaN()
			continue
		}
		k--
		dst[from+i] = dst[k]
	}
	return dst
}

func (p *Page) lookUp(dst []float64, data []byte, n int, b *Buffer) ([]float64, error) {
	index, err := p.indexes(data, n, len(p.reader.numbers), b)
	for _, at := range index {
		dst = append(dst, p.reader.numbers[at])
	}
	return dst, err
}

// indexes reads n indexes into a dictionary of that size.
func (p *Page) indexes(data []byte, n, size int, b *Buffer) ([]int32, error) {
	if n == 0 {
		return nil, nil
	}
	if len(data) == 0 {
		return nil, errEarly
	}
	var err error
	if b.index, err = hybrid(b.index[:0], data[1:], int(data[0]), n); err != nil {
		return nil, err
	}
	for _, at := range b.index {
		if uint32(at) >= uint32(size) {
			return nil, fmt.Errorf("%w: an index beyond the dictionary", ErrBroken)
		}
	}
	return b.index, nil
}

var (
	errShort   = fmt.Errorf("%w: a page has fewer values than it says", ErrBroken)
	errMissing = fmt.Errorf("%w: a dictionary is missing", ErrBroken)
)

// numbers appends n numbers that stand one after the other.
func numbers(dst []float64, data []byte, physical, n int) ([]float64, error) {
	width := widthOf(physical)
	if n > len(data)/width {
		return dst, errShort
	}
	for ; n > 0; n-- {
		var x float64
		switch physical {
		case int32s:
			x = float64(int32(binary.LittleEndian.Uint32(data)))
		case int64s:
			x = float64(int64(binary.LittleEndian.Uint64(data)))
		case float32s:
			x = float64(math.Float32frombits(binary.LittleEndian.Uint32(data)))
		case float64s:
			x = math.Float64frombits(binary.LittleEndian.Uint64(data))
		}
		dst, data = append(dst, x), data[width:]
	}
	return dst, nil
}

// widthOf is how many bytes a number takes.
func widthOf(physical int) int {
	if physical == int32s || physical == float32s {
		return 4
	}
	return 8
}

func truths(dst []float64, data []byte, n, encoding int) ([]float64, error) {
	var bits []int32
	var err error
	switch {
	case encoding == runs && len(data) >= 4:
		bits, err = hybrid(nil, data[4:], 1, n)
	case encoding == plain && n <= 8*len(data):
		bits = unpack(nil, data, 1, n)
	case encoding == plain || encoding == runs:
		err = errShort
	default:
		err = ErrUnsupported
	}
	for _, bit := range bits {
		dst = append(dst, float64(bit))
	}
	return dst, err
}

// Texts are the values of a page of texts, or of a dictionary. They are good as long
// as the buffer is not used again.
type Texts struct {
	data       []byte
	spans      []span
	index      []int32 // into the dictionary, -1 for a null; nil if there is none
	dictionary *Texts
}

// span is where a text stands; a null is of size -1.
type span struct{ at, size int32 }

// Texts reads a page of texts.
func (p *Page) Texts(b *Buffer) (Texts, error) {
	there, data, err := p.present(b)
	if err != nil {
		return Texts{}, err
	}
	n := count(there, p.Rows)
	switch p.header.encoding {
	case dictionary, plainDictionary:
		return p.named(there, data, n, b)
	case plain:
		if b.spans, err = spans(b.spans[:0], data, n); err != nil {
			return Texts{}, err
		}
		b.spans = spreadSpans(b.spans, there)
		return Texts{data: data, spans: b.spans}, nil
	}
	return Texts{}, ErrUnsupported
}

// named reads texts that stand in the dictionary.
func (p *Page) named(there []int32, data []byte, n int, b *Buffer) (Texts, error) {
	if p.reader.texts == nil {
		return Texts{}, errMissing
	}
	index, err := p.indexes(data, n, len(p.reader.texts.spans), b)
	if err != nil || there == nil {
		return Texts{index: index, dictionary: p.reader.texts}, err
	}
	spread, k := make([]int32, p.Rows), 0
	for i, level := range there {
		spread[i] = -1
		if level != 0 {
			spread[i] = index[k]
			k++
		}
	}
	return Texts{index: spread, dictionary: p.reader.texts}, nil
}

// spans appends where n texts stand, each behind its length.
func spans(dst []span, data []byte, n int) ([]span, error) {
	dst = slices.Grow(dst, n)
	at := 0
	for ; n > 0; n-- {
		if len(data)-at < 4 {
			return dst, errShort
		}
		size := binary.LittleEndian.Uint32(data[at:])
		if at += 4; uint64(size) > uint64(len(data)-at) {
			return dst, errShort
		}
		dst = append(dst, span{int32(at), int32(size)})
		at += int(size)
	}
	return dst, nil
}

func spreadSpans(dst []span, there []int32) []span {
	if there == nil {
		return dst
	}
	k := len(dst)
	dst = slices.Grow(dst, len(there)-k)[:len(there)]
	for i, level := range slices.Backward(there) {
		if level == 0 {
			dst[i] = span{size: -1}
			continue
		}
		k--
		dst[i] = dst[k]
	}
	return dst
}

// Len returns how many texts there are.
func (t *Texts) Len() int {
	if t.dictionary != nil {
		return len(t.index)
	}
	return len(t.spans)
}

// At returns a text; a null is none.
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
	return t.data[s.at : s.at+s.size], true
}

// Entry returns the number of a text in the dictionary, -1 if it is not from one.
func (t *Texts) Entry(i int) int32 {
	if t.dictionary == nil {
		return -1
	}
	return t.index[i]
}

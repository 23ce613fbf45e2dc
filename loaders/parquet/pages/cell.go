package pages

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/klauspost/compress/zstd"
)

// Cells reads single cells of columns that are not [Nested]. Of each column chunk it keeps the
// dictionary and the page that was read last, which serve the neighbours of a cell. The file's
// index grows by the pages that it passes.
type Cells struct {
	f       *File
	maxSize int
	chunks  map[int]*openChunk // by row group and column
	size    int
	zstd    *zstd.Decoder
}

// openChunk is what is kept of a column of a row group.
type openChunk struct {
	reader   *Reader
	page     Page
	firstRow int64 // of the page, in the group
	buffer   Buffer
	levels   []byte // encoded definition levels, nil if no value is null
	values   []byte
	size     int
}

// NewCells reads cells of a file. Beyond maxSize bytes it keeps only the row group read last.
func NewCells(f *File, maxSize int) *Cells {
	return &Cells{f: f, maxSize: maxSize, chunks: map[int]*openChunk{}}
}

// Number returns a number, or a bool as 0 or 1; false for a null. The row counts within the group.
func (c *Cells) Number(group, column int, row int64) (x float64, ok bool, err error) {
	k, at, ok, err := c.find(group, column, row)
	if err != nil || !ok {
		return 0, false, err
	}
	x, err = k.number(at)
	return x, err == nil, err
}

// Text returns a text, false for a null. It is valid until the next call.
func (c *Cells) Text(group, column int, row int64) (text []byte, ok bool, err error) {
	k, at, ok, err := c.find(group, column, row)
	if err != nil || !ok {
		return nil, false, err
	}
	text, err = k.text(at)
	return text, err == nil, err
}

// Size returns how many bytes c keeps.
func (c *Cells) Size() int { return c.size }

// Close stops the goroutines of the decompressor.
func (c *Cells) Close() {
	if c.zstd != nil {
		c.zstd.Close()
		c.zstd = nil
	}
}

// find reads the page of a row, and returns the index of its value among the page's values;
// false for a null.
func (c *Cells) find(group, column int, row int64) (k *openChunk, at int, ok bool, err error) {
	n := group*len(c.f.Columns) + column
	if k = c.chunks[n]; k == nil {
		k = &openChunk{reader: c.f.Column(group, column)}
		k.reader.longLived = true
	}
	delete(c.chunks, n) // it is put back if all goes well
	c.size -= k.size
	if row < k.firstRow || row >= k.firstRow+int64(k.page.Rows) {
		k.buffer.zstd = c.zstd
		err := k.readPage(row)
		c.zstd, k.buffer.zstd = k.buffer.zstd, nil
		if err != nil {
			return nil, 0, false, err
		}
	}
	if c.chunks[n], c.size = k, c.size+k.size; c.size > c.maxSize {
		c.keepGroup(group)
	}
	if at = int(row - k.firstRow); k.levels == nil {
		return k, at, true, nil
	}
	at, ok, err = valueIndex(k.levels, at)
	return k, at, ok, err
}

// keepGroup drops all other row groups.
func (c *Cells) keepGroup(group int) {
	for n, k := range c.chunks {
		if n/len(c.f.Columns) != group {
			delete(c.chunks, n)
			c.size -= k.size
		}
	}
}

// readPage reads the page of a row.
func (k *openChunk) readPage(row int64) error {
	r := k.reader
	r.rewind()
	first, err := r.SeekPage(row)
	if err != nil {
		return err
	}
	p, err := r.Next()
	for ; err == nil && row >= first+int64(p.Rows); p, err = r.Next() {
		first += int64(p.Rows)
	}
	if err != nil {
		return err
	}
	k.page, k.firstRow = p, first
	if _, k.levels, k.values, err = p.split(&k.buffer); err != nil {
		return err
	}
	k.size = cap(k.buffer.compressed) + cap(k.buffer.data) + r.size
	return nil
}

// valueIndex returns how many of the rows before row have a value, by encoded levels of one bit,
// and whether row has one.
func valueIndex(levels []byte, row int) (index int, valid bool, err error) {
	for {
		r, rest, err := nextRun(levels, 1, row+1)
		if err != nil {
			return 0, false, err
		}
		n := min(r.count, row) // of the run that lie before row
		if r.packed == nil {
			index += n * int(r.value)
			valid = r.value == 1
		} else {
			for _, b := range r.packed[:n/8] {
				index += bits.OnesCount8(b)
			}
			if n%8 > 0 {
				index += bits.OnesCount8(r.packed[n/8] & (1<<(n%8) - 1))
			}
			valid = n < r.count && r.packed[n/8]>>(n%8)&1 == 1
		}
		if row < r.count {
			return index, valid, nil
		}
		levels, row = rest, row-r.count
	}
}

// valueAt returns number n of a hybrid encoding of that bit width.
func valueAt(data []byte, width, n int) (uint32, error) {
	if width == 0 {
		return 0, nil
	}
	for {
		r, rest, err := nextRun(data, width, n+1)
		switch {
		case err != nil:
			return 0, err
		case n >= r.count:
			data, n = rest, n-r.count
			continue
		case r.packed == nil:
			return r.value, nil
		}
		var b [8]byte
		copy(b[:], r.packed[n*width/8:])
		return uint32(binary.LittleEndian.Uint64(b[:]) >> (n * width % 8) & (1<<width - 1)), nil
	}
}

// number returns number at of the page.
func (k *openChunk) number(at int) (float64, error) {
	switch encoding := k.page.header.encoding; {
	case encoding == encodingRLEDictionary || encoding == encodingPlainDictionary:
		i, err := k.dictionaryIndex(at, len(k.reader.numbers))
		if err != nil {
			return 0, err
		}
		return k.reader.numbers[i], nil
	case k.reader.column.Kind == Bool:
		return k.bool(at)
	case encoding != encodingPlain && encoding != encodingByteStreamSplit:
		return 0, ErrUnsupported
	}
	format := &k.reader.column.Number
	n := len(k.values) / format.width
	if at >= n {
		return 0, errTooFewValues
	}
	if k.page.header.encoding == encodingPlain {
		return format.plain(k.values[at*format.width:]), nil
	}
	value := make([]byte, format.width)
	for i := range value {
		value[i] = k.values[i*n+at]
	}
	return format.plain(value), nil
}

func (k *openChunk) bool(at int) (float64, error) {
	switch encoding := k.page.header.encoding; {
	case encoding == encodingPlain && at/8 < len(k.values):
		return float64(k.values[at/8] >> (at % 8) & 1), nil
	case encoding == encodingRLE && len(k.values) >= 4:
		x, err := valueAt(k.values[4:], 1, at)
		return float64(x), err
	case encoding == encodingPlain || encoding == encodingRLE:
		return 0, errTooFewValues
	}
	return 0, ErrUnsupported
}

// dictionaryIndex returns the dictionary entry of a value.
func (k *openChunk) dictionaryIndex(at, size int) (uint32, error) {
	if len(k.values) == 0 || k.values[0] > maxBitWidth {
		return 0, errTruncated
	}
	i, err := valueAt(k.values[1:], int(k.values[0]), at)
	if err == nil && uint64(i) >= uint64(size) {
		err = fmt.Errorf("%w: an index beyond the dictionary", ErrBroken)
	}
	return i, err
}

// text returns text at of the page.
func (k *openChunk) text(at int) ([]byte, error) {
	switch k.page.header.encoding {
	case encodingRLEDictionary, encodingPlainDictionary:
		if k.reader.texts == nil {
			return nil, errNoDictionary
		}
		i, err := k.dictionaryIndex(at, len(k.reader.texts.spans))
		if err != nil {
			return nil, err
		}
		text, _ := k.reader.texts.At(int(i))
		return text, nil
	case encodingPlain:
		rest := k.values
		for ; len(rest) >= 4; at-- {
			size := uint64(binary.LittleEndian.Uint32(rest))
			if rest = rest[4:]; size > uint64(len(rest)) {
				return nil, errTooFewValues
			}
			if at == 0 {
				return rest[:size], nil
			}
			rest = rest[size:]
		}
		return nil, errTooFewValues
	}
	return nil, ErrUnsupported
}

package writer

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"math/bits"
	"slices"
)

type chunk struct {
	data               []byte // its pages
	offset             int64  // of them in the file
	size, uncompressed int    // of all pages, with their headers
	dictionary         int    // of the page of the dictionary, with its header; 0 without one
	nulls              int
	least, most        []byte // values as they are stored; nil if they are not known
}

// A page ends after so many rows, or bytes of texts: who reads one row reads its page.
const maxPageRows, maxPageText = 1 << 14, 1 << 18

// Encode encodes rows of which it has the cells by column. Several goroutines may call it at once.
func (w *Writer) Encode(cells []Cells, rows int) *RowGroup {
	g := &RowGroup{rows: rows, chunks: make([]chunk, len(cells))}
	for k := range cells {
		e := encoder{Writer: w, chunk: &g.chunks[k], Column: &w.columns[k], Cells: &cells[k]}
		e.encode(rows)
	}
	return g
}

type encoder struct {
	*Writer
	*chunk
	*Column
	*Cells
	names   []uint32 // of each row: the index of its name in the dictionary
	width   int      // bits of these
	page    []byte   // not compressed
	present []int    // rows of the page that have a value
}

func (e *encoder) encode(rows int) {
	switch e.Type {
	case Name:
		e.encodeNames(rows)
	case Integer:
		e.least, e.most = bounds(e, e.Integers, rows, func(x int64) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(x)) })
	case Number:
		e.least, e.most = bounds(e, e.Numbers, rows, func(x float64) []byte { return binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)) })
		if x := math.Float64frombits; e.most != nil && x(binary.LittleEndian.Uint64(e.least)) == 0 {
			e.least = binary.LittleEndian.AppendUint64(nil, 1<<63) // of zeros the format wants the sign that bounds both
		}
	case Bool, Text:
	}
	for from := 0; from < rows; {
		to := min(from+maxPageRows, rows)
		if e.Type == Text {
			to = from + 1
			for size := len(e.Texts[from]); to < rows && size < maxPageText && to-from < maxPageRows; to++ {
				size += len(e.Texts[to])
			}
		}
		e.encodePage(from, to)
		from = to
	}
	e.size = len(e.data)
}

// bounds returns the least and the greatest value as they are stored; nil if there is none, or some value has no order.
func bounds[T int64 | float64](e *encoder, values []T, rows int, stored func(T) []byte) (least, most []byte) {
	var lo, hi T
	first := true
	for i, x := range values[:rows] {
		switch {
		case e.Optional && e.Missing[i]:
		case x != x:
			return nil, nil
		case first:
			lo, hi, first = x, x, false
		default:
			lo, hi = min(lo, x), max(hi, x)
		}
	}
	if first {
		return nil, nil
	}
	return stored(lo), stored(hi + 0) // never -0
}

func (e *encoder) encodeNames(rows int) {
	e.names = make([]uint32, rows)
	known, last := map[string]uint32{}, "" // name before
	row, number := 0, uint32(0)
	for k, name := range e.Texts {
		n := 1
		if e.Counts != nil {
			n = e.Counts[k]
		}
		if row += n; e.Optional && e.Missing[row-n] {
			continue
		}
		if found := len(known) > 0 && name == last; !found {
			if number, found = known[name]; !found {
				number = uint32(len(known))
				known[name] = number
				e.page = append(binary.LittleEndian.AppendUint32(e.page, uint32(len(name))), name...)
			}
		}
		last = name
		for i := row - n; i < row; i++ {
			e.names[i] = number
		}
	}
	e.width = bits.Len(uint(max(0, len(known)-1)))
	e.writePage(dictionaryPage, len(known), plain)
	e.dictionary = len(e.data)
}

func (e *encoder) encodePage(from, to int) {
	e.page = e.page[:0]
	if e.Optional {
		e.encodeMissing(e.Missing[from:to])
	}
	e.present = e.present[:0]
	for i := from; i < to; i++ {
		if !e.Optional || !e.Missing[i] {
			e.present = append(e.present, i)
		}
	}
	e.nulls += to - from - len(e.present)
	encoding := int64(plain)
	switch e.Type {
	case Integer:
		encoding = differences
		e.encodeIntegers()
	case Number:
		for _, i := range e.present {
			e.page = binary.LittleEndian.AppendUint64(e.page, math.Float64bits(e.Numbers[i]))
		}
	case Bool:
		e.page = appendBits(e.page, len(e.present), func(k int) bool { return e.Bools[e.present[k]] })
	case Name:
		encoding = indexes
		e.encodeIndexes()
	case Text:
		for _, i := range e.present {
			e.page = append(binary.LittleEndian.AppendUint32(e.page, uint32(len(e.Texts[i]))), e.Texts[i]...)
		}
	}
	e.writePage(dataPage, to-from, encoding)
}

// encodeMissing writes which rows have a value: as one run if all of them are alike, else as bits.
func (e *encoder) encodeMissing(missing []bool) {
	e.page = append(e.page, 0, 0, 0, 0) // how many bytes follow
	if one := missing[0]; !slices.Contains(missing, !one) {
		e.page = append(binary.AppendUvarint(e.page, uint64(len(missing))<<1), byte(count01(!one)))
	} else {
		e.page = binary.AppendUvarint(e.page, uint64(len(missing)+7)/8<<1|1)
		e.page = appendBits(e.page, len(missing), func(k int) bool { return !missing[k] })
	}
	binary.LittleEndian.PutUint32(e.page, uint32(len(e.page)-4))
}

// appendBits appends n bits, the first as the lowest of its byte.
func appendBits(out []byte, n int, of func(k int) bool) []byte {
	for k := 0; k < n; k += 8 {
		b := 0
		for bit := range min(8, n-k) {
			b |= count01(of(k+bit)) << bit
		}
		out = append(out, byte(b))
	}
	return out
}

func (e *encoder) encodeIndexes() {
	e.page = append(e.page, byte(e.width))
	for at := 0; at < len(e.present); {
		name, from := e.names[e.present[at]], at
		for at < len(e.present) && e.names[e.present[at]] == name {
			at++
		}
		e.page = binary.AppendUvarint(e.page, uint64(at-from)<<1)
		for bit := 0; bit < e.width; bit += 8 {
			e.page = append(e.page, byte(name>>bit))
		}
	}
}

// Differences are written in blocks of as many parts, each with as many bits for a difference as its greatest needs.
const blockSize, partsOfBlock = 128, 4

// encodeIntegers writes the differences between values, less the least of each block: steps and lines take hardly any bits, which saves
// most of the time for compression.
func (e *encoder) encodeIntegers() {
	e.page = binary.AppendUvarint(binary.AppendUvarint(e.page, blockSize), partsOfBlock)
	e.page = binary.AppendUvarint(e.page, uint64(len(e.present)))
	if len(e.present) == 0 {
		e.page = binary.AppendVarint(e.page, 0)
		return
	}
	last := e.Integers[e.present[0]]
	e.page = binary.AppendVarint(e.page, last)
	var block [blockSize]int64
	for at := 1; at < len(e.present); at += blockSize {
		rows := e.present[at:min(at+blockSize, len(e.present))]
		least := int64(math.MaxInt64)
		for k, i := range rows {
			block[k] = e.Integers[i] - last // it may overflow, and so will the sum of who reads it
			last, least = e.Integers[i], min(least, block[k])
		}
		for k := range block {
			block[k] -= least
			if k >= len(rows) {
				block[k] = 0
			}
		}
		e.page = binary.AppendVarint(e.page, least)
		widths := len(e.page)
		e.page = append(e.page, make([]byte, partsOfBlock)...)
		const size = blockSize / partsOfBlock
		for part := 0; part*size < len(rows); part++ {
			values, all := block[part*size:(part+1)*size], uint64(0)
			for _, x := range values {
				all |= uint64(x)
			}
			e.page[widths+part] = byte(bits.Len64(all))
			e.page = appendPacked(e.page, values, bits.Len64(all))
		}
	}
}

// appendPacked appends the lowest bits of values, whose bits together are whole bytes.
func appendPacked(out []byte, values []int64, width int) []byte {
	word, used := uint64(0), 0
	for _, x := range values {
		word |= uint64(x) << used
		if used += width; used >= 64 {
			out = binary.LittleEndian.AppendUint64(out, word)
			used -= 64
			word = uint64(x) >> (width - used)
		}
	}
	for ; used > 0; used -= 8 {
		out, word = append(out, byte(word)), word>>8
	}
	return out
}

func (e *encoder) writePage(kind int64, values int, encoding int64) {
	compressed := e.zstd.EncodeAll(e.page, nil)
	var t thrift
	t.begin()
	t.integer(1, kind)
	t.integer(2, int64(len(e.page)))
	t.integer(3, int64(len(compressed)))
	t.integer(4, int64(int32(crc32.ChecksumIEEE(compressed))))
	t.field(map[int64]int{dataPage: 5, dictionaryPage: 7}[kind], thriftStruct)
	t.begin()
	t.integer(1, int64(values))
	t.integer(2, encoding)
	if kind == dataPage {
		t.integer(3, runs) // of the levels
		t.integer(4, runs)
	}
	t.end()
	t.end()
	e.data = append(append(e.data, t.out...), compressed...)
	e.uncompressed += len(t.out) + len(e.page)
	e.page = e.page[:0]
}

func count01(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

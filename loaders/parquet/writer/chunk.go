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
	encoding           int64  // of the other pages
	nulls              int
	least, most        []byte // values as they are stored; nil if they are not known
}

// A page ends after so many rows, or bytes of texts: who reads one row reads its page. So many numbers are one block for zstd.
const maxPageRows, maxPageText = 1 << 14, 1 << 18

// Encode encodes rows of which it has the cells by column. Several goroutines may call it at once.
func (w *Writer) Encode(cells []Cells, rows int) *RowGroup {
	e := w.encoders.Get().(*encoder)
	defer w.encoders.Put(e)
	g := &RowGroup{rows: rows, chunks: make([]chunk, len(cells))}
	for k := range cells {
		if like := w.columnLike(cells, k); like >= 0 {
			g.chunks[k] = g.chunks[like]
			continue
		}
		e.chunk, e.Column, e.Cells = &g.chunks[k], &w.columns[k], &cells[k]
		e.encode(rows)
	}
	e.chunk, e.Cells = nil, nil // else a row group stays in memory until the encoder is used again
	return g
}

// columnLike returns a column before column k that has the same numbers, as advantages do that no filter changes; -1 if none has.
func (w *Writer) columnLike(cells []Cells, k int) int {
	column, c := w.columns[k], &cells[k]
	for i, before := range w.columns[:k] {
		same := func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) }
		if column.Type == Number && before.Type == Number && column.Optional == before.Optional &&
			slices.EqualFunc(c.Numbers, cells[i].Numbers, same) && (!column.Optional || slices.Equal(c.Missing, cells[i].Missing)) {
			return i
		}
	}
	return -1
}

// encoder encodes one column after another.
type encoder struct {
	*Writer
	*chunk
	*Column
	*Cells
	page, compressed []byte

	indexes  []uint32 // of each value: its number in the dictionary
	width    int      // bits of these
	slots    []uint32 // a hash table: numbers in the dictionary, from 1
	distinct []uint64 // the numbers of a dictionary
}

func (e *encoder) encode(rows int) {
	if e.Optional {
		for _, missing := range e.Missing[:rows] {
			e.nulls += count01(missing)
		}
	}
	switch e.Type {
	case Integer:
		values := present(e, e.Integers[:rows])
		e.least, e.most = bounds(values, func(x int64) uint64 { return uint64(x) })
		writePages(e, rows, differences, values, e.appendDifferences)
	case Number:
		e.encodeNumbers(rows)
	case Bool:
		writePages(e, rows, plain, present(e, e.Bools[:rows]), func(values []bool) {
			e.page = appendBits(e.page, values, false)
		})
	case Name:
		e.indexNames()
		writePages(e, rows, indexes, e.indexes, e.appendIndexes)
	case Text:
		writePages(e, rows, plain, present(e, e.Texts[:rows]), func(values []string) {
			for _, x := range values {
				e.page = append(binary.LittleEndian.AppendUint32(e.page, uint32(len(x))), x...)
			}
		})
	}
	e.size = len(e.data)
}

// present returns the values that are not missing.
func present[T any](e *encoder, values []T) []T {
	if e.nulls == 0 {
		return values
	}
	has := make([]T, 0, len(values)-e.nulls)
	for i, x := range values {
		if !e.Missing[i] {
			has = append(has, x)
		}
	}
	return has
}

// bounds returns the least and the greatest value as they are stored; nil if there is none, or some value has no order.
func bounds[T int64 | float64](values []T, stored func(T) uint64) (least, most []byte) {
	if len(values) == 0 {
		return nil, nil
	}
	lo, hi := values[0], values[0]
	for _, x := range values {
		switch {
		case x != x:
			return nil, nil
		case x < lo:
			lo = x
		case x > hi:
			hi = x
		}
	}
	return binary.LittleEndian.AppendUint64(nil, stored(lo)), binary.LittleEndian.AppendUint64(nil, stored(hi+0)) // never -0
}

// writePages writes the values, of which there is one for each row that has one.
func writePages[T any](e *encoder, rows int, encoding int64, values []T, appendValues func([]T)) {
	e.encoding = encoding
	for from := 0; from < rows; {
		to := min(from+maxPageRows, rows)
		if e.Type == Text {
			to = from + 1
			for size := len(e.Texts[from]); to < rows && size < maxPageText && to-from < maxPageRows; to++ {
				size += len(e.Texts[to])
			}
		}
		n := to - from
		if e.Optional {
			n -= e.appendMissing(e.Missing[from:to])
		}
		appendValues(values[:n])
		e.writePage(dataPage, to-from, encoding)
		from, values = to, values[n:]
	}
}

// appendMissing writes which rows have a value: as one run if all of them are alike, else as bits. It returns how many have none.
func (e *encoder) appendMissing(missing []bool) (nulls int) {
	for _, yes := range missing {
		nulls += count01(yes)
	}
	length := len(e.page)
	e.page = append(e.page, 0, 0, 0, 0) // how many bytes follow
	if nulls == 0 || nulls == len(missing) {
		e.page = append(binary.AppendUvarint(e.page, uint64(len(missing))<<1), byte(count01(nulls == 0)))
	} else {
		e.page = binary.AppendUvarint(e.page, uint64(len(missing)+7)/8<<1|1)
		e.page = appendBits(e.page, missing, true)
	}
	binary.LittleEndian.PutUint32(e.page[length:], uint32(len(e.page)-length-4))
	return nulls
}

// appendBits appends values as bits, the first as the lowest of its byte; the other way round if inverted.
func appendBits(out []byte, values []bool, inverted bool) []byte {
	for k := 0; k < len(values); k += 8 {
		b := 0
		for bit, x := range values[k:min(k+8, len(values))] {
			b |= count01(x != inverted) << bit
		}
		out = append(out, byte(b))
	}
	return out
}

func (e *encoder) encodeNumbers(rows int) {
	values := present(e, e.Numbers[:rows])
	e.least, e.most = bounds(values, math.Float64bits)
	if x := math.Float64frombits; e.most != nil && x(binary.LittleEndian.Uint64(e.least)) == 0 {
		e.least = binary.LittleEndian.AppendUint64(nil, 1<<63) // of zeros the format wants the sign that bounds both
	}
	if !e.indexNumbers(values) {
		writePages(e, rows, streams, values, e.appendStreams)
		return
	}
	for _, x := range e.distinct {
		e.page = binary.LittleEndian.AppendUint64(e.page, x)
	}
	e.writeDictionary(len(e.distinct))
	writePages(e, rows, indexes, e.indexes, e.appendIndexes)
}

// appendStreams writes the first byte of all numbers, then the second, and so on: the bytes of a stream are alike, or always 0.
func (e *encoder) appendStreams(values []float64) {
	at := len(e.page)
	e.page = slices.Grow(e.page, 8*len(values))[:at+8*len(values)]
	for shift := 0; shift < 64; shift += 8 {
		stream := e.page[at+shift/8*len(values):][:len(values)]
		for i, x := range values {
			stream[i] = byte(math.Float64bits(x) >> shift)
		}
	}
}

// indexNumbers makes a dictionary of numbers; it returns false if too few repeat.
func (e *encoder) indexNumbers(values []float64) bool {
	const repeats = 4 // each number, on average
	hash := bits.Len(uint(len(values) / repeats * 2))
	e.distinct, e.indexes = e.distinct[:0], slices.Grow(e.indexes[:0], len(values))[:len(values)]
	e.slots = slices.Grow(e.slots[:0], 1<<hash)[:1<<hash]
	clear(e.slots)
	for i, x := range values {
		stored := math.Float64bits(x)
		slot := stored * 0x9e3779b97f4a7c15 >> (64 - hash)
		for e.slots[slot] > 0 && e.distinct[e.slots[slot]-1] != stored {
			slot = (slot + 1) % uint64(len(e.slots))
		}
		if e.slots[slot] == 0 {
			if len(e.distinct) == len(values)/repeats {
				return false
			}
			e.distinct = append(e.distinct, stored)
			e.slots[slot] = uint32(len(e.distinct))
		}
		e.indexes[i] = e.slots[slot] - 1
	}
	return len(values) > 0
}

// indexNames makes a dictionary of names.
func (e *encoder) indexNames() {
	known, last := map[string]uint32{}, "" // name before
	e.indexes = e.indexes[:0]
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
		for range n {
			e.indexes = append(e.indexes, number)
		}
	}
	e.writeDictionary(len(known))
}

func (e *encoder) writeDictionary(values int) {
	e.width = bits.Len(uint(max(0, values-1)))
	e.writePage(dictionaryPage, values, plain)
	e.dictionary = len(e.data)
}

// appendIndexes writes those that repeat as runs, and the others packed.
func (e *encoder) appendIndexes(indexes []uint32) {
	e.page = append(e.page, byte(e.width))
	from := 0
	for at := 0; at < len(indexes); {
		end := at + 1
		for end < len(indexes) && indexes[end] == indexes[at] {
			end++
		}
		if end-at < packedTogether && end < len(indexes) {
			at = min(at+packedTogether, len(indexes))
			continue
		}
		e.appendPackedIndexes(indexes[from:at])
		e.page = binary.AppendUvarint(e.page, uint64(end-at)<<1)
		for bit := 0; bit < e.width; bit += 8 {
			e.page = append(e.page, byte(indexes[at]>>bit))
		}
		at, from = end, end
	}
	e.appendPackedIndexes(indexes[from:])
}

// packedTogether is how many indexes are packed at least: they are whole bytes together.
const packedTogether = 8

func (e *encoder) appendPackedIndexes(indexes []uint32) {
	if len(indexes) == 0 {
		return
	}
	n := (len(indexes) + packedTogether - 1) / packedTogether
	e.page = binary.AppendUvarint(e.page, uint64(n)<<1|1)
	end := len(e.page) + n*e.width
	e.page = appendPacked(e.page, indexes, e.width)
	e.page = append(e.page, make([]byte, end-len(e.page))...)
}

// Differences are written in blocks of as many parts, each with as many bits for a difference as its greatest needs.
const blockSize, partsOfBlock = 128, 4

// appendDifferences writes the differences between values, less the least of each block: steps and lines take hardly any bits, which saves
// most of the time for compression.
func (e *encoder) appendDifferences(values []int64) {
	e.page = binary.AppendUvarint(binary.AppendUvarint(e.page, blockSize), partsOfBlock)
	e.page = binary.AppendUvarint(e.page, uint64(len(values)))
	if len(values) == 0 {
		e.page = binary.AppendVarint(e.page, 0)
		return
	}
	last := values[0]
	e.page = binary.AppendVarint(e.page, last)
	for values = values[1:]; len(values) > 0; values = values[min(blockSize, len(values)):] {
		var block [blockSize]int64
		rows, least := values[:min(blockSize, len(values))], int64(math.MaxInt64)
		for k, x := range rows {
			block[k] = x - last // it may overflow, and so will the sum of who reads it
			last, least = x, min(least, block[k])
		}
		for k := range rows {
			block[k] -= least
		}
		e.page = binary.AppendVarint(e.page, least)
		widths := len(e.page)
		e.page = append(e.page, make([]byte, partsOfBlock)...)
		const size = blockSize / partsOfBlock
		for part := 0; part*size < len(rows); part++ {
			of, all := block[part*size:(part+1)*size], uint64(0)
			for _, x := range of {
				all |= uint64(x)
			}
			e.page[widths+part] = byte(bits.Len64(all))
			e.page = appendPacked(e.page, of, bits.Len64(all))
		}
	}
}

// appendPacked appends the lowest bits of values.
func appendPacked[T int64 | uint32](out []byte, values []T, width int) []byte {
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
	e.compressed = e.zstd.EncodeAll(e.page, e.compressed[:0])
	var t thrift
	t.begin()
	t.integer(1, kind)
	t.integer(2, int64(len(e.page)))
	t.integer(3, int64(len(e.compressed)))
	t.integer(4, int64(int32(crc32.ChecksumIEEE(e.compressed))))
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
	e.data = append(append(slices.Grow(e.data, len(t.out)+len(e.compressed)), t.out...), e.compressed...)
	e.uncompressed += len(t.out) + len(e.page)
	e.page = e.page[:0]
}

func count01(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

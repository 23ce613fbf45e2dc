package arrowfile

import (
	"bytes"
	"math"
	"slices"
	"strconv"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"vantage/loaders/fileio"
	"vantage/loaders/jsonscan"
)

// batch gives the columns of a batch of rows what is theirs: each a count of values, and buffers.
type batch struct {
	rows         int
	nodes        vector // of pairs: values, and how many of them are null
	buffers      vector // of pairs: place in the body, and length
	views        vector // of numbers: how many buffers of texts a column of views has
	body         []byte
	codec        codec
	node, buffer int // that are next
	view         int
	room         int64 // bytes that may still be unpacked
	dictionaries map[int64]*column
}

type codec byte

const (
	plain codec = iota
	packedLZ4
	packedZstd
)

func newBatch(header table, body []byte, dictionaries map[int64]*column) (*batch, error) {
	b := &batch{
		nodes: header.vector(1), buffers: header.vector(2), views: header.vector(4), body: body,
		room: maxBody(), dictionaries: dictionaries,
	}
	if packing := header.table(3); packing.isThere() {
		b.codec = packedLZ4 + codec(packing.byte(0))
	}
	rows := header.int64(0)
	if rows < 0 || rows > math.MaxInt32 || b.codec > packedZstd {
		return nil, errDamaged
	}
	b.rows = int(rows)
	return b, nil
}

// column is a field of a batch of rows.
type column struct {
	of       *field
	n        int
	valid    []byte   // a bit for each value; nil if none is null
	ends     []byte   // where lists and texts begin and end, or the views of texts
	data     []byte   // numbers, or texts
	others   [][]byte // texts of views
	children []*column
	values   *column // of the dictionary that data has the numbers of
	before   *column // values of the dictionary before these
}

// column takes the next column from the batch.
func (b *batch) column(f *field) (*column, error) {
	if f.index != nil {
		c, err := b.column(f.index)
		if err == nil {
			c.values = b.dictionaries[f.id]
		}
		return c, err
	}
	n, nulls := b.nodes.pair(b.node)
	if 16*b.node >= len(b.nodes.b)-b.nodes.at || n < 0 || n > math.MaxInt32 {
		return nil, errDamaged
	}
	b.node++
	c := &column{of: f, n: int(n)}
	if err := b.fill(c, nulls); err != nil {
		return nil, err
	}
	for i := range f.children {
		child, err := b.column(&f.children[i])
		if err != nil {
			return nil, err
		}
		c.children = append(c.children, child)
	}
	if !c.fitsChildren() {
		return nil, errDamaged
	}
	return c, nil
}

// fitsChildren reports whether a column has the columns that its type needs, and these as many values.
func (c *column) fitsChildren() bool {
	switch n := len(c.children); c.of.kind {
	case kindStruct:
		return !slices.ContainsFunc(c.children, func(child *column) bool { return child.n < c.n })
	case kindFixedList:
		return n == 1 && int64(c.children[0].n) >= int64(c.n)*int64(c.of.width)
	case kindList, kindLongList:
		return n == 1
	case kindMap:
		return n == 1 && len(c.children[0].children) == 2
	default:
		return true
	}
}

// fill takes the buffers of a column, as many as its type has, of the lengths that its values need.
func (b *batch) fill(c *column, nulls int64) (err error) {
	f, n := c.of, int64(c.n)
	if f.kind == kindNull {
		return nil
	}
	needed := (n + 7) / 8
	if nulls == 0 { // the bits may be left out
		needed = 0
	}
	if c.valid, err = b.next(needed); err != nil {
		return err
	}
	if nulls == 0 {
		c.valid = nil
	}
	const view = 16
	switch f.kind {
	case kindInt, kindFloat, kindDecimal, kindFixedBytes:
		c.data, err = b.next(n * int64(f.width))
	case kindBool:
		c.data, err = b.next((n + 7) / 8)
	case kindText, kindBinary, kindList, kindMap:
		c.ends, err = b.next((n + 1) * 4)
	case kindLongText, kindLongBinary, kindLongList:
		c.ends, err = b.next((n + 1) * 8)
	case kindTextView, kindBinaryView:
		c.ends, err = b.next(n * view)
	default:
	}
	if err != nil && n > 0 {
		return err
	}
	return b.fillTexts(c)
}

// fillTexts takes the buffers with the texts of a column.
func (b *batch) fillTexts(c *column) (err error) {
	switch c.of.kind {
	case kindText, kindBinary, kindLongText, kindLongBinary:
		c.data, err = b.next(0)
	case kindTextView, kindBinaryView:
		more := uint64At(b.views.b, b.views.at+8*b.view)
		b.view++
		if more > uint64(b.buffers.n) {
			return errDamaged
		}
		for range more {
			other, err := b.next(0)
			if err != nil {
				return err
			}
			c.others = append(c.others, other)
		}
	default:
	}
	return err
}

// next returns the next buffer, unpacked. It is an error if it has fewer bytes than are needed.
func (b *batch) next(needed int64) ([]byte, error) {
	from, n := b.buffers.pair(b.buffer)
	size := int64(len(b.body))
	if 16*b.buffer >= len(b.buffers.b)-b.buffers.at || from < 0 || n < 0 || from > size || n > size-from {
		return nil, errDamaged
	}
	b.buffer++
	data := b.body[from : from+n]
	if b.codec != plain && n > 0 {
		var err error
		if data, err = b.unpack(data); err != nil {
			return nil, err
		}
	}
	if int64(len(data)) < needed {
		return nil, errDamaged
	}
	return data, nil
}

// unpack unpacks a buffer. It begins with its length, -1 if it is not packed.
func (b *batch) unpack(packed []byte) ([]byte, error) {
	if len(packed) < 8 {
		return nil, errDamaged
	}
	length := int64(uint64At(packed, 0))
	packed = packed[8:]
	switch {
	case length == -1:
		return packed, nil
	case length < 0:
		return nil, errDamaged
	case length > b.room:
		return nil, fileio.NotRead("it has a batch of rows that unpacks to more than %d MB: save it in smaller ones", maxBody()>>20)
	}
	b.room -= length
	if b.codec == packedLZ4 {
		return unpackLZ4(packed, length)
	}
	z, err := zstd.NewReader(bytes.NewReader(packed), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(uint64(maxBody())))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	data, err := readAll(z, length, nil)
	if err != nil { // the end of the file is another thing
		return nil, errDamaged
	}
	return data, nil
}

// unpackLZ4 unpacks a frame of LZ4: a header, and blocks that may refer to the 64 KB before them. Checksums are passed over.
func unpackLZ4(frame []byte, length int64) ([]byte, error) {
	const (
		magic, headerSize           = "\x04\x22\x4d\x18", 7
		hasSize, hasID, hasChecksum = 1 << 3, 1 << 0, 1 << 4
		isStored, window, maxBlock  = 1 << 31, 64 << 10, 4 << 20
	)
	if len(frame) < headerSize || !bytes.HasPrefix(frame, []byte(magic)) {
		return nil, errDamaged
	}
	flags := frame[len(magic)]
	at := headerSize
	if flags&hasSize != 0 {
		at += 8
	}
	if flags&hasID != 0 {
		at += 4
	}
	var data []byte
	for int64(len(data)) < length {
		head := uint32At(frame, at)
		block := cut(frame, at+4, at+4+int(head&^isStored))
		if len(block) == 0 {
			return nil, errDamaged
		}
		if at += 4 + len(block); flags&hasChecksum != 0 {
			at += 4
		}
		if head&isStored != 0 {
			data = append(data, block...)
			continue
		}
		room := min(maxBlock, length-int64(len(data)))
		data = slices.Grow(data, int(room))
		n, err := lz4.UncompressBlockWithDict(block, data[len(data):len(data)+int(room)], data[max(0, len(data)-window):])
		if err != nil || n == 0 {
			return nil, errDamaged
		}
		data = data[:len(data)+n]
	}
	return data, nil
}

// writer writes values as JSON, as Python's json.dumps does.
type writer struct {
	json  []byte
	depth int // of the value that is written: the dictionaries of a damaged table may have dictionaries
}

func (w *writer) value(c *column, i int) {
	w.depth++
	defer func() { w.depth-- }()
	switch {
	case len(w.json) > maxLine: // the row is refused
	case !c.has(i), w.depth > 2*maxDepth:
		w.json = append(w.json, "null"...)
	case c.values != nil:
		v, at := c.values.entry(c.int(i))
		w.value(v, at)
	default:
		w.content(c, i)
	}
}

// has reports whether there is a value, and not null, at a place, which a damaged table may name beyond the column.
func (c *column) has(i int) bool {
	return c != nil && i >= 0 && i < c.n && (c.valid == nil || bitAt(c.valid, i))
}

func bitAt(b []byte, i int) bool { return b[i/8]>>(i%8)&1 == 1 }

// entry is the value of a dictionary with a number.
func (c *column) entry(i int64) (*column, int) {
	size := int64(0)
	for b := c.before; b != nil; b = b.before {
		size += int64(b.n)
	}
	for c.before != nil && i < size {
		c = c.before
		size -= int64(c.n)
	}
	return c, int(max(-1, min(i-size, math.MaxInt32)))
}

func (w *writer) content(c *column, i int) {
	switch f := c.of; f.kind {
	case kindInt:
		if !f.signed {
			w.json = strconv.AppendUint(w.json, c.uint(i), 10)
			return
		}
		w.json = strconv.AppendInt(w.json, c.int(i), 10)
	case kindFloat:
		w.json = jsonscan.AppendNumber(w.json, c.float(i))
	case kindDecimal:
		low, high := uint64At(c.data, 16*i), int64(uint64At(c.data, 16*i+8))
		x := math.Ldexp(float64(high), 64) + float64(low)
		if isInt64 := high == int64(low)>>63; isInt64 {
			x = float64(int64(low))
		}
		w.json = jsonscan.AppendNumber(w.json, x/math.Pow10(f.scale))
	case kindBool:
		w.json = strconv.AppendBool(w.json, bitAt(c.data, i))
	case kindText, kindLongText, kindTextView:
		w.json = jsonscan.AppendText(w.json, c.text(i))
	case kindList, kindLongList, kindFixedList, kindMap:
		w.list(c, i)
	case kindStruct:
		w.object(c, i)
	default: // bytes, and nothing
		w.json = append(w.json, "null"...)
	}
}

func (w *writer) list(c *column, i int) {
	child, brackets := c.children[0], "[]"
	from, to := c.span(i)
	from, to = max(from, 0), min(to, child.n)
	if c.of.kind == kindMap {
		brackets = "{}"
	}
	w.json = append(w.json, brackets[0])
	for ; from < to && len(w.json) <= maxLine; from++ {
		if c.of.kind == kindMap {
			w.key(child.children[0], from)
			w.value(child.children[1], from)
		} else {
			w.value(child, from)
		}
		w.json = append(w.json, ',')
	}
	w.json = jsonscan.AppendEnd(w.json, brackets[1])
}

// key writes the key of a map, a text whatever it is.
func (w *writer) key(c *column, i int) {
	start := len(w.json)
	if w.value(c, i); w.json[start] != '"' {
		w.json = jsonscan.AppendText(w.json[:start], string(w.json[start:]))
	}
	w.json = append(w.json, ':')
}

// object writes a struct without its null fields: each has those of all others.
func (w *writer) object(c *column, i int) {
	w.json = append(w.json, '{')
	for k, child := range c.children {
		if child.has(i) && child.of.kind != kindNull {
			w.json = append(jsonscan.AppendText(w.json, c.of.children[k].name), ':')
			w.value(child, i)
			w.json = append(w.json, ',')
		}
	}
	w.json = jsonscan.AppendEnd(w.json, '}')
}

func (c *column) uint(i int) uint64 {
	switch c.of.width {
	case 1:
		return uint64(c.data[i])
	case 2:
		return uint64(uint16At(c.data, 2*i))
	case 4:
		return uint64(uint32At(c.data, 4*i))
	}
	return uint64At(c.data, 8*i)
}

func (c *column) int(i int) int64 {
	if !c.of.signed {
		return int64(c.uint(i))
	}
	unused := 64 - 8*c.of.width
	return int64(c.uint(i)<<unused) >> unused
}

func (c *column) float(i int) float64 {
	switch c.of.width {
	case 2:
		return jsonscan.Float16(uint16At(c.data, 2*i))
	case 4:
		return float64(math.Float32frombits(uint32At(c.data, 4*i)))
	}
	return math.Float64frombits(uint64At(c.data, 8*i))
}

// span is where a list or a text begins and ends.
func (c *column) span(i int) (from, to int) {
	switch c.of.kind {
	case kindFixedList:
		return i * c.of.width, (i + 1) * c.of.width
	case kindLongText, kindLongList:
		return int(uint64At(c.ends, 8*i)), int(uint64At(c.ends, 8*i+8))
	default:
	}
	return int(int32(uint32At(c.ends, 4*i))), int(int32(uint32At(c.ends, 4*i+4)))
}

func (c *column) text(i int) []byte {
	if c.of.kind != kindTextView {
		from, to := c.span(i)
		return cut(c.data, from, to)
	}
	const view, inView = 16, 12
	n := int(int32(uint32At(c.ends, view*i)))
	if n <= inView {
		return cut(c.ends, view*i+4, view*i+4+n)
	}
	other := int(uint32At(c.ends, view*i+8))
	if other >= len(c.others) {
		return nil
	}
	from := int(uint32At(c.ends, view*i+12))
	return cut(c.others[other], from, from+n)
}

// cut is a part of bytes, nil if it lies outside of them.
func cut(b []byte, from, to int) []byte {
	if from < 0 || to < from || to > len(b) {
		return nil
	}
	return b[from:to]
}

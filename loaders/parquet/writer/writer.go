// Package writer writes Parquet files: flat columns of five types, one row group after another. What it holds in memory does not grow
// with the rows.
//
// [Writer.Encode] encodes row groups, on as many processors as goroutines call it; [Writer.Write] appends them; [Writer.Close] writes the
// footer, without which a file is cut. Whole numbers are stored as differences, names and numbers that repeat as a dictionary, other
// numbers byte by byte, all else plain; pages are compressed with zstd. The format is that of github.com/apache/parquet-format.
package writer

import (
	"encoding/binary"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Writer writes one file.
type Writer struct {
	out     io.Writer
	columns []Column
	zstd    *zstd.Encoder
	offset  int64 // of what comes next
	rows    int64
	groups  []*RowGroup // without their data

	encoders sync.Pool // whose memory is used again
}

// Column is a column of the file.
type Column struct {
	Name     string
	Type     Type
	Optional bool
}

// Type is what the values of a column are.
type Type int

// The types.
const (
	Integer Type = iota
	Number
	Bool
	Name // text that repeats
	Text
)

// Cells are the values of a column in a row group. Missing is read of an optional column, and else the slice of its type.
type Cells struct {
	Missing  []bool
	Integers []int64
	Numbers  []float64
	Bools    []bool
	Texts    []string
	Counts   []int // of names: of how many rows each of Texts is, one after another, all missing or none; nil if each is of one
}

// RowGroup is some rows, encoded.
type RowGroup struct {
	rows   int
	chunks []chunk // by column
}

// The numbers that the format gives to types, encodings, pages and codecs.
const (
	storedBool, storedInt64, storedDouble, storedBytes = 0, 2, 5, 6
	plain, runs, differences, indexes, streams         = 0, 3, 5, 8, 9
	dataPage, dictionaryPage                           = 0, 2
	codecZstd                                          = 6
)

const magic = "PAR1"

// New begins a file.
func New(out io.Writer, columns []Column) (*Writer, error) {
	compressor, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(maxPageText), zstd.WithLowerEncoderMem(true),
		zstd.WithZeroFrames(true), zstd.WithEncoderCRC(false))
	if err != nil {
		return nil, err
	}
	w := &Writer{out: out, columns: columns, zstd: compressor}
	w.encoders.New = func() any { return &encoder{Writer: w} }
	return w, w.write([]byte(magic))
}

func (w *Writer) write(data []byte) error {
	n, err := w.out.Write(data)
	w.offset += int64(n)
	return err
}

// Write appends a row group.
func (w *Writer) Write(g *RowGroup) error {
	for k := range g.chunks {
		c := &g.chunks[k]
		c.offset = w.offset
		if err := w.write(c.data); err != nil {
			return err
		}
		c.data = nil
	}
	w.rows += int64(g.rows)
	w.groups = append(w.groups, g)
	return nil
}

// Close writes the footer. The file is not closed.
func (w *Writer) Close() error {
	var t thrift
	t.begin()
	t.integer(1, 2) // version
	t.list(2, len(w.columns)+1, thriftStruct)
	t.begin()
	t.text(4, "samples")
	t.integer(5, int64(len(w.columns)))
	t.end()
	for k := range w.columns {
		w.columns[k].describe(&t)
	}
	t.long(3, w.rows)
	t.list(4, len(w.groups), thriftStruct)
	for _, g := range w.groups {
		t.begin()
		t.list(1, len(g.chunks), thriftStruct)
		size := 0
		for k := range g.chunks {
			g.chunks[k].describe(&t, &w.columns[k], g.rows)
			size += g.chunks[k].uncompressed
		}
		t.long(2, int64(size))
		t.long(3, int64(g.rows))
		t.end()
	}
	t.text(6, "vantage")
	t.list(7, len(w.columns), thriftStruct) // least and greatest values are by the order of the type
	for range w.columns {
		t.begin()
		t.nothing(1)
		t.end()
	}
	t.end()
	return w.write(append(binary.LittleEndian.AppendUint32(t.out, uint32(len(t.out))), magic...))
}

// stored is the number of the type as which values are stored.
func (c *Column) stored() int64 {
	return [...]int64{Integer: storedInt64, Number: storedDouble, Bool: storedBool, Name: storedBytes, Text: storedBytes}[c.Type]
}

func (c *Column) describe(t *thrift) {
	t.begin()
	t.integer(1, c.stored())
	t.integer(3, int64(count01(c.Optional)))
	t.text(4, c.Name)
	if c.Type == Name || c.Type == Text {
		t.integer(6, 0) // it is UTF-8, by the old annotation and by the new one
		t.field(10, thriftStruct)
		t.begin()
		t.nothing(1)
		t.end()
	}
	t.end()
}

func (c *chunk) describe(t *thrift, of *Column, rows int) {
	t.begin()
	t.long(2, c.offset)
	t.field(3, thriftStruct)
	t.begin()
	t.integer(1, of.stored())
	encodings := []int64{runs, c.encoding}
	if c.dictionary > 0 {
		encodings = append(encodings, plain)
	}
	t.list(2, len(encodings), thriftInt32)
	for _, e := range encodings {
		t.number(e)
	}
	t.list(3, 1, thriftBinary)
	t.bytes([]byte(of.Name))
	t.integer(4, codecZstd)
	t.long(5, int64(rows))
	t.long(6, int64(c.uncompressed))
	t.long(7, int64(c.size))
	t.long(9, c.offset+int64(c.dictionary))
	if c.dictionary > 0 {
		t.long(11, c.offset)
	}
	t.field(12, thriftStruct)
	t.begin()
	t.long(3, int64(c.nulls))
	if c.most != nil {
		t.text(5, string(c.most))
		t.text(6, string(c.least))
	}
	t.end()
	t.end()
	t.end()
}

// thrift encodes the compact protocol of Thrift, the encoding of headers and footers.
type thrift struct {
	out  []byte
	last []int // field of each open structure
}

// Types of fields.
const (
	thriftInt32  = 5
	thriftInt64  = 6
	thriftBinary = 8
	thriftList   = 9
	thriftStruct = 12
)

func (t *thrift) begin() { t.last = append(t.last, 0) }

func (t *thrift) end() {
	t.out = append(t.out, 0)
	t.last = t.last[:len(t.last)-1]
}

// field begins a field, which comes after those of lower numbers: by less than 16, as all do here.
func (t *thrift) field(id int, kind byte) {
	last := &t.last[len(t.last)-1]
	t.out = append(t.out, byte(id-*last)<<4|kind)
	*last = id
}

// nothing writes a structure without fields: its number is what it says.
func (t *thrift) nothing(id int) {
	t.field(id, thriftStruct)
	t.begin()
	t.end()
}

func (t *thrift) number(x int64) { t.out = binary.AppendVarint(t.out, x) }

func (t *thrift) integer(id int, x int64) {
	t.field(id, thriftInt32)
	t.number(x)
}

func (t *thrift) long(id int, x int64) {
	t.field(id, thriftInt64)
	t.number(x)
}

func (t *thrift) bytes(b []byte) { t.out = append(binary.AppendUvarint(t.out, uint64(len(b))), b...) }

func (t *thrift) text(id int, s string) {
	t.field(id, thriftBinary)
	t.bytes([]byte(s))
}

func (t *thrift) list(id, n int, kind byte) {
	t.field(id, thriftList)
	if n < 15 {
		t.out = append(t.out, byte(n)<<4|kind)
		return
	}
	t.out = binary.AppendUvarint(append(t.out, 15<<4|kind), uint64(n))
}

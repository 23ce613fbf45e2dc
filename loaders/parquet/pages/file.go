// Package pages reads columns of Parquet files, page by page, into slices: numbers, bools and texts of flat
// columns, and values with their levels (as in the Dremel paper) of lists, structs and maps. For an encoding
// or a codec that it does not know it returns [ErrUnsupported].
//
// The format is https://parquet.apache.org/docs/file-format/: a file ends in a footer, which
// says where the chunk of each column of each row group lies. A chunk is a sequence of pages,
// each after a header, the dictionary first.
//
// Every size in a file is checked against the size of the file before memory is allocated for
// it.
package pages

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Why a file cannot be read.
var (
	ErrUnsupported = errors.New("a column is encoded or compressed in a way that is not known here")
	ErrBroken      = errors.New("it is broken")
)

// File is an open Parquet file.
type File struct {
	Columns []Column // the leaves of the schema
	Fields  []Node   // the columns as a person knows them
	Groups  []Group
	r       io.ReaderAt
	whole   []byte // the bytes of the file if Open has read all of them, else nil
	size    int64
	footer  int64   // offset
	memory  *Memory // nil if what is read has memory of its own
	index   Index
}

// Kind is what a column holds.
type Kind int

// The kinds. Numbers of any width are read as float64.
const (
	Nested Kind = iota // or repeated, or of another type: it is read through [Page.Values] only
	Number
	Bool // 0 or 1
	Text
)

// Column is a leaf of the schema.
type Column struct {
	Name     string // path in the schema, joined by dots
	Field    string // its first part: the column as a person knows it
	Kind     Kind
	Optional bool         // it may hold nulls
	Number   NumberFormat // of values that are numbers

	stored                 Kind // of the values, whatever they are in
	width                  int  // of a text in bytes, 0 if it varies
	repetition, definition int  // the highest levels
}

// Group is a row group.
type Group struct {
	Rows   int64
	chunks []chunk // parallel to Columns
}

type chunk struct {
	codec        int
	values       int64
	offset, size int64
	nulls        int // -1 if unknown
}

// Physical types, by their numbers in the format.
const (
	typeBoolean = iota
	typeInt32
	typeInt64
	typeInt96
	typeFloat
	typeDouble
	typeByteArray
	typeFixedByteArray
)

// MaxInMemory is the size in bytes up to which Open reads the whole file.
const MaxInMemory = 128 << 10

// Open reads the footer of a Parquet file of that size. A file that it reads as a whole uses m until the last read; m is nil if
// it is not used again. A file that is not complete yet is io.ErrUnexpectedEOF.
func Open(r io.ReaderAt, size int64, m *Memory) (*File, error) {
	f := &File{r: r, size: size}
	if m == nil {
		m = &Memory{}
	} else if size <= MaxInMemory { // what a large file holds of a group goes with that
		f.memory = m
	}
	tail := resize(&m.file, int(min(size, MaxInMemory)))
	if _, err := r.ReadAt(tail, size-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	end := len(tail) - 8
	if end < 4 || string(tail[end+4:]) != "PAR1" {
		return nil, io.ErrUnexpectedEOF
	}
	n := int64(binary.LittleEndian.Uint32(tail[end:]))
	if f.footer = size - 8 - n; f.footer < 4 {
		return nil, fmt.Errorf("%w: its footer claims to be larger than the file", ErrBroken)
	}
	if int64(len(tail)) == size {
		f.whole = tail
	}
	footer := tail[max(0, end-int(n)):end]
	if int64(len(footer)) < n {
		footer = make([]byte, n)
		if _, err := r.ReadAt(footer, f.footer); err != nil {
			return nil, err
		}
	}
	return f, f.decodeFooter(&thriftDecoder{data: footer}, &m.schema)
}

// Fetcher is implemented by files whose bytes come from far: Fetch says that a range is read next, and does not wait.
type Fetcher interface{ Fetch(offset, size int64) }

// maxFetch is the largest column of a group that is fetched ahead as a whole.
const maxFetch = 4 << 20

// WillRead says that a column of a row group is read next.
func (f *File) WillRead(group, column int) {
	c := f.Groups[group].chunks[column]
	if far, ok := f.r.(Fetcher); ok && !f.InMemory() && c.size <= maxFetch {
		far.Fetch(c.offset, c.size)
	}
}

func (f *File) decodeFooter(d *thriftDecoder, schema *schemaCache) (err error) {
	rows, all, hasGroups := int64(0), int64(0), false
	d.fields(func(id int, kind byte) {
		switch {
		case id == 2 && kind == thriftList:
			f.Columns, f.Fields = schema.decode(d)
		case id == 3:
			all = d.integer(kind)
		case id == 4 && kind == thriftList:
			hasGroups = true
			d.list(func(byte) {
				g := decodeGroup(d, len(f.Columns))
				f.Groups, rows = append(f.Groups, g), rows+g.Rows
				if !d.failed {
					err = f.check(g, rows)
				}
				d.failed = d.failed || err != nil // no memory for groups after it
			})
		}
	})
	if err == nil && (d.failed || !hasGroups) {
		err = fmt.Errorf("%w: its footer ends early", ErrBroken)
	}
	if err == nil && rows != all {
		err = fmt.Errorf("%w: its groups of rows have %d rows of %d", ErrBroken, rows, all)
	}
	return err
}

// The number of rows is bounded by the size of the file, since equal values take no space, and so is
// the number of values that are decoded at a time, which a reader holds in some 16 bytes each.
const (
	freeRows       = 1 << 20
	freeCells      = 4 << 20
	maxRowsPerByte = 64
)

// HasRoom reports whether so many values may be decoded at a time.
func (f *File) HasRoom(cells int) bool {
	return cells <= freeCells || int64(cells/maxRowsPerByte) <= f.size
}

// check compares a row group, up to which there are so many rows, with the schema and the size of
// the file.
func (f *File) check(g Group, rows int64) error {
	if rows > freeRows && rows/maxRowsPerByte > f.size {
		return fmt.Errorf("%w: it claims to have %d rows, which it has no room for", ErrBroken, rows)
	}
	if len(g.chunks) != len(f.Columns) {
		return fmt.Errorf("%w: a group of rows has %d columns of %d", ErrBroken, len(g.chunks), len(f.Columns))
	}
	for i, c := range g.chunks {
		switch {
		case g.Rows < 0 || c.offset < 4 || c.size < 0 || c.offset > f.footer-c.size:
			return fmt.Errorf("%w: a column claims to be outside of the file", ErrBroken)
		case f.Columns[i].Kind != Nested && c.values != g.Rows:
			return fmt.Errorf("%w: a column has %d values for %d rows", ErrBroken, c.values, g.Rows)
		}
	}
	return nil
}

// Nulls returns how many nulls a column has, -1 if unknown.
func (f *File) Nulls(column int) int {
	n := 0
	for _, g := range f.Groups {
		if g.chunks[column].nulls < 0 {
			return -1
		}
		n += g.chunks[column].nulls
	}
	return n
}

// decodeGroup decodes a row group; columns is a hint.
func decodeGroup(d *thriftDecoder, columns int) Group {
	g := Group{chunks: make([]chunk, 0, columns)}
	d.fields(func(id int, kind byte) {
		switch {
		case id == 1 && kind == thriftList:
			d.list(func(byte) {
				c := chunk{nulls: -1, codec: -1}
				d.fields(func(id int, kind byte) {
					if id == 3 && kind == thriftStruct {
						c.decodeMetadata(d)
					}
				})
				g.chunks = append(g.chunks, c)
			})
		case id == 3:
			g.Rows = d.integer(kind)
		}
	})
	return g
}

// decodeMetadata decodes a ColumnMetaData. A chunk begins with its dictionary, if it has one.
func (c *chunk) decodeMetadata(d *thriftDecoder) {
	var data, dictionary int64
	d.fields(func(id int, kind byte) {
		switch {
		case id == 4:
			c.codec = int(d.integer(kind))
		case id == 5:
			c.values = d.integer(kind)
		case id == 7:
			c.size = d.integer(kind)
		case id == 9:
			data = d.integer(kind)
		case id == 11:
			dictionary = d.integer(kind)
		case id == 12 && kind == thriftStruct:
			d.integers(nil, nil, &c.nulls)
		}
	})
	if c.offset = data; dictionary > 0 && dictionary < data {
		c.offset = dictionary
	}
}

// Bytes returns the size of a column chunk in the file.
func (f *File) Bytes(group, column int) int64 { return f.Groups[group].chunks[column].size }

// Buffer returns a buffer, which is for the caller alone until the memory of the file, if it has one, is reset.
func (f *File) Buffer() *Buffer {
	if f.memory == nil {
		return &Buffer{}
	}
	return f.memory.buffers.next()
}

// InMemory reports whether Open has read the whole file.
func (f *File) InMemory() bool { return f.whole != nil }

// schemaCache holds the last schema: the files of a run have the same one.
type schemaCache struct {
	raw    []byte // its Thrift encoding
	leaves []Column
	fields []Node
}

// Node is a column of a table, or a part of one that is not flat.
type Node struct {
	Name                   string
	Children               []Node // none of a leaf
	First, Leaves          int    // its leaves among all
	Optional, Repeated     bool
	Repetition, Definition int // the levels of a value that is there
}

// IsFlat reports whether a column has one value in each row, or none.
func (n *Node) IsFlat() bool { return len(n.Children) == 0 && !n.Repeated }

// decode decodes a schema, or returns the same slices as before if the bytes are equal.
func (s *schemaCache) decode(d *thriftDecoder) ([]Column, []Node) {
	if len(s.raw) > 0 && bytes.HasPrefix(d.data[d.offset:], s.raw) {
		d.offset += len(s.raw)
		return s.leaves, s.fields
	}
	var tree []element
	from := d.offset
	d.list(func(kind byte) {
		tree = append(tree, decodeElement(d))
		d.failed = d.failed || kind != thriftStruct || len(tree) > maxElements
	})
	d.failed = d.failed || !isTree(tree)
	b := schemaBuilder{room: maxNames}
	if s.fields = nil; len(tree) > 0 {
		b.rest = tree[1:]
		s.fields = b.nodes(tree[0].children, &Node{}, "", 0)
	}
	s.leaves, s.raw = b.columns, nil
	if !d.failed {
		s.raw = bytes.Clone(d.data[from:d.offset])
	}
	return s.leaves, s.fields
}

// maxElements and maxNames bound a schema: an element takes a byte of a file and a hundred of memory,
// and each leaf repeats the names of all above it.
const (
	maxElements = 40_000
	maxNames    = 8 << 20
)

// isTree reports whether each element but the first is the child of one.
func isTree(tree []element) bool {
	children := 0
	for i := range tree {
		if children += tree[i].children; tree[i].children < 0 || children >= len(tree) {
			return false
		}
	}
	return children == len(tree)-1
}

// element is a SchemaElement; the footer lists the tree depth first.
type element struct {
	name                                          string
	physical, length, repetition, children, scale int
	meaning                                       meaning
}

// Repetition, by its number in the format.
const (
	optional = 1
	repeated = 2
)

func decodeElement(d *thriftDecoder) element {
	n := element{physical: -1}
	d.fields(func(id int, kind byte) {
		switch id {
		case 1:
			n.physical = int(d.integer(kind))
		case 2:
			n.length = int(d.integer(kind))
		case 3:
			n.repetition = int(d.integer(kind))
		case 4:
			d.failed = d.failed || kind != thriftBinary
			n.name = string(d.bytes())
		case 5:
			n.children = int(d.integer(kind))
		case 6: // a ConvertedType, the older form of a logical type
			switch d.integer(kind) {
			case 5:
				n.meaning = decimal
			case 11, 12, 13, 14: // 8 to 64 bits
				n.meaning = unsigned
			}
		case 7:
			n.scale = int(d.integer(kind))
		case 10:
			if kind == thriftStruct {
				n.decodeLogical(d)
			}
		}
	})
	return n
}

// decodeLogical decodes a LogicalType, as far as it changes which number a value is.
func (n *element) decodeLogical(d *thriftDecoder) {
	d.fields(func(id int, kind byte) {
		switch {
		case id == 5 && kind == thriftStruct:
			n.meaning = decimal
			d.integers(&n.scale)
		case id == 10 && kind == thriftStruct:
			d.fields(func(id int, kind byte) {
				if id == 2 && kind != thriftTrue {
					n.meaning = unsigned
				}
			})
		case id == 15:
			n.meaning = float16
		}
	})
}

// schemaBuilder makes columns and nodes of the elements of a schema.
type schemaBuilder struct {
	rest    []element
	room    int // for names
	columns []Column
}

// nodes returns the next n nodes, which are beneath another; fewer once names have used up the room.
func (b *schemaBuilder) nodes(n int, above *Node, prefix string, depth int) []Node {
	var all []Node
	for range n {
		if len(b.rest) == 0 {
			break
		}
		e := b.rest[0]
		if b.rest, b.room = b.rest[1:], b.room-len(prefix)-len(e.name); b.room < 0 {
			b.rest = nil
			break
		}
		all = append(all, b.node(&e, above, prefix, depth))
	}
	return all
}

func (b *schemaBuilder) node(e *element, above *Node, prefix string, depth int) Node {
	n := Node{
		Name: e.name, First: len(b.columns), Optional: e.repetition == optional, Repeated: e.repetition == repeated,
		Repetition: above.Repetition, Definition: above.Definition,
	}
	if n.Repeated {
		n.Repetition++
	}
	if n.Repeated || n.Optional {
		n.Definition++
	}
	if e.children > 0 && depth <= maxNesting {
		n.Children = b.nodes(e.children, &n, prefix+e.name+".", depth+1)
	} else {
		c := Column{
			Name: prefix + e.name, Optional: n.Optional, Number: newNumberFormat(e), repetition: n.Repetition, definition: n.Definition,
		}
		c.stored, c.width = storedAs(e, &c.Number)
		if isOther := c.stored == Text && (c.width > 0 || c.Number.IsNumber()); depth == 0 && !n.Repeated && !isOther {
			c.Kind = c.stored
		}
		b.columns = append(b.columns, c)
	}
	n.Leaves = len(b.columns) - n.First
	if depth == 0 {
		for i := range n.Leaves {
			b.columns[n.First+i].Field = e.name
		}
	}
	return n
}

// storedAs returns how the values of a leaf are stored: numbers of a variable width as texts.
func storedAs(e *element, f *NumberFormat) (k Kind, width int) {
	switch {
	case e.physical == typeBoolean:
		return Bool, 0
	case f.width > 0:
		return Number, 0
	case e.physical == typeByteArray:
		return Text, 0
	case e.physical == typeInt96:
		return Text, 12
	case e.physical == typeFixedByteArray && e.length > 0:
		return Text, e.length
	}
	return Nested, 0
}

package pages

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// The ways in which a file cannot be read.
var (
	ErrUnsupported = errors.New("not a flat column in a common encoding")
	ErrBroken      = errors.New("it is broken")
)

// File is an open Parquet file.
type File struct {
	Columns []Column
	Groups  []Group
	r       io.ReaderAt
	size    int64
	memory  *Memory
	index   Index
}

// Kind is what a column holds.
type Kind int

// The kinds. Numbers of any width are read as float64.
const (
	Nested Kind = iota // it cannot be read here
	Number
	Bool // 0 or 1
	Text
)

// Column is a leaf of the schema.
type Column struct {
	Name     string // with dots between the names of what it is nested in
	Kind     Kind   // Other where it is nested or repeated
	Optional bool   // it may hold nulls
	physical int
}

// Group is a number of rows that stand together.
type Group struct {
	Rows   int64
	chunks []chunk // beside Columns
}

// chunk is where a column of a group stands.
type chunk struct {
	codec    int
	values   int64
	at, size int64
	nulls    int64 // -1 if not said
}

// Physical types, by their numbers in the format.
const (
	boolean = iota
	int32s
	int64s
	int96s
	float32s
	float64s
	byteArrays
	fixedArrays
)

// MaxInMemory is the size up to which a file is read at once, and stays in memory.
const MaxInMemory = 128 << 10

// Open reads the footer of a Parquet file of that size, into memory that is the file's
// as long as anything of it is read. One whose end is not there yet is
// io.ErrUnexpectedEOF.
func Open(r io.ReaderAt, size int64, m *Memory) (*File, error) {
	f := &File{r: r, size: size, memory: m}
	tail := room(&m.file, int(min(size, MaxInMemory)))
	if _, err := r.ReadAt(tail, size-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	end := len(tail) - 8
	if end < 4 || string(tail[end+4:]) != "PAR1" {
		return nil, io.ErrUnexpectedEOF
	}
	n := int64(binary.LittleEndian.Uint32(tail[end:]))
	if n > size-12 {
		return nil, fmt.Errorf("%w: its footer is said to be larger than the file", ErrBroken)
	}
	if int64(len(tail)) == size {
		f.r = memoryReader(tail)
	}
	footer := tail[max(0, end-int(n)):end]
	if int64(len(footer)) < n {
		footer = make([]byte, n)
		if _, err := r.ReadAt(footer, size-8-n); err != nil {
			return nil, err
		}
	}
	return f, f.decode(&decoder{data: footer})
}

// memoryReader is a file that has been read.
type memoryReader []byte

// ReadAt implements [io.ReaderAt].
func (m memoryReader) ReadAt(p []byte, at int64) (int, error) {
	if at >= int64(len(m)) {
		return 0, io.EOF
	}
	n := copy(p, m[at:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// decode reads the footer.
func (f *File) decode(d *decoder) error {
	d.fields(func(id int, kind byte) {
		switch {
		case id == 2 && kind == typeList:
			f.Columns = f.memory.schema.columns(d)
		case id == 4 && kind == typeList:
			d.list(func(byte) { f.Groups = append(f.Groups, group(d, len(f.Columns))) })
		default:
			d.skip(kind)
		}
	})
	if d.bad {
		return fmt.Errorf("%w: its footer ends early", ErrBroken)
	}
	rows := int64(0)
	for _, g := range f.Groups {
		if err := f.check(g); err != nil {
			return err
		}
		rows += g.Rows
	}
	if rows > freeRows && rows/maxRowsPerByte > f.size {
		return fmt.Errorf("%w: it is said to have %d rows, which it has no room for", ErrBroken, rows)
	}
	return nil
}

// Equal values take next to nothing, but no log has more rows than that for its size.
const (
	freeRows       = 1 << 20
	maxRowsPerByte = 64
)

// check holds what a footer says against what there is.
func (f *File) check(g Group) error {
	if len(g.chunks) != len(f.Columns) {
		return fmt.Errorf("%w: a group of rows has %d columns of %d", ErrBroken, len(g.chunks), len(f.Columns))
	}
	for i, c := range g.chunks {
		switch {
		case g.Rows < 0 || c.at < 4 || c.size < 0 || c.at > f.size-c.size:
			return fmt.Errorf("%w: a column is said to stand outside of the file", ErrBroken)
		case f.Columns[i].Kind != Nested && c.values != g.Rows:
			return fmt.Errorf("%w: a column has %d values for %d rows", ErrBroken, c.values, g.Rows)
		}
	}
	return nil
}

// Nulls returns how many nulls a column has, -1 if the file does not say.
func (f *File) Nulls(column int) int64 {
	n := int64(0)
	for _, g := range f.Groups {
		if g.chunks[column].nulls < 0 {
			return -1
		}
		n += g.chunks[column].nulls
	}
	return n
}

// group reads a group of rows, which should have so many columns.
func group(d *decoder, columns int) Group {
	g := Group{chunks: make([]chunk, 0, columns)}
	d.fields(func(id int, kind byte) {
		switch {
		case id == 1 && kind == typeList:
			d.list(func(byte) { g.chunks = append(g.chunks, columnChunk(d)) })
		case id == 3:
			g.Rows = d.int()
		default:
			d.skip(kind)
		}
	})
	return g
}

func columnChunk(d *decoder) chunk {
	c := chunk{nulls: -1, codec: -1}
	d.fields(func(id int, kind byte) {
		if id == 3 && kind == typeStruct {
			c.describe(d)
		} else {
			d.skip(kind)
		}
	})
	return c
}

// describe reads where a column stands: it begins with its dictionary, if it has one.
func (c *chunk) describe(d *decoder) {
	var data, dictionary int64
	d.fields(func(id int, kind byte) {
		switch {
		case id == 4:
			c.codec = int(d.int())
		case id == 5:
			c.values = d.int()
		case id == 7:
			c.size = d.int()
		case id == 9:
			data = d.int()
		case id == 11:
			dictionary = d.int()
		case id == 12 && kind == typeStruct:
			d.fields(func(id int, kind byte) {
				if id == 3 {
					c.nulls = d.int()
				} else {
					d.skip(kind)
				}
			})
		default:
			d.skip(kind)
		}
	})
	if c.at = data; dictionary > 0 && dictionary < data {
		c.at = dictionary
	}
}

// Bytes returns how many bytes a column of a group takes in the file.
func (f *File) Bytes(group, column int) int64 { return f.Groups[group].chunks[column].size }

// Buffer returns a buffer of the file's memory.
func (f *File) Buffer() *Buffer { return f.memory.Buffer() }

// InMemory reports whether the file has been read as a whole, so that its memory is all it takes.
func (f *File) InMemory() bool {
	_, ok := f.r.(memoryReader)
	return ok
}

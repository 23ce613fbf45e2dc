//go:build lean

package parquet

import (
	"errors"
	"io"

	"vantage/loaders/jsonscan"
	"vantage/loaders/leftout"
	"vantage/loaders/parquet/pages"
)

// library is a file whose flat columns are read row by row through package pages. parquet-go, which reads all others, is left out.
type library struct {
	table  *pages.File
	nested []nestedField
}

// nestedField is a column that holds lists, structs or maps: its leaves. It is known by name, and refused when it is read.
type nestedField struct {
	name   string
	first  int // index of the first leaf
	leaves []*pages.Column
}

var (
	errNested   = leftout.Error("which reads no lists and structs in Parquet files, as conversations are")
	errEncoding = leftout.Error("which does not know how a column of this Parquet file is encoded or compressed")
)

func openLibrary(_ io.ReaderAt, table *pages.File) (*library, error) {
	l := &library{table: table}
	for i := range table.Columns {
		c := &table.Columns[i]
		switch last := len(l.nested) - 1; {
		case c.Kind != pages.Nested && c.Field == c.Name:
		case last >= 0 && l.nested[last].name == c.Field:
			l.nested[last].leaves = append(l.nested[last].leaves, c)
		default:
			l.nested = append(l.nested, nestedField{c.Field, i, []*pages.Column{c}})
		}
	}
	return l, nil
}

// column opens a column of a row group, which it reads from a row on.
func (l *library) column(group int, column namedColumn, row int64) (cellReader, error) {
	if column.nested != nil || l.table.Columns[column.leaf].Kind == pages.Nested {
		return nil, errNested
	}
	r := l.table.Column(group, column.leaf)
	c := &flatReader{table: l.table, kind: l.table.Columns[column.leaf].Kind, pages: r, skip: row}
	return c, c.seek(row)
}

// flatReader reads a flat column of a row group row by row.
type flatReader struct {
	table *pages.File
	kind  pages.Kind
	pages *pages.Reader
	skip  int64 // rows of the next page

	buffer  pages.Buffer
	at, end int // rows of the open page
	texts   pages.Texts
	numbers []float64
	valid   []int32 // nil if no number is null
}

// seek moves to the page of a row.
func (c *flatReader) seek(row int64) error {
	first, err := c.pages.SeekPage(row)
	c.skip = row - first
	return err
}

// fill implements cellReader.
func (c *flatReader) fill() (rows int, err error) {
	for c.at == c.end {
		p, err := c.pages.Next()
		switch {
		case errors.Is(err, io.EOF):
			return 0, nil
		case err != nil:
			return 0, err
		case c.skip >= int64(p.Rows):
			c.skip -= int64(p.Rows)
			continue
		case !c.table.HasRoom(p.Rows):
			return 0, errManyCells
		}
		if err := c.open(&p); err != nil {
			return 0, err
		}
	}
	return min(c.end-c.at, rowBatch), nil
}

// open decodes a page.
func (c *flatReader) open(p *pages.Page) (err error) {
	if c.kind == pages.Text {
		c.texts, err = p.Texts(&c.buffer)
	} else {
		c.numbers, c.valid, err = p.Numbers(c.numbers[:0], &c.buffer)
	}
	if errors.Is(err, pages.ErrUnsupported) {
		return errEncoding
	}
	c.at, c.end, c.skip = int(c.skip), p.Rows, 0
	return err
}

// next implements cellReader. A text is valid until the next page is opened.
func (c *flatReader) next() jsonscan.Value {
	i := c.at
	c.at++
	if c.kind == pages.Text {
		text, ok := c.texts.At(i)
		if !ok {
			return jsonscan.Value{Kind: jsonscan.Null}
		}
		return jsonscan.FromText(append([]byte(nil), text...))
	}
	switch {
	case c.valid != nil && c.valid[i] == 0:
		return jsonscan.Value{Kind: jsonscan.Null}
	case c.kind == pages.Bool:
		return boolValue(c.numbers[i] != 0)
	}
	return jsonscan.FromFloat(c.numbers[i])
}

func (c *flatReader) close() { c.buffer.Close() }

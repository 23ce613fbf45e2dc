package parquet

import (
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"

	"vantage/loaders/jsonscan"
	"vantage/loaders/parquet/pages"
)

// library is a file that parquet-go has opened: it reads columns of any kind, row by row.
type library struct {
	file   *parquet.File
	table  *pages.File
	check  *checker
	nested []nestedField
}

// openLibrary turns a panic of parquet-go, which some broken footers cause, into an error.
func openLibrary(h io.ReaderAt, table *pages.File) (_ *library, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("its footer is broken: %v", r)
		}
	}()
	plain, size, err := table.Plain(h)
	if err != nil {
		return nil, err
	}
	f, err := parquet.OpenFile(plain, size, parquet.SkipBloomFilters(true), parquet.SkipPageIndex(true))
	switch {
	case err != nil:
		return nil, err
	case len(f.Schema().Columns()) != len(table.Columns):
		return nil, fmt.Errorf("%w: the columns of its schema cannot be told apart", pages.ErrBroken)
	case len(f.RowGroups()) != len(table.Groups):
		return nil, fmt.Errorf("%w: its row groups cannot be told apart", pages.ErrBroken)
	}
	return &library{file: f, table: table, check: newChecker(f, h), nested: nestedFields(f, table.Columns)}, nil
}

// column opens a column of a row group, which it reads from a row on.
func (l *library) column(group int, column namedColumn, row int64) (cellReader, error) {
	chunks, leaves := l.file.RowGroups()[group].ColumnChunks(), 1
	if column.nested != nil {
		leaves = len(column.nested.leaves)
	}
	for i := range leaves {
		if err := l.check.chunk(group, column.leaf+i); err != nil {
			return nil, err
		}
	}
	if column.nested != nil {
		return newNestedReader(column.nested, chunks, row)
	}
	c := &valueReader{pages: chunks[column.leaf].Pages(), format: &l.table.Columns[column.leaf].Number}
	if row > 0 {
		return c, c.pages.SeekToRow(row)
	}
	return c, nil
}

// valueReader reads the values of a leaf of a row group, one per row.
type valueReader struct {
	format *pages.NumberFormat
	pages  parquet.Pages
	page   parquet.ValueReader
	buffer []parquet.Value
	values []jsonscan.Value
	ended  bool
}

func (c *valueReader) close() { _ = c.pages.Close() }

func (c *valueReader) next() jsonscan.Value {
	v := c.values[0]
	c.values = c.values[1:]
	return v
}

// fill reads until there is a batch of rows or the group ends.
func (c *valueReader) fill() (rows int, err error) {
	if c.buffer == nil {
		c.buffer = make([]parquet.Value, rowBatch)
	}
	c.values = append([]jsonscan.Value(nil), c.values...)
	for len(c.values) < rowBatch && !c.ended {
		if c.page == nil {
			page, err := c.pages.ReadPage()
			if errors.Is(err, io.EOF) {
				c.ended = true
				break
			}
			if err != nil {
				return 0, err
			}
			c.page = page.Values()
		}
		n, err := c.page.ReadValues(c.buffer)
		for _, v := range c.buffer[:n] {
			c.values = append(c.values, toValue(v, c.format))
		}
		switch {
		case errors.Is(err, io.EOF), n == 0 && err == nil:
			c.page = nil
		case err != nil:
			return 0, err
		}
	}
	return len(c.values), nil
}

// toValue is a Parquet value as the row decoder takes it.
func toValue(v parquet.Value, f *pages.NumberFormat) jsonscan.Value {
	switch {
	case v.IsNull():
		return jsonscan.Value{Kind: jsonscan.Null}
	case v.Kind() == parquet.Boolean:
		return boolValue(v.Boolean())
	case v.Kind() == parquet.Int32:
		return jsonscan.FromFloat(f.FromInt32(v.Int32()))
	case v.Kind() == parquet.Int64:
		return jsonscan.FromFloat(f.FromInt64(v.Int64()))
	case v.Kind() == parquet.Float:
		return jsonscan.FromFloat(float64(v.Float()))
	case v.Kind() == parquet.Double:
		return jsonscan.FromFloat(v.Double())
	case f.IsNumber():
		return jsonscan.FromFloat(f.FromBytes(v.ByteArray()))
	}
	return jsonscan.FromText(append([]byte(nil), v.ByteArray()...))
}

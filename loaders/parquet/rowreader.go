package parquet

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"vantage/loaders/decode"
	"vantage/loaders/jsonscan"
	"vantage/model"
)

// rowBatch is how many rows are decoded at a time.
const rowBatch = 1024

// rowReader reads a Parquet file row by row, in batches, through parquet-go: files with nested
// columns, and rows whose columns change their meaning.
type rowReader struct {
	decoder *decode.RowDecoder
	check   *checker
	groups  []parquet.RowGroup
	group   int            // number of the next one
	columns []namedColumn  // those that can play a role
	values  []*valueReader // of the open group, parallel to columns; nil if none is open
	row     int64          // number of the next row
	skip    int64          // rows to skip: the column reader has read them
}

// namedColumn is a leaf of the schema and its name as the decoder takes it.
type namedColumn struct {
	index int
	key   jsonscan.Value
}

// newRowReader reads a Parquet file from row first on.
func newRowReader(decoder *decode.RowDecoder, h io.ReaderAt, size, first int64) (*rowReader, error) {
	file, err := openWithLibrary(h, size)
	if err != nil {
		return nil, err
	}
	r := &rowReader{decoder: decoder, check: newChecker(file, h), groups: file.RowGroups(), row: first, skip: first}
	for i, path := range file.Schema().Columns() {
		if name := strings.Join(path, "."); decoder.Fields.Uses(name) {
			r.columns = append(r.columns, namedColumn{i, jsonscan.Value{Kind: jsonscan.String, Raw: []byte(name)}})
		}
	}
	return r, nil
}

// openWithLibrary turns a panic of the library, which some broken footers cause, into an error.
func openWithLibrary(h io.ReaderAt, size int64) (f *parquet.File, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("its footer is broken: %v", r)
		}
	}()
	return parquet.OpenFile(h, size, parquet.SkipBloomFilters(true), parquet.SkipPageIndex(true))
}

// next appends the samples of the next batch of rows, io.EOF after the last. Their place is
// the number of the row.
func (r *rowReader) next(dst []model.Record) ([]model.Record, error) {
	if r.values == nil {
		if r.group == len(r.groups) {
			return dst, io.EOF
		}
		if err := r.openGroup(); err != nil || r.values == nil {
			return dst, err
		}
	}
	n, err := r.fill()
	if err != nil {
		return dst, err
	}
	if n == 0 {
		r.closeGroup()
		return dst, nil
	}
	for i := range n {
		r.decoder.BeginRow()
		for k, c := range r.values {
			r.decoder.Pick(r.columns[k].key, c.values[i])
		}
		r.row++
		var noSample error
		if dst, noSample = r.decoder.FinishRow(dst); noSample != nil {
			continue
		}
		last := &dst[len(dst)-1]
		last.Line, last.Offset = r.row, r.row-1
	}
	for _, c := range r.values {
		c.values = c.values[n:]
	}
	return dst, nil
}

// fill reads until each column has a batch or has ended, and returns how many rows all have.
func (r *rowReader) fill() (rows int, err error) {
	for i, c := range r.values {
		if err := c.fill(); err != nil {
			return 0, err
		}
		if i == 0 || len(c.values) < rows {
			rows = len(c.values)
		}
	}
	return rows, nil
}

// openGroup opens the columns of the next row group, unless all of its rows are skipped.
func (r *rowReader) openGroup() error {
	group := r.groups[r.group]
	r.group++
	if r.skip >= group.NumRows() {
		r.skip -= group.NumRows()
		return nil
	}
	chunks := group.ColumnChunks()
	for _, column := range r.columns {
		if err := r.check.chunk(r.group-1, column.index); err != nil {
			return err
		}
		c := &valueReader{pages: chunks[column.index].Pages()}
		if r.skip > 0 {
			if err := c.pages.SeekToRow(r.skip); err != nil {
				return err
			}
		}
		r.values = append(r.values, c)
	}
	r.skip = 0
	return nil
}

func (r *rowReader) closeGroup() {
	for _, c := range r.values {
		_ = c.pages.Close()
	}
	r.values = nil
}

// valueReader reads the values of a column of a row group.
type valueReader struct {
	pages  parquet.Pages
	page   parquet.ValueReader
	buffer []parquet.Value
	values []jsonscan.Value // one per row
	ended  bool
}

// fill reads until there is a batch of rows or the group ends. Of a repeated column a row
// takes the first value, or all of them joined if they are texts.
func (c *valueReader) fill() error {
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
				return err
			}
			c.page = page.Values()
		}
		n, err := c.page.ReadValues(c.buffer)
		for _, v := range c.buffer[:n] {
			c.add(v)
		}
		switch {
		case errors.Is(err, io.EOF), n == 0 && err == nil:
			c.page = nil
		case err != nil:
			return err
		}
	}
	return nil
}

func (c *valueReader) add(v parquet.Value) {
	if v.RepetitionLevel() == 0 || len(c.values) == 0 {
		c.values = append(c.values, toValue(v))
		return
	}
	if last := &c.values[len(c.values)-1]; last.Kind == jsonscan.String && v.Kind() == parquet.ByteArray {
		last.Raw = append(append(append([]byte(nil), last.Raw...), "\\n"...), toValue(v).Raw...)
	}
}

// toValue is a Parquet value as the row decoder takes it.
func toValue(v parquet.Value) jsonscan.Value {
	switch {
	case v.IsNull():
		return jsonscan.Value{Kind: jsonscan.Null}
	case v.Kind() == parquet.Boolean:
		return boolValue(v.Boolean())
	case v.Kind() == parquet.Int32:
		return jsonscan.FromFloat(float64(v.Int32()))
	case v.Kind() == parquet.Int64:
		return jsonscan.FromFloat(float64(v.Int64()))
	case v.Kind() == parquet.Float:
		return jsonscan.FromFloat(float64(v.Float()))
	case v.Kind() == parquet.Double:
		return jsonscan.FromFloat(v.Double())
	}
	return jsonscan.FromText(append([]byte(nil), v.ByteArray()...))
}

func boolValue(yes bool) jsonscan.Value {
	return jsonscan.Value{Kind: jsonscan.Bool, Raw: strconv.AppendBool(nil, yes)}
}

package parquet

import (
	"cmp"
	"io"
	"slices"
	"strconv"

	"vantage/loaders/decode"
	"vantage/loaders/jsonscan"
	"vantage/loaders/parquet/pages"
	"vantage/model"
)

// rowBatch is how many rows are decoded at a time.
const rowBatch = 1024

// rowReader reads a Parquet file row by row, in batches, through a [library]: files with nested
// columns, and rows whose columns change their meaning.
type rowReader struct {
	decoder *decode.RowDecoder
	table   *pages.File
	library *library
	group   int           // number of the next one
	columns []namedColumn // those that can play a role
	values  []cellReader  // of the open group, parallel to columns; nil if none is open
	row     int64         // number of the next row
	left    int64         // rows left of the open group
	skip    int64         // rows to skip: the column reader has read them

	whole    layoutRow
	problems []model.Problem // rows of several samples that could not be read
}

// namedColumn is a column and its name as the decoder takes it: a leaf of the schema, or a nested one.
type namedColumn struct {
	leaf   int
	nested *nestedField // nil for a leaf
	key    jsonscan.Value
}

// cellReader reads a column of a row group row by row.
type cellReader interface {
	// fill reads ahead, at least one row unless the group ends, and returns how many rows are ready.
	fill() (rows int, err error)

	// next returns the value of the next row. There must be one ready.
	next() jsonscan.Value

	close()
}

// newRowReader reads a Parquet file from row first on.
func newRowReader(decoder *decode.RowDecoder, table *pages.File, h io.ReaderAt, first int64) (*rowReader, error) {
	l, err := openLibrary(h, table)
	if err != nil {
		return nil, err
	}
	r := &rowReader{decoder: decoder, table: table, library: l, row: first, skip: first}
	whole := map[string]bool{} // the nested columns that are read as JSON
	for _, field := range l.nested {
		if whole[field.name] = decoder.Fields.UsesNested(field.name); whole[field.name] {
			r.columns = append(r.columns, namedColumn{leaf: field.first, nested: &field, key: nameValue(field.name)})
		}
	}
	for i, c := range table.Columns {
		if !whole[c.Field] && decoder.Fields.Uses(c.Name) {
			r.columns = append(r.columns, namedColumn{leaf: i, key: nameValue(c.Name)})
		}
	}
	slices.SortStableFunc(r.columns, func(a, b namedColumn) int { return cmp.Compare(a.leaf, b.leaf) })
	return r, nil
}

func nameValue(name string) jsonscan.Value {
	return jsonscan.Value{Kind: jsonscan.String, Raw: []byte(name)}
}

// next appends the samples of the next batch of rows, io.EOF after the last. Their place is
// the number of the row.
func (r *rowReader) next(dst []model.Record) ([]model.Record, error) {
	if r.values == nil {
		if r.group == len(r.table.Groups) {
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
	if n == 0 && r.left > 0 {
		return dst, errTooFewRows
	}
	if n == 0 {
		r.closeGroup()
		return dst, nil
	}
	r.left -= int64(n)
	for range n {
		if r.decoder.Layout != nil {
			dst = r.nextSeveral(dst)
			continue
		}
		r.decoder.BeginRow()
		for k, c := range r.values {
			r.decoder.Pick(r.columns[k].key, c.next())
		}
		r.row++
		var noSample error
		if dst, noSample = r.decoder.FinishRow(dst); noSample != nil {
			continue
		}
		last := &dst[len(dst)-1]
		last.Line, last.Offset = r.row, r.row-1
	}
	return dst, nil
}

// fill reads until each column has a batch or has ended, and returns how many rows all have.
func (r *rowReader) fill() (rows int, err error) {
	for i, c := range r.values {
		n, err := c.fill()
		if err != nil {
			return 0, err
		}
		if i == 0 || n < rows {
			rows = n
		}
	}
	return rows, nil
}

// openGroup opens the columns of the next row group, unless all of its rows are skipped.
func (r *rowReader) openGroup() error {
	rows := r.table.Groups[r.group].Rows
	r.group++
	if r.skip >= rows {
		r.skip -= rows
		return nil
	}
	for _, column := range r.columns {
		c, err := r.library.column(r.group-1, column, r.skip)
		if err != nil {
			return err
		}
		r.values = append(r.values, c)
	}
	r.left, r.skip = rows-r.skip, 0
	return nil
}

func (r *rowReader) closeGroup() {
	for _, c := range r.values {
		c.close()
	}
	r.values = nil
}

func boolValue(yes bool) jsonscan.Value {
	return jsonscan.Value{Kind: jsonscan.Bool, Raw: strconv.AppendBool(nil, yes)}
}

package parquet

import (
	"fmt"
	"io"

	"vantage/loaders/decode"
	"vantage/loaders/jsonscan"
	"vantage/loaders/parquet/pages"
	"vantage/model"
)

// rowBatch is how many rows are decoded at a time.
const rowBatch = 1024

// rowReader reads a Parquet file row by row, in batches: files with nested columns, and rows whose columns change their meaning.
type rowReader struct {
	cells   *cellDecoder
	table   *pages.File
	columns []rowColumn // those that can play a role
	group   int         // number of the next one
	isOpen  bool        // whether the columns are those of a group
	row     int64       // number of the next row
	left    int64       // rows left of the open group
	skip    int64       // rows to skip: the column reader has read them

	problems []model.Problem // rows of several samples that could not be read
}

// rowColumn is a column with its name as the decoder takes it.
type rowColumn struct {
	*fieldReader
	key jsonscan.Value
}

// newRowReader reads a Parquet file from row first on. A column that is not flat is read whole, as JSON, or else the
// parts of it that play a role of their own and have one value in each row.
func newRowReader(decoder *decode.RowDecoder, table *pages.File, first int64) *rowReader {
	r := &rowReader{cells: newCellDecoder(decoder), table: table, row: first, skip: first}
	var add func(n *pages.Node)
	add = func(n *pages.Node) {
		if len(n.Children) == 0 && n.Repetition == 0 && decoder.Fields.Uses(table.Columns[n.First].Name) {
			r.columns = append(r.columns, rowColumn{newFieldReader(table, n), nameValue(table.Columns[n.First].Name)})
		}
		for i := range n.Children {
			add(&n.Children[i])
		}
	}
	for i := range table.Fields {
		if n := &table.Fields[i]; !n.IsFlat() && decoder.Fields.UsesNested(n.Name) {
			r.columns = append(r.columns, rowColumn{newFieldReader(table, n), nameValue(n.Name)})
		} else {
			add(n)
		}
	}
	return r
}

func nameValue(name string) jsonscan.Value {
	return jsonscan.Value{Kind: jsonscan.String, Raw: []byte(name)}
}

// next appends the samples of the next batch of rows, io.EOF after the last. Their place is
// the number of the row.
func (r *rowReader) next(dst []model.Record) ([]model.Record, error) {
	if !r.isOpen {
		if r.group == len(r.table.Groups) {
			return dst, io.EOF
		}
		if err := r.openGroup(); err != nil || !r.isOpen {
			return dst, err
		}
	}
	n, err := r.fill()
	switch {
	case err != nil:
		return dst, err
	case n == 0 && r.left > 0:
		return dst, errTooFewRows
	case n == 0:
		r.isOpen = false
		return dst, nil
	}
	r.left -= int64(n)
	for range n {
		r.cells.begin()
		for _, c := range r.columns {
			r.cells.add(c.key, c.next())
		}
		r.row++
		before := len(dst)
		if dst, err = r.cells.finish(dst); err != nil && r.cells.Layout != nil {
			r.problems = append(r.problems, model.Problem{Line: r.row, Reason: err.Error()})
		}
		for i := before; i < len(dst); i++ {
			dst[i].Line, dst[i].Offset, dst[i].IndexInLine = r.row, r.row-1, int32(i-before)
		}
	}
	return dst, nil
}

// openGroup opens the columns of the next row group, unless all of its rows are skipped.
func (r *rowReader) openGroup() error {
	rows := r.table.Groups[r.group].Rows
	r.group++
	if r.skip >= rows {
		r.skip -= rows
		return nil
	}
	for _, c := range r.columns {
		if err := c.open(r.group-1, r.skip); err != nil {
			return err
		}
	}
	r.left, r.skip, r.isOpen = rows-r.skip, 0, len(r.columns) > 0
	return nil
}

// fill reads until each column has some rows or has ended, and returns how many rows all have.
func (r *rowReader) fill() (rows int, err error) {
	rows = rowBatch
	for _, c := range r.columns {
		n, err := c.fill()
		if err != nil {
			return 0, err
		}
		rows = min(rows, n)
	}
	return rows, nil
}

var errTooFewRows = fmt.Errorf("%w: a column has fewer rows than its group", pages.ErrBroken)

// cellDecoder decodes the cells of a row: as its fields, or, where it may hold several samples, as the JSON object that they
// make, which is what a [decode.Layout] reads. Its memory is reused.
type cellDecoder struct {
	*decode.RowDecoder
	add    func(name, v jsonscan.Value) // a cell
	record []byte
}

func newCellDecoder(decoder *decode.RowDecoder) *cellDecoder {
	d := &cellDecoder{RowDecoder: decoder, add: decoder.Pick}
	if d.Layout != nil {
		d.add = d.addJSON
	}
	return d
}

func (d *cellDecoder) begin() {
	d.record = append(d.record[:0], '{')
	if d.Layout == nil {
		d.BeginRow()
	}
}

func (d *cellDecoder) addJSON(name, v jsonscan.Value) {
	d.record = append(jsonscan.AppendText(d.record, name.Raw), ':')
	if v.Kind == jsonscan.Array || v.Kind == jsonscan.Object {
		d.record = append(d.record, v.Raw...)
	} else {
		d.record = appendJSON(d.record, v)
	}
	d.record = append(d.record, ',')
}

func (d *cellDecoder) finish(dst []model.Record) ([]model.Record, error) {
	if d.Layout == nil {
		return d.FinishRow(dst)
	}
	d.record = jsonscan.AppendEnd(d.record, '}')
	return d.Decode(dst, d.record)
}

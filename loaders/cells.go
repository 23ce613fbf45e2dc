package loaders

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"github.com/parquet-go/parquet-go"

	"vantage/loaders/pages"
)

// cells reads one row of a Parquet file. Of each column no more than a page is unpacked,
// and nothing that the shelf still has.
func (v volume) cells(h Handle, info os.FileInfo, row int64, c *TextCapture) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("a page is broken: %v", r)
		}
	}()
	r, ok := v.format.Decode(v.name).(*RowDecoder)
	if !ok {
		return errors.ErrUnsupported
	}
	t := v.shelf.tables.borrow(v.number, info)
	if t == nil {
		if t, err = v.openTable(h, info); err != nil {
			return err
		}
	}
	t.handle.Handle = h
	r.Capture = c
	if err := t.row(r, row); err != nil {
		t.close()
		return err
	}
	v.shelf.tables.giveBack(t)
	return nil
}

// row decodes a row, if there is one of that number.
func (t *opened) row(r *RowDecoder, row int64) error {
	group := 0
	for ; group < len(t.pages.Groups) && row >= t.pages.Groups[group].Rows; group++ {
		row -= t.pages.Groups[group].Rows
	}
	if group == len(t.pages.Groups) {
		return nil
	}
	r.BeginRow()
	for i, column := range t.pages.Columns {
		cell, err := t.cell(group, i, row)
		if err != nil {
			return err
		}
		r.Pick(Value{Kind: String, Raw: []byte(column.Name)}, cell)
	}
	_, err := r.FinishRow(nil)
	return err
}

// cell reads one cell.
func (t *opened) cell(group, column int, row int64) (Value, error) {
	v, err := t.flatCell(group, column, row)
	if errors.Is(err, pages.ErrUnsupported) {
		return t.nestedCell(group, column, row)
	}
	return v, err
}

func (t *opened) flatCell(group, column int, row int64) (Value, error) {
	switch kind := t.pages.Columns[column].Kind; kind {
	case pages.Other:
		return Value{}, pages.ErrUnsupported
	case pages.Text:
		text, ok, err := t.cells.Text(group, column, row)
		if err != nil || !ok {
			return Value{Kind: Null}, err
		}
		return TextValue(bytes.Clone(text)), nil
	default:
		x, ok, err := t.cells.Number(group, column, row)
		switch {
		case err != nil || !ok:
			return Value{Kind: Null}, err
		case kind == pages.Truth:
			return truthValue(x != 0), nil
		}
		return FromFloat(x), nil
	}
}

// nestedCell reads a cell of a column that is not flat.
func (t *opened) nestedCell(group, column int, row int64) (Value, error) {
	if t.long == nil {
		var err error
		if t.long, err = openParquet(t.handle, t.info.Size()); err != nil {
			return Value{}, err
		}
	}
	pages := t.long.RowGroups()[group].ColumnChunks()[column].Pages()
	defer func() { _ = pages.Close() }()
	if err := pages.SeekToRow(row); err != nil {
		return Value{}, err
	}
	c := columnReader{pages: pages, buffer: make([]parquet.Value, 1)}
	for len(c.values) == 0 && !c.ended {
		page, err := pages.ReadPage()
		if err != nil {
			return Value{}, err
		}
		if n, _ := page.Values().ReadValues(c.buffer); n > 0 {
			c.add(c.buffer[0])
		}
	}
	return c.values[0], nil
}

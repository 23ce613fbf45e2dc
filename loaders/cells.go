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
func (v volume) cells(h handle, info os.FileInfo, row int64, c *capture) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("a page is broken: %v", r)
		}
	}()
	r, ok := v.format.Decode(v.name).(*rows)
	if !ok {
		return errors.ErrUnsupported
	}
	t := v.shelf.tables.borrow(v.number, info)
	if t == nil {
		if t, err = v.openTable(h, info); err != nil {
			return err
		}
	}
	t.handle.handle = h
	r.capture = c
	if err := t.row(r, row); err != nil {
		t.close()
		return err
	}
	v.shelf.tables.giveBack(t)
	return nil
}

// row decodes a row, if there is one of that number.
func (t *opened) row(r *rows, row int64) error {
	group := 0
	for ; group < len(t.pages.Groups) && row >= t.pages.Groups[group].Rows; group++ {
		row -= t.pages.Groups[group].Rows
	}
	if group == len(t.pages.Groups) {
		return nil
	}
	r.begin()
	for i, column := range t.pages.Columns {
		cell, err := t.cell(group, i, row)
		if err != nil {
			return err
		}
		r.pick(value{kind: text, raw: []byte(column.Name)}, cell)
	}
	_, err := r.finish(nil)
	return err
}

// cell reads one cell.
func (t *opened) cell(group, column int, row int64) (value, error) {
	v, err := t.flatCell(group, column, row)
	if errors.Is(err, pages.ErrUnsupported) {
		return t.nestedCell(group, column, row)
	}
	return v, err
}

func (t *opened) flatCell(group, column int, row int64) (value, error) {
	switch kind := t.pages.Columns[column].Kind; kind {
	case pages.Other:
		return value{}, pages.ErrUnsupported
	case pages.Text:
		text, ok, err := t.cells.Text(group, column, row)
		if err != nil || !ok {
			return value{kind: null}, err
		}
		return textValue(bytes.Clone(text)), nil
	default:
		x, ok, err := t.cells.Number(group, column, row)
		switch {
		case err != nil || !ok:
			return value{kind: null}, err
		case kind == pages.Truth:
			return truthValue(x != 0), nil
		}
		return floatValue(x), nil
	}
}

// nestedCell reads a cell of a column that is not flat.
func (t *opened) nestedCell(group, column int, row int64) (value, error) {
	if t.long == nil {
		var err error
		if t.long, err = openParquet(t.handle, t.info.Size()); err != nil {
			return value{}, err
		}
	}
	pages := t.long.RowGroups()[group].ColumnChunks()[column].Pages()
	defer func() { _ = pages.Close() }()
	if err := pages.SeekToRow(row); err != nil {
		return value{}, err
	}
	c := columnReader{pages: pages, buffer: make([]parquet.Value, 1)}
	for len(c.values) == 0 && !c.ended {
		page, err := pages.ReadPage()
		if err != nil {
			return value{}, err
		}
		if n, _ := page.Values().ReadValues(c.buffer); n > 0 {
			c.add(c.buffer[0])
		}
	}
	return c.values[0], nil
}

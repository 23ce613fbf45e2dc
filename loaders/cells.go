package loaders

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/parquet-go/parquet-go"

	"vantage/loaders/pages"
)

// cells reads one row of a Parquet file.
func (v volume) cells(h handle, size, row int64, c *capture) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("a page is broken: %v", r)
		}
	}()
	r, ok := v.format.Decode(v.name).(*rows)
	if !ok {
		return errors.ErrUnsupported
	}
	m := &pages.Memory{}
	defer m.Close()
	f, err := pages.Open(h, size, m)
	if err != nil {
		return err
	}
	f.Use(v.index)
	group := 0
	for ; group < len(f.Groups) && row >= f.Groups[group].Rows; group++ {
		row -= f.Groups[group].Rows
	}
	if group == len(f.Groups) {
		return nil
	}
	r.capture = c
	r.begin()
	for i, column := range f.Columns {
		cell, err := cellAt(f, group, i, row)
		if errors.Is(err, pages.ErrUnsupported) {
			cell, err = nestedCellAt(h, size, group, i, row)
		}
		if err != nil {
			return err
		}
		r.pick(value{kind: text, raw: []byte(column.Name)}, cell)
	}
	_, err = r.finish(nil)
	return err
}

// cellAt reads one cell: the headers of the pages before it are passed over, and no
// page but its own is unpacked.
func cellAt(f *pages.File, group, column int, row int64) (value, error) {
	kind := f.Columns[column].Kind
	if kind == pages.Other {
		return value{}, pages.ErrUnsupported
	}
	r := f.Column(group, column)
	first, err := r.Find(row)
	if err != nil {
		return value{}, err
	}
	row -= first
	p, err := r.Next()
	for ; err == nil && row >= int64(p.Rows); p, err = r.Next() {
		row -= int64(p.Rows)
	}
	switch {
	case err != nil:
		return value{}, err
	case kind == pages.Text:
		return textIn(&p, f.Buffer(), int(row))
	}
	return figureIn(&p, f.Buffer(), int(row), kind)
}

func textIn(p *pages.Page, b *pages.Buffer, row int) (value, error) {
	texts, err := p.Texts(b)
	if err != nil {
		return value{}, err
	}
	if text, ok := texts.At(row); ok {
		return textValue(bytes.Clone(text)), nil
	}
	return value{kind: null}, nil
}

func figureIn(p *pages.Page, b *pages.Buffer, row int, kind pages.Kind) (value, error) {
	values, there, err := p.Numbers(nil, b)
	switch {
	case err != nil:
		return value{}, err
	case there != nil && there[row] == 0:
		return value{kind: null}, nil
	case kind == pages.Truth:
		return truthValue(values[row] != 0), nil
	}
	return floatValue(values[row]), nil
}

// nestedCellAt reads a cell of a column that is not flat.
func nestedCellAt(h handle, size int64, group, column int, row int64) (value, error) {
	f, err := openParquet(h, size)
	if err != nil {
		return value{}, err
	}
	pages := f.RowGroups()[group].ColumnChunks()[column].Pages()
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

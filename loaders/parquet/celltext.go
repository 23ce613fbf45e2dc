package parquet

import (
	"bytes"
	"errors"

	"github.com/parquet-go/parquet-go"

	"vantage/loaders/decode"
	"vantage/loaders/jsonscan"
	"vantage/loaders/parquet/pages"
)

// decodeRow decodes a row of the file, if there is one of that number.
func (t *cachedFile) decodeRow(decoder *decode.RowDecoder, row int64) error {
	group := 0
	for ; group < len(t.pages.Groups) && row >= t.pages.Groups[group].Rows; group++ {
		row -= t.pages.Groups[group].Rows
	}
	if group == len(t.pages.Groups) {
		return nil
	}
	decoder.BeginRow()
	for i, column := range t.pages.Columns {
		v, err := t.cell(group, i, row)
		if err != nil {
			return err
		}
		decoder.Pick(jsonscan.Value{Kind: jsonscan.String, Raw: []byte(column.Name)}, v)
	}
	_, err := decoder.FinishRow(nil)
	return err
}

// cell reads one cell, of which no more than a page is decompressed.
func (t *cachedFile) cell(group, column int, row int64) (jsonscan.Value, error) {
	v, err := t.flatCell(group, column, row)
	if errors.Is(err, pages.ErrUnsupported) {
		return t.nestedCell(group, column, row)
	}
	return v, err
}

func (t *cachedFile) flatCell(group, column int, row int64) (jsonscan.Value, error) {
	switch kind := t.pages.Columns[column].Kind; kind {
	case pages.Nested:
		return jsonscan.Value{}, pages.ErrUnsupported
	case pages.Text:
		text, ok, err := t.cells.Text(group, column, row)
		if err != nil || !ok {
			return jsonscan.Value{Kind: jsonscan.Null}, err
		}
		return jsonscan.FromText(bytes.Clone(text)), nil
	default:
		x, ok, err := t.cells.Number(group, column, row)
		switch {
		case err != nil || !ok:
			return jsonscan.Value{Kind: jsonscan.Null}, err
		case kind == pages.Bool:
			return boolValue(x != 0), nil
		}
		return jsonscan.FromFloat(x), nil
	}
}

// nestedCell reads a cell through parquet-go.
func (t *cachedFile) nestedCell(group, column int, row int64) (jsonscan.Value, error) {
	if t.library == nil {
		var err error
		if t.library, err = openWithLibrary(t.handle, t.info.Size()); err != nil {
			return jsonscan.Value{}, err
		}
		t.check = newChecker(t.library, t.handle)
	}
	if err := t.check.chunk(group, column); err != nil {
		return jsonscan.Value{}, err
	}
	c := valueReader{pages: t.library.RowGroups()[group].ColumnChunks()[column].Pages(), buffer: make([]parquet.Value, 1)}
	defer func() { _ = c.pages.Close() }()
	if err := c.pages.SeekToRow(row); err != nil {
		return jsonscan.Value{}, err
	}
	for len(c.values) == 0 {
		page, err := c.pages.ReadPage()
		if err != nil {
			return jsonscan.Value{}, err
		}
		if n, _ := page.Values().ReadValues(c.buffer); n > 0 {
			c.add(c.buffer[0])
		}
	}
	return c.values[0], nil
}

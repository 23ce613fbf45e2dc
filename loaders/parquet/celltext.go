package parquet

import (
	"bytes"
	"errors"
	"fmt"

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
	if decoder.Layout != nil {
		var whole layoutRow
		whole.begin()
		if err := t.eachCell(group, row, whole.add); err != nil {
			return err
		}
		_, err := whole.decode(decoder, nil)
		return err
	}
	decoder.BeginRow()
	if err := t.eachCell(group, row, decoder.Pick); err != nil {
		return err
	}
	_, err := decoder.FinishRow(nil)
	return err
}

// eachCell visits the cells of a row.
func (t *cachedFile) eachCell(group int, row int64, visit func(name, v jsonscan.Value)) error {
	for i := 0; i < len(t.pages.Columns); {
		name, v, next, err := t.cell(group, i, row)
		if err != nil {
			return err
		}
		visit(nameValue(name), v)
		i = next
	}
	return nil
}

// cell reads one cell, of which no more than a page is decompressed if its column is flat. It returns
// the name of the column, and the leaf that comes after those of the column.
func (t *cachedFile) cell(group, leaf int, row int64) (name string, v jsonscan.Value, next int, err error) {
	v, err = t.flatCell(group, leaf, row)
	if !errors.Is(err, pages.ErrUnsupported) {
		return t.pages.Columns[leaf].Name, v, leaf + 1, err
	}
	if t.library == nil {
		if t.library, err = openLibrary(t.handle, t.pages); err != nil {
			return "", v, 0, err
		}
	}
	for i := range t.library.nested {
		if f := &t.library.nested[i]; f.first == leaf {
			v, err := t.libraryCell(namedColumn{leaf: leaf, nested: f}, group, row)
			return f.name, v, leaf + len(f.leaves), err
		}
	}
	v, err = t.libraryCell(namedColumn{leaf: leaf}, group, row)
	return t.pages.Columns[leaf].Name, v, leaf + 1, err
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

// libraryCell reads a cell through the library.
func (t *cachedFile) libraryCell(column namedColumn, group int, row int64) (jsonscan.Value, error) {
	c, err := t.library.column(group, column, row)
	if err != nil {
		return jsonscan.Value{}, err
	}
	defer c.close()
	n, err := c.fill()
	if err == nil && n == 0 {
		err = errTooFewRows
	}
	if err != nil {
		return jsonscan.Value{}, err
	}
	return c.next(), nil
}

var errTooFewRows = fmt.Errorf("%w: a column has fewer rows than its group", pages.ErrBroken)

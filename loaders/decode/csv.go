package decode

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"vantage/loaders/framing"
	"vantage/loaders/jsonscan"
	"vantage/model"
)

// CSVDecoder decodes tables: the first record names the columns.
type CSVDecoder struct {
	*RowDecoder
	Python func(r *RowDecoder, name string, cell []byte) bool // reads a cell that is Python's repr; nil if none are
	sep    byte
	header []csvColumn
	cells  [][]byte // of the row at hand
}

// csvColumn is one of a table, by its header.
type csvColumn struct {
	name    jsonscan.Value
	hasRole bool // its name says what it is
	field   FieldRole
}

var errColumns = errors.New("the row has another number of columns than the header")

// Decode implements [Decoder].
func (g *CSVDecoder) Decode(dst []model.Record, record []byte) ([]model.Record, error) {
	record = bytes.TrimSuffix(record, []byte{'\r'})
	if g.header == nil {
		g.sep = framing.CSVSeparator(record)
		for _, name := range framing.SplitCSV(nil, jsonscan.TrimByteOrderMark(record), g.sep) {
			c := csvColumn{name: jsonscan.Value{Kind: jsonscan.String, Raw: bytes.Clone(bytes.TrimSpace(name))}}
			c.field, c.hasRole = g.Fields.Lookup(c.name.Raw)
			g.header = append(g.header, c)
		}
		return dst, nil
	}
	g.cells = framing.SplitCSV(g.cells[:0], record, g.sep)
	if len(g.cells) != len(g.header) {
		return dst, fmt.Errorf("%w: %d, not %d", errColumns, len(g.cells), len(g.header))
	}
	g.BeginRow()
	for i, cell := range g.cells {
		g.cell(&g.header[i], cell)
	}
	before := len(dst)
	dst, err := g.FinishRow(dst)
	if err == nil {
		err = g.requireGroup(dst[before:])
	}
	if err != nil {
		return dst[:before], err
	}
	return dst, nil
}

func (g *CSVDecoder) cell(c *csvColumn, cell []byte) {
	key := c.name
	switch {
	case len(cell) == 0:
	case g.Python != nil && g.Python(g.RowDecoder, string(key.Raw), cell):
	case c.hasRole && c.field.Role == RoleResponse && g.Capture == nil && !bytes.HasPrefix(cell, []byte(jsonscan.MessagesPrefix)):
		g.Pick(key, jsonscan.Value{Kind: jsonscan.RuneCount, Float: float64(utf8.RuneCount(cell))})
	case c.hasRole && (c.field.Role.IsText() || c.field.Role == RoleGroup):
		g.Pick(key, jsonscan.FromText(cell))
	default:
		g.Pick(key, cellValue(cell))
	}
}

// cellValue is a cell as the number or truth value that it looks like, or a text.
func cellValue(cell []byte) jsonscan.Value {
	switch string(cell) {
	case "True", "true":
		return jsonscan.Value{Kind: jsonscan.Bool, Raw: []byte("true")}
	case "False", "false":
		return jsonscan.Value{Kind: jsonscan.Bool, Raw: []byte("false")}
	}
	if _, err := strconv.ParseFloat(string(cell), 64); err == nil {
		return jsonscan.Value{Kind: jsonscan.Number, Raw: cell}
	}
	return jsonscan.FromText(cell)
}

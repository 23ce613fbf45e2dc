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

// CSVDecoder reads the samples of a CSV table. Its first record is the header, with the names of the
// columns.
type CSVDecoder struct {
	*RowDecoder
	ReadCell  CellReader // nil if all cells are plain
	Separator byte       // of cells
	columns   []csvColumn
	cells     [][]byte // of the record at hand
}

// CellReader reads a cell that is no plain text or number: it sets roles of r, or returns false.
type CellReader func(r *RowDecoder, column string, cell []byte) bool

type csvColumn struct {
	name    jsonscan.Value
	role    Role
	hasRole bool
}

// NewCSVDecoder returns a decoder of a table whose rows r decodes. readCell may be nil.
func NewCSVDecoder(r *RowDecoder, readCell CellReader) *CSVDecoder {
	return &CSVDecoder{RowDecoder: r, ReadCell: readCell}
}

var errColumns = errors.New("the row has another number of columns than the header")

// Decode implements [Decoder].
func (d *CSVDecoder) Decode(dst []model.Record, record []byte) ([]model.Record, error) {
	if d.columns == nil {
		return dst, d.readHeader(bytes.TrimSuffix(record, []byte{'\r'}))
	}
	cells := d.Cells(record)
	if len(cells) != len(d.columns) {
		return dst, fmt.Errorf("%w: %d, not %d", errColumns, len(cells), len(d.columns))
	}
	defer d.forgetRow()
	before := len(dst)
	var err, noSample error
	finish := func() {
		var why error
		if dst, why = d.FinishRow(dst); why != nil {
			noSample = why
		}
	}
	if fields := d.listFields(cells); fields != nil && hasGroupLists(d.Fields, fields) {
		err = d.groupLists(fields, "", finish)
	} else {
		d.BeginRow()
		for i, cell := range cells {
			d.pickCell(&d.columns[i], cell)
		}
		finish()
		err = noSample
	}
	if err == nil {
		err = d.Require(dst[before:])
	}
	if err != nil {
		return dst[:before], err
	}
	return dst, nil
}

// listFields returns the fields of a row that may be a group, with the lists in its cells; nil if no reward is a list.
func (d *CSVDecoder) listFields(cells [][]byte) fieldsOf {
	isReward := func(c *csvColumn) bool {
		return c.hasRole && c.role == RoleReward || !c.hasRole && hasWord(c.name, rewardWords()...)
	}
	hasList := false
	for i, cell := range cells {
		hasList = hasList || len(cell) > 0 && cell[0] == '[' && isReward(&d.columns[i])
	}
	if !hasList {
		return nil
	}
	return func(visit func(key, v jsonscan.Value)) error {
		for i, cell := range cells {
			switch v, isList := listCell(cell); {
			case len(cell) == 0 || isList && v.Kind == jsonscan.Absent:
			case isList:
				visit(d.columns[i].name, v)
			case d.columns[i].hasRole && d.columns[i].role.isText():
				visit(d.columns[i].name, jsonscan.FromText(cell))
			default:
				visit(d.columns[i].name, CellValue(cell))
			}
		}
		return nil
	}
}

// listCell returns the list that a cell holds, as JSON; it is absent if a cell begins as one and is none.
func listCell(cell []byte) (list jsonscan.Value, isList bool) {
	if len(cell) == 0 || cell[0] != '[' {
		return list, false
	}
	s := jsonscan.Scanner{Data: cell}
	list, err := s.Value()
	if s.SkipSpace(); err != nil || s.Pos < len(cell) {
		return jsonscan.Value{}, true
	}
	return list, true
}

// Clone returns a decoder for another part of the same table, as [RowDecoder.Clone] does.
func (d *CSVDecoder) Clone() *CSVDecoder {
	return &CSVDecoder{RowDecoder: d.RowDecoder.Clone(), ReadCell: d.ReadCell, Separator: d.Separator, columns: d.columns}
}

// HasHeader reports whether the header has been read.
func (d *CSVDecoder) HasHeader() bool { return d.columns != nil }

// ColumnName returns the name of a column.
func (d *CSVDecoder) ColumnName(i int) jsonscan.Value { return d.columns[i].name }

// Cells returns the cells of a record, which are valid until the next is decoded.
func (d *CSVDecoder) Cells(record []byte) [][]byte {
	d.cells = framing.SplitCSV(d.cells[:0], bytes.TrimSuffix(record, []byte{'\r'}), d.Separator)
	return d.cells
}

func (d *CSVDecoder) readHeader(header []byte) error {
	d.Separator = framing.CSVSeparator(header)
	if bytes.Count(header, []byte{d.Separator}) >= MaxFields {
		return ErrTooManyFields
	}
	for _, name := range framing.SplitCSV(nil, jsonscan.TrimByteOrderMark(header), d.Separator) {
		c := csvColumn{name: jsonscan.Value{Kind: jsonscan.String, Raw: bytes.Clone(bytes.TrimSpace(name))}}
		p, ok := d.Fields.Lookup(c.name.Raw)
		c.role, c.hasRole = p.Role, ok
		d.columns = append(d.columns, c)
	}
	return nil
}

func (d *CSVDecoder) pickCell(c *csvColumn, cell []byte) {
	switch {
	case len(cell) == 0:
	case d.ReadCell != nil && d.ReadCell(d.RowDecoder, string(c.name.Raw), cell):
	case c.hasRole && c.role == RoleResponse && d.Capture == nil && !bytes.HasPrefix(cell, []byte(jsonscan.MessagesPrefix)):
		d.Pick(c.name, jsonscan.Value{Kind: jsonscan.CountedText, Float: float64(utf8.RuneCount(cell))}) // its text is not needed
	case c.hasRole && (c.role.isText() || c.role == RoleGroup || c.role == RoleRollout):
		d.Pick(c.name, jsonscan.FromText(cell))
	default:
		d.Pick(c.name, CellValue(cell))
	}
}

// CellValue returns a cell as the number or truth value that it looks like, else as a text.
func CellValue(cell []byte) jsonscan.Value {
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

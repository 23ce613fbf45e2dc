package decode

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
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
	answers   int      // how many a row has, as in output_1, score_1, output_2, score_2: mostly 1
	cells     [][]byte // of the record at hand
}

// CellReader reads a cell that is no plain text or number: it sets roles of r, or returns false.
type CellReader func(r *RowDecoder, column string, cell []byte) bool

type csvColumn struct {
	name    jsonscan.Value // without the number of the answer
	answer  int            // from 1; 0 for a column of all answers
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
		d.eachAnswer(cells, finish)
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

// eachAnswer picks the cells of each answer of a row and calls finish. Where there are several, some may have no cell.
func (d *CSVDecoder) eachAnswer(cells [][]byte, finish func()) {
	for answer := 1; answer <= d.answers; answer++ {
		d.BeginRow()
		isAnswered := d.answers == 1
		for i, cell := range cells {
			if c := &d.columns[i]; c.answer == 0 || c.answer == answer {
				d.pickCell(c, cell)
				isAnswered = isAnswered || c.answer == answer && len(cell) > 0
			}
		}
		if isAnswered {
			finish()
		}
	}
}

// IsWide reports whether a row has several answers.
func (d *CSVDecoder) IsWide() bool { return d.answers > 1 }

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
	return &CSVDecoder{RowDecoder: d.RowDecoder.Clone(), ReadCell: d.ReadCell, Separator: d.Separator, columns: d.columns, answers: d.answers}
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
	var names []jsonscan.Value
	for _, name := range framing.SplitCSV(nil, jsonscan.TrimByteOrderMark(header), d.Separator) {
		names = append(names, jsonscan.Value{Kind: jsonscan.String, Raw: bytes.Clone(bytes.TrimSpace(name))})
	}
	columns, answers := d.numberedColumns(names)
	d.answers = answers
	for _, c := range columns {
		p, ok := d.Fields.Lookup(c.name.Raw)
		d.columns = append(d.columns, csvColumn{name: c.name, answer: c.answer, role: p.Role, hasRole: ok})
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
	case cell[0] == '{' && holdsParts(c):
		d.Pick(c.name, jsonscan.FromText(fromPython(cell)))
	case d.Separator == ';' && IsDecimalComma(cell):
		d.Pick(c.name, jsonscan.Value{Kind: jsonscan.Number, Raw: bytes.Replace(cell, []byte{','}, []byte{'.'}, 1)})
	default:
		d.Pick(c.name, CellValue(cell))
	}
}

// holdsParts reports whether a column may have an object of the parts of a reward.
func holdsParts(c *csvColumn) bool {
	_, ok := ComponentPrefix(c.name.Raw)
	return ok
}

// fromPython returns the repr of a dict of numbers as JSON, other texts as they are.
func fromPython(repr []byte) []byte {
	if bytes.ContainsAny(repr, "\"\\") {
		return repr
	}
	words := strings.NewReplacer("'", `"`, ": nan", ": NaN", ": True", ": true", ": False", ": false", ": None", ": null")
	return []byte(words.Replace(string(repr)))
}

// IsDecimalComma reports whether a cell is a number as programs write it where a comma stands before its decimals: they put semicolons
// between cells then.
func IsDecimalComma(cell []byte) bool {
	whole, decimals, ok := bytes.Cut(bytes.TrimLeft(cell, "+-"), []byte{','})
	if exponent := bytes.IndexAny(decimals, "eE"); exponent > 0 {
		decimals = decimals[:exponent]
	}
	return ok && IsDigits(string(whole)) && IsDigits(string(decimals))
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

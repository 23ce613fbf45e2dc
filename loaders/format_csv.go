package loaders

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"vantage/model"
)

// csv is a table with a header and commas or tabs between its columns.
func csv() Format {
	names := PreferNames(nil)
	return Format{
		Name: "csv", Doc: "CSV or TSV with a header: reward and whatever else under its usual names.",
		TrainerOption: "DataFrame.to_csv",
		Framing:       Framing{Quoted: true},
		Positional:    true,
		Sniff: func(name string, first []byte) int {
			switch Extension(name) {
			case ".csv", ".tsv", "": // a stream has no name
			default:
				return 0
			}
			first = TrimByteOrderMark(first)
			for _, key := range SplitCSV(nil, first, CSVSeparator(first)) {
				if p, ok := names.Lookup(bytes.TrimSpace(key)); ok && p.Role == RoleReward || IsComponent(string(key)) {
					return 15
				}
			}
			return 0
		},
		Decode: func(name string) Decoder { return &CSVDecoder{RowDecoder: NewRowDecoder(names, name)} },
	}
}

// unstableBaselines is the train_data_step_N.csv of UnstableBaselines: turns of
// games, with rewards that were normalised before. Nothing tells which belong
// together but equal observations.
// LeonGuertler/UnstableBaselines@66aec040f789.
func unstableBaselines() Format {
	f := csv()
	f.Name, f.Doc = "unstable-baselines", "UnstableBaselines' train_data_step_N.csv: turns of games; its rewards are normalised already."
	f.TrainerOption, f.Positional = "nothing: it writes them by default", false
	f.Sniff = func(_ string, first []byte) int {
		if bytes.HasPrefix(TrimByteOrderMark(first), []byte("pid,obs,act,reward")) {
			return 85
		}
		return 0
	}
	return f
}

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
	name    Value
	hasRole bool // its name says what it is
	field   FieldRole
}

var errColumns = errors.New("the row has another number of columns than the header")

// Line implements [Decoder].
func (g *CSVDecoder) Line(dst []model.Record, record []byte) ([]model.Record, error) {
	record = bytes.TrimSuffix(record, []byte{'\r'})
	if g.header == nil {
		g.sep = CSVSeparator(record)
		for _, name := range SplitCSV(nil, TrimByteOrderMark(record), g.sep) {
			c := csvColumn{name: Value{Kind: String, Raw: bytes.Clone(bytes.TrimSpace(name))}}
			c.field, c.hasRole = g.Fields.Lookup(c.name.Raw)
			g.header = append(g.header, c)
		}
		return dst, nil
	}
	g.cells = SplitCSV(g.cells[:0], record, g.sep)
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
	case c.hasRole && c.field.Role == RoleResponse && g.Capture == nil && !bytes.HasPrefix(cell, []byte(MessagesPrefix)):
		g.Pick(key, Value{Kind: RuneCount, Float: float64(utf8.RuneCount(cell))})
	case c.hasRole && (c.field.Role.IsText() || c.field.Role == RoleGroup):
		g.Pick(key, TextValue(cell))
	default:
		g.Pick(key, cellValue(cell))
	}
}

// cellValue is a cell as the number or truth value that it looks like, or a text.
func cellValue(cell []byte) Value {
	switch string(cell) {
	case "True", "true":
		return Value{Kind: Bool, Raw: []byte("true")}
	case "False", "false":
		return Value{Kind: Bool, Raw: []byte("false")}
	}
	if _, err := strconv.ParseFloat(string(cell), 64); err == nil {
		return Value{Kind: Number, Raw: cell}
	}
	return TextValue(cell)
}

// CSVSeparator is a tab if the header has more of them than commas.
func CSVSeparator(header []byte) byte {
	if bytes.Count(header, []byte{'\t'}) > bytes.Count(header, []byte{','}) {
		return '\t'
	}
	return ','
}

// SplitCSV cuts a record into its cells, appends them to others and takes quotes off.
// A cell without quotes in it stays where it stands.
func SplitCSV(cells [][]byte, record []byte, sep byte) [][]byte {
	for {
		var cell []byte
		cell, record = nextCSVCell(record, sep)
		cells = append(cells, cell)
		if record == nil {
			return cells
		}
	}
}

// nextCSVCell returns the first cell and what follows its separator, nil at the end.
func nextCSVCell(record []byte, sep byte) (cell, rest []byte) {
	if len(record) == 0 || record[0] != '"' {
		i := bytes.IndexByte(record, sep)
		if i < 0 {
			return record, nil
		}
		return record[:i], record[i+1:]
	}
	record = record[1:]
	doubled := false
	for at := 0; ; {
		i := bytes.IndexByte(record[at:], '"')
		if i < 0 {
			return record, nil // never closed: the cell is all there is
		}
		at += i + 1
		if at < len(record) && record[at] == '"' {
			doubled = true
			at++
			continue
		}
		cell, rest = record[:at-1], record[at:]
		break
	}
	if doubled {
		cell = bytes.ReplaceAll(cell, []byte(`""`), []byte{'"'})
	}
	if i := bytes.IndexByte(rest, sep); i >= 0 {
		return cell, rest[i+1:]
	}
	return cell, nil
}

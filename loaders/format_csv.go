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
	names := with(nil)
	return Format{
		Name: "csv", Doc: "CSV or TSV with a header: reward and whatever else under its usual names.",
		Writes:     "DataFrame.to_csv",
		Cut:        cut{quoted: true},
		Positional: true,
		Sniff: func(name string, first []byte) int {
			switch kindOfName(name) {
			case ".csv", ".tsv", "": // a stream has no name
			default:
				return 0
			}
			first = withoutMark(first)
			for _, key := range splitRow(nil, first, separator(first)) {
				if p, ok := names.place(bytes.TrimSpace(key)); ok && p.role == roleReward || isComponent(string(key)) {
					return 15
				}
			}
			return 0
		},
		Decode: func(name string) Decoder { return &grid{rows: newRows(names, name)} },
	}
}

// unstableBaselines is the train_data_step_N.csv of UnstableBaselines: turns of
// games, with rewards that were normalised before. Nothing tells which belong
// together but equal observations.
// LeonGuertler/UnstableBaselines@66aec040f789.
func unstableBaselines() Format {
	f := csv()
	f.Name, f.Doc = "unstable-baselines", "UnstableBaselines' train_data_step_N.csv: turns of games; its rewards are normalised already."
	f.Writes, f.Positional = "nothing: it writes them by default", false
	f.Sniff = func(_ string, first []byte) int {
		if bytes.HasPrefix(withoutMark(first), []byte("pid,obs,act,reward")) {
			return 85
		}
		return 0
	}
	return f
}

// grid decodes tables: the first record names the columns.
type grid struct {
	*rows
	python func(r *rows, name string, cell []byte) bool // reads a cell that is Python's repr; nil if none are
	sep    byte
	header []column
	cells  [][]byte // of the row at hand
}

// column is one of a table, by its header.
type column struct {
	name  value
	known bool // its name says what it is
	place place
}

var errColumns = errors.New("the row has another number of columns than the header")

// Line implements [Decoder].
func (g *grid) Line(dst []model.Record, record []byte) ([]model.Record, error) {
	record = bytes.TrimSuffix(record, []byte{'\r'})
	if g.header == nil {
		g.sep = separator(record)
		for _, name := range splitRow(nil, withoutMark(record), g.sep) {
			c := column{name: value{kind: text, raw: bytes.Clone(bytes.TrimSpace(name))}}
			c.place, c.known = g.fields.place(c.name.raw)
			g.header = append(g.header, c)
		}
		return dst, nil
	}
	g.cells = splitRow(g.cells[:0], record, g.sep)
	if len(g.cells) != len(g.header) {
		return dst, fmt.Errorf("%w: %d, not %d", errColumns, len(g.cells), len(g.header))
	}
	g.begin()
	for i, cell := range g.cells {
		g.cell(&g.header[i], cell)
	}
	before := len(dst)
	dst, err := g.finish(dst)
	if err == nil {
		err = g.belongs(dst[before:])
	}
	if err != nil {
		return dst[:before], err
	}
	return dst, nil
}

func (g *grid) cell(c *column, cell []byte) {
	key := c.name
	switch {
	case len(cell) == 0:
	case g.python != nil && g.python(g.rows, string(key.raw), cell):
	case c.known && c.place.role == roleResponse && g.capture == nil && !bytes.HasPrefix(cell, []byte(messagesText)):
		g.pick(key, value{kind: counted, x: float64(utf8.RuneCount(cell))})
	case c.known && (c.place.role.isText() || c.place.role == roleGroup):
		g.pick(key, textValue(cell))
	default:
		g.pick(key, cellValue(cell))
	}
}

// cellValue is a cell as the number or truth value that it looks like, or a text.
func cellValue(cell []byte) value {
	switch string(cell) {
	case "True", "true":
		return value{kind: boolean, raw: []byte("true")}
	case "False", "false":
		return value{kind: boolean, raw: []byte("false")}
	}
	if _, err := strconv.ParseFloat(string(cell), 64); err == nil {
		return value{kind: number, raw: cell}
	}
	return textValue(cell)
}

// separator is a tab if the header has more of them than commas.
func separator(header []byte) byte {
	if bytes.Count(header, []byte{'\t'}) > bytes.Count(header, []byte{','}) {
		return '\t'
	}
	return ','
}

// splitRow cuts a record into its cells, appends them to others and takes quotes off.
// A cell without quotes in it stays where it stands.
func splitRow(cells [][]byte, record []byte, sep byte) [][]byte {
	for {
		var cell []byte
		cell, record = nextCell(record, sep)
		cells = append(cells, cell)
		if record == nil {
			return cells
		}
	}
}

// nextCell returns the first cell and what follows its separator, nil at the end.
func nextCell(record []byte, sep byte) (cell, rest []byte) {
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

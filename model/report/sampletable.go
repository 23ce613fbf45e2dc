package report

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"vantage/model"
	"vantage/model/figures"
)

// SampleTable is the samples of a run, as a row of cells for each.
type SampleTable struct {
	Snap     model.Snapshot
	Settings model.Settings
	Where    figures.Query
	Columns  []SampleColumn
	Log      SampleLog // may be nil if no column of texts is among Columns: there are no lines then
	Refusals *Refusals // counts; may be nil
}

// Each calls visit with the cells of every sample that the query matches, steps ascending, in input order
// within each. The slice is valid until visit returns.
func (t *SampleTable) Each(ctx context.Context, visit func([]Cell) error) error {
	cells := make([]Cell, len(t.Columns))
	row := sampleRow{ctx: ctx, log: t.Log, snap: t.Snap}
	return eachSample(ctx, t.Snap, t.Settings, t.Where, t.Refusals, func(s Sample) error {
		if row.Analysis != s.Analysis {
			i, ok := t.Snap.Find(s.Analysis.Step)
			if !ok {
				return fmt.Errorf("the log has no step %d any more", s.Analysis.Step)
			}
			row.step = t.Snap.Steps[i]
		}
		row.Sample, row.text = s, nil
		for k, c := range t.Columns {
			var err error
			if cells[k], err = c.cell(&row); err != nil {
				return err
			}
		}
		return visit(cells)
	})
}

// bits returns the precision in which advantages are computed.
func (t *SampleTable) bits() (int, error) {
	entry, err := t.Settings.FindEstimator()
	if err != nil {
		return 0, err
	}
	return int(entry.Float), nil
}

// numberBits returns how many bits the decimals of a column of numbers must give again.
func (c SampleColumn) numberBits(advantages int) int {
	switch c.Type {
	case AdvantageCell:
		return advantages
	case Number32Cell:
		return 32
	default:
		return 64
	}
}

// SampleCSV writes the table with a head. A missing cell is empty. Floats are the shortest decimals that
// parse to the same float. Texts keep their line breaks, in quotes; other control characters become visible
// ones, and what a spreadsheet would run has an apostrophe before it.
func SampleCSV(ctx context.Context, w io.Writer, t *SampleTable) error {
	bits, err := t.bits()
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<16)
	var line []byte
	for k, c := range t.Columns {
		line = appendCSVText(appendComma(line, k), c.Name)
	}
	if _, err := out.Write(append(line, '\n')); err != nil {
		return err
	}
	err = t.Each(ctx, func(cells []Cell) error {
		line = line[:0]
		for k, c := range t.Columns {
			line = appendCSVCell(appendComma(line, k), c, cells[k], bits)
		}
		_, err := out.Write(append(line, '\n'))
		return err
	})
	if err != nil {
		return err
	}
	return out.Flush()
}

func appendCSVCell(line []byte, c SampleColumn, cell Cell, bits int) []byte {
	switch {
	case cell.Missing:
		return line
	case c.Type == IntegerCell:
		return strconv.AppendInt(line, cell.Integer, 10)
	case c.Type == BoolCell:
		return strconv.AppendBool(line, cell.Bool)
	case c.Type == NameCell:
		return appendCSVText(line, cell.Text)
	case c.Type == TextCell:
		return appendCSVLines(line, cell.Text)
	}
	return appendFloat(line, cell.Number, c.numberBits(bits))
}

// appendCSVText appends text of one line, in quotes if a reader of CSV could take it for something else.
func appendCSVText(line []byte, s string) []byte {
	s = csvText(s)
	if strings.ContainsAny(s, `",`) || strings.HasPrefix(s, " ") {
		return append(line, quoteCSV(s)...)
	}
	return append(line, s...)
}

// appendCSVLines appends text with its line breaks.
func appendCSVLines(line []byte, s string) []byte {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = csvText(lines[i])
	}
	return append(line, quoteCSV(strings.Join(lines, "\n"))...)
}

// SampleJSONL writes an object per line and sample, keys in the order of the columns. A missing cell is
// null; numbers that JSON lacks are strings, as in [SamplesJSONL].
func SampleJSONL(ctx context.Context, w io.Writer, t *SampleTable) error {
	bits, err := t.bits()
	if err != nil {
		return err
	}
	keys := make([][]byte, len(t.Columns))
	for k, c := range t.Columns {
		name, err := json.Marshal(c.Name)
		if err != nil {
			return err
		}
		keys[k] = append(appendComma(nil, k), append(name, ':')...)
	}
	out := bufio.NewWriterSize(w, 1<<16)
	var line []byte
	err = t.Each(ctx, func(cells []Cell) error {
		line = append(line[:0], '{')
		for k, c := range t.Columns {
			if line, err = appendJSONCell(append(line, keys[k]...), c, cells[k], bits); err != nil {
				return err
			}
		}
		_, err := out.Write(append(line, '}', '\n'))
		return err
	})
	if err != nil {
		return err
	}
	return out.Flush()
}

func appendJSONCell(line []byte, c SampleColumn, cell Cell, bits int) ([]byte, error) {
	switch {
	case cell.Missing:
		return append(line, "null"...), nil
	case c.Type == IntegerCell:
		return strconv.AppendInt(line, cell.Integer, 10), nil
	case c.Type == BoolCell:
		return strconv.AppendBool(line, cell.Bool), nil
	case c.Type == NameCell, c.Type == TextCell:
		var text bytes.Buffer
		enc := json.NewEncoder(&text)
		enc.SetEscapeHTML(false) // answers are full of <tags>
		err := enc.Encode(cell.Text)
		return append(line, bytes.TrimSuffix(text.Bytes(), []byte("\n"))...), err
	}
	return appendFraction(appendNumber(line, cell.Number, c.numberBits(bits)), len(line)), nil
}

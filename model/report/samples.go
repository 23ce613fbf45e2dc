package report

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/figures"
)

// CellType is what the cells of a column of an export are.
type CellType int

// The types. An advantage is a number in the precision of the framework, which CSV and JSON write with
// the digits of that precision.
const (
	IntegerCell CellType = iota
	NumberCell
	AdvantageCell
	Number32Cell
	BoolCell
	NameCell // short text that repeats
	TextCell // text of any length, with its line breaks
)

// Cell is a value of a sample. Which field holds it is said by the type of its column.
type Cell struct {
	Missing bool // the log has none
	Integer int64
	Number  float64
	Bool    bool
	Text    string
}

// SampleColumn is a column of an export.
type SampleColumn struct {
	Name string
	Doc  string // what a person is told
	Type CellType

	Optional  bool // cells can be missing
	OnRequest bool // it is written only if named

	cell func(*sampleRow) (Cell, error)
}

// SampleLog reads again what a snapshot does not hold of a sample.
type SampleLog interface {
	// Text returns the text of a sample.
	Text(ctx context.Context, at model.Place) (model.Text, error)
	// Line returns the line at which the record of a sample begins, from 1; of a table its row. It is 0
	// for a sample that came from a stream.
	Line(ctx context.Context, at model.Place) (int64, error)
}

// sampleRow is a sample of which the cells are asked for.
type sampleRow struct {
	Sample
	ctx  context.Context
	log  SampleLog
	snap model.Snapshot
	step model.Step
	text *model.Text // nil before it is asked for
}

// SampleColumns returns the columns that an export of a run can have, in their order. Only runs with
// rollouts of several rows have a rollout; each reward function that is logged is a column "reward/NAME".
func SampleColumns(snap model.Snapshot) []SampleColumn {
	all := slices.Concat(sampleNumbers(), sampleOrigins())
	if snap.Rollouts() == snap.Rows {
		all = slices.DeleteFunc(all, func(c SampleColumn) bool { return c.Name == "rollout" })
	}
	return slices.Concat(all, componentColumns(snap.Run.ComponentNames), textColumns())
}

// sampleNumbers returns the columns of what is computed.
func sampleNumbers() []SampleColumn {
	return []SampleColumn{
		{Name: "step", Doc: "training step", Type: IntegerCell, cell: func(r *sampleRow) (Cell, error) { return Cell{Integer: r.Analysis.Step}, nil }},
		{Name: "group", Doc: "id of the group, or its prompt's hash", Type: NameCell, cell: func(r *sampleRow) (Cell, error) { return Cell{Text: r.Group.Name}, nil }},
		{Name: "index", Doc: "row within the step, from 0, in the order of the log", Type: IntegerCell, cell: func(r *sampleRow) (Cell, error) { return Cell{Integer: int64(r.Row)}, nil }},
		{Name: "reward", Doc: "as logged", Type: NumberCell, Optional: true, cell: rewardCell},
		{Name: "advantage_original", Doc: "advantage before the filter", Type: AdvantageCell, cell: func(r *sampleRow) (Cell, error) { return Cell{Number: r.Analysis.Original[r.Index]}, nil }},
		{Name: "kept", Doc: "whether the keep ratios keep it", Type: BoolCell, cell: func(r *sampleRow) (Cell, error) { return Cell{Bool: r.Analysis.Keep[r.Index]}, nil }},
		{Name: "advantage", Doc: "advantage after filter and recompute: what trains", Type: AdvantageCell, cell: func(r *sampleRow) (Cell, error) { return Cell{Number: r.Analysis.Processed[r.Index]}, nil }},
		{Name: "length", Doc: "of the response", Type: IntegerCell, Optional: true, cell: lengthCell},
		{Name: "fate", Doc: "what the settings make of the group", Type: NameCell, cell: func(r *sampleRow) (Cell, error) { return Cell{Text: r.Group.Fate.Key()}, nil }},
		{Name: "refused", Doc: "the trainer's own code would raise an error for the group", Type: BoolCell, cell: func(r *sampleRow) (Cell, error) { return Cell{Bool: r.Refused}, nil }},
		{Name: "admitted", Doc: "whether the group filter admits its group", Type: BoolCell, cell: func(r *sampleRow) (Cell, error) { return Cell{Bool: r.Analysis.Trains(r.Index)}, nil }},
		{Name: "loss_weight", Doc: "what --loss multiplies its advantage by", Type: Number32Cell, Optional: true, cell: lossWeightCell},
		{Name: "rollout", Doc: "rollout within the group, from 0", Type: IntegerCell, cell: rolloutCell},
	}
}

// sampleOrigins returns the columns of what the log says, and where.
func sampleOrigins() []SampleColumn {
	return []SampleColumn{
		{Name: "advantage_logged", Doc: "advantage that the trainer logged", Type: NumberCell, Optional: true, cell: func(r *sampleRow) (Cell, error) { return orMissing(r.Analysis.LoggedAdvantages[r.Index]), nil }},
		{Name: "file", Doc: "file of the record, below the path that was opened", Type: NameCell, Optional: true, cell: fileCell},
		{Name: "line", Doc: "line of the record in its file, from 1; of Parquet its row", Type: IntegerCell, Optional: true, cell: lineCell},
	}
}

// textColumns returns the columns that are read from the log again.
func textColumns() []SampleColumn {
	text := func(name, doc string, of func(*model.Text) string) SampleColumn {
		return SampleColumn{Name: name, Doc: doc, Type: TextCell, OnRequest: true, cell: func(r *sampleRow) (Cell, error) {
			t, err := r.readText()
			if err != nil {
				return Cell{}, err
			}
			return Cell{Text: of(t)}, nil
		}}
	}
	return []SampleColumn{
		text("prompt", "text of the prompt", func(t *model.Text) string { return t.Prompt }),
		text("response", "text of the response", func(t *model.Text) string { return t.Response }),
		text("ground_truth", "text of the ground truth", func(t *model.Text) string { return t.Truth }),
	}
}

// componentColumns returns a column for each reward function of the log.
func componentColumns(names []string) []SampleColumn {
	columns := make([]SampleColumn, len(names))
	for k, name := range names {
		columns[k] = SampleColumn{Name: "reward/" + name, Doc: "what the reward function gave", Type: NumberCell, Optional: true, cell: func(r *sampleRow) (Cell, error) {
			if k >= len(r.step.Components) || r.step.Components[k] == nil {
				return Cell{Missing: true}, nil
			}
			return orMissing(r.step.Components[k][r.Row]), nil
		}}
	}
	return columns
}

// orMissing returns a number, missing where it is NaN.
func orMissing(x float64) Cell { return Cell{Number: x, Missing: math.IsNaN(x)} }

func rewardCell(r *sampleRow) (Cell, error) {
	x := r.Analysis.LoggedRewards[r.Index]
	return Cell{Number: x, Missing: estimators.IsMissing(x)}, nil
}

func lengthCell(r *sampleRow) (Cell, error) {
	n := r.Analysis.Lengths[r.Index]
	return Cell{Integer: int64(n), Missing: n < 0}, nil
}

func lossWeightCell(r *sampleRow) (Cell, error) {
	if r.Analysis.LossWeights == nil {
		return Cell{Missing: true}, nil
	}
	return Cell{Number: r.Analysis.LossWeights[r.Index]}, nil
}

func rolloutCell(r *sampleRow) (Cell, error) {
	n, _, ok := r.Analysis.RolloutOf(r.Group, r.Index)
	if !ok {
		n = r.Index - r.Group.Start
	}
	return Cell{Integer: int64(n)}, nil
}

func fileCell(r *sampleRow) (Cell, error) {
	file := int(r.step.Place(r.Row).File)
	if file < 0 || file >= len(r.snap.Run.Files) {
		return Cell{Missing: true}, nil
	}
	return Cell{Text: r.snap.Run.Files[file]}, nil
}

func lineCell(r *sampleRow) (Cell, error) {
	if r.log == nil {
		return Cell{Missing: true}, nil
	}
	n, err := r.log.Line(r.ctx, r.step.Place(r.Row))
	return Cell{Integer: n, Missing: n == 0}, err
}

// readText reads the text of the sample once.
func (r *sampleRow) readText() (*model.Text, error) {
	if r.text != nil {
		return r.text, nil
	}
	if r.log == nil {
		return nil, fmt.Errorf("the text of sample %d of step %d is not in a log", r.Row, r.step.Number)
	}
	t, err := r.log.Text(r.ctx, r.step.Place(r.Row))
	if err != nil {
		return nil, fmt.Errorf("the text of sample %d of step %d is missing: %w", r.Row, r.step.Number, err)
	}
	r.text = &t
	return r.text, nil
}

// Sample locates one sample of an analysed step.
type Sample struct {
	Analysis *analysis.Analysis
	Group    *analysis.Group
	Row      int // in the step, in input order
	Index    int // in the columns of Analysis

	Refused bool // the trainer's own code would raise an error for the group
}

// eachSample calls visit with every sample that the query matches, steps ascending, in input
// order within each. It holds one step in memory at a
// time, and counts in refusals, which may be nil.
func eachSample(ctx context.Context, snap model.Snapshot, set model.Settings, where figures.Query, refusals *Refusals, visit func(Sample) error) error {
	return analysis.Each(ctx, snap, set, func(a *analysis.Analysis) error {
		refusals.Add(a)
		index, group, selected := make([]int, a.Rows), make([]*analysis.Group, a.Rows), make([]bool, a.Rows)
		table := a.Table
		refused := refusedGroups(a)
		for g := range table {
			for c := table[g].Start; c < table[g].End; c++ {
				index[a.InputRow[c]], group[a.InputRow[c]], selected[a.InputRow[c]] = c, &table[g], where.MatchesSample(a, g, c)
			}
		}
		for row, column := range index {
			if !selected[row] {
				continue
			}
			refusals.addWritten()
			if err := visit(Sample{a, group[row], row, column, refused[group[row]]}); err != nil {
				return err
			}
		}
		return nil
	})
}

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

// SamplesJSONL writes one JSON object per line and sample, steps ascending, in input order
// within each step:
//
//	{"step":1,"group":"a3…","index":0,"reward":0.5,"advantage_original":0.7071068,"kept":true,"advantage":0.7071068}
//
// index counts the samples of the step from 0. The reward is as logged, null if the log has
// none; "admitted" follows under a group filter, "loss_weight" under a loss, "rollout" follows, from 0 within the group, in steps with rollouts of several rows, and
// "refused":true where the trainer's own code would raise an error for the group.
// Advantages are the shortest decimals that parse to the same float, of 32 bits for a
// framework that computes in float32. NaN is the string "NaN". One step is held in memory
// at a time.
func SamplesJSONL(ctx context.Context, w io.Writer, snap model.Snapshot, set model.Settings, where figures.Query, refusals *Refusals) error {
	entry, err := set.FindEstimator()
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<16)
	var line, name []byte
	err = eachSample(ctx, snap, set, where, refusals, func(s Sample) error {
		if name, err = json.Marshal(s.Group.Name); err != nil {
			return err
		}
		line = appendSample(line[:0], s, name, int(entry.Float))
		_, err := out.Write(line)
		return err
	})
	if err != nil {
		return err
	}
	return out.Flush()
}

func appendSample(line []byte, s Sample, group []byte, bits int) []byte {
	a, i := s.Analysis, s.Index
	line = append(line, `{"step":`...)
	line = strconv.AppendInt(line, a.Step, 10)
	line = append(line, `,"group":`...)
	line = append(line, group...)
	line = append(line, `,"index":`...)
	line = strconv.AppendInt(line, int64(s.Row), 10)
	line = append(line, `,"reward":`...)
	if estimators.IsMissing(a.LoggedRewards[i]) {
		line = append(line, "null"...)
	} else {
		line = appendNumber(line, a.LoggedRewards[i], 64)
	}
	line = append(line, `,"advantage_original":`...)
	line = appendNumber(line, a.Original[i], bits)
	line = append(line, `,"kept":`...)
	line = strconv.AppendBool(line, a.Keep[i])
	line = append(line, `,"advantage":`...)
	line = appendNumber(line, a.Processed[i], bits)
	if rollout, _, ok := a.RolloutOf(s.Group, i); ok {
		line = append(line, `,"rollout":`...)
		line = strconv.AppendInt(line, int64(rollout), 10)
	}
	if a.Settings.GroupFilter != "" {
		line = append(line, `,"admitted":`...)
		line = strconv.AppendBool(line, a.Trains(i))
	}
	if a.LossWeights != nil {
		line = append(line, `,"loss_weight":`...)
		line = appendNumber(line, a.LossWeights[i], 32)
	}
	if s.Refused {
		line = append(line, `,"refused":true`...)
	}
	return append(line, '}', '\n')
}

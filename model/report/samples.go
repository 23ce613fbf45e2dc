package report

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"sync"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/figures"
	"vantage/model/units"
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

// Cells are the values of a column in some samples, one after another. Which slice holds them is said by the type of the column.
type Cells struct {
	Missing  []bool // which of them the log lacks; of a column that is optional
	Integers []int64
	Numbers  []float64
	Bools    []bool
	Texts    []string
}

// SampleColumn is a column of an export.
type SampleColumn struct {
	Name string
	Doc  string // what a person is told
	Type CellType

	Optional  bool // cells can be missing
	OnRequest bool // it is written only if named

	fill func(*SamplePart, *Cells) // sets all cells of a part: a call for each of them took longer than all else of an export
}

// lineColumn is the column of lines, which are asked for in the order of the log.
const lineColumn = "line"

// SampleLog reads again what a snapshot does not hold of a sample.
type SampleLog interface {
	// Text returns the text of a sample.
	Text(ctx context.Context, at model.Place) (model.Text, error)
	// Lines returns the lines at which the records of samples begin, from 1; of a table their rows. It is 0
	// for a sample that came from a stream.
	Lines(ctx context.Context, at []model.Place) ([]int64, error)
}

// SampleColumns returns the columns that an export of a run can have, in their order. Only runs with
// rollouts of several rows have a rollout; each reward function that is logged is a column "reward/NAME".
func SampleColumns(snap model.Snapshot) []SampleColumn {
	all := []SampleColumn{
		{Name: "step", Doc: "training step", Type: IntegerCell, fill: func(p *SamplePart, c *Cells) {
			each(p, &c.Integers, func(int) int64 { return p.a.Step })
		}},
		{Name: "group", Doc: "id of the group, or its prompt's hash", Type: NameCell, fill: func(p *SamplePart, c *Cells) {
			each(p, &c.Texts, func(k int) string { return p.groups[k].Name })
		}},
		{
			Name: "index", Doc: "row within the step, from 0, in the order of the log", Type: IntegerCell,
			fill: func(p *SamplePart, c *Cells) {
				each(p, &c.Integers, func(k int) int64 { return int64(p.rows[k]) })
			},
		},
		{Name: "reward", Doc: "as logged", Type: NumberCell, Optional: true, fill: func(p *SamplePart, c *Cells) {
			each(p, &c.Numbers, func(k int) float64 { return p.a.LoggedRewards[p.at[k]] })
			each(p, &c.Missing, func(k int) bool { return estimators.IsMissing(c.Numbers[k]) })
		}},
		{Name: "advantage_original", Doc: "advantage before the filter", Type: AdvantageCell, fill: func(p *SamplePart, c *Cells) {
			each(p, &c.Numbers, func(k int) float64 { return p.a.Unfiltered[p.at[k]] })
		}},
		{Name: "kept", Doc: "whether the keep ratios keep it", Type: BoolCell, fill: func(p *SamplePart, c *Cells) {
			each(p, &c.Bools, func(k int) bool { return p.a.Keep[p.at[k]] })
		}},
		{Name: "advantage", Doc: "advantage after filter and recompute: what trains, but for rounding errors, which is not 0 " +
			"here: see trains", Type: AdvantageCell, fill: func(p *SamplePart, c *Cells) {
			each(p, &c.Numbers, func(k int) float64 { return p.a.Processed[p.at[k]] })
		}},
		{Name: "length", Doc: "of the response", Type: IntegerCell, Optional: true, fill: func(p *SamplePart, c *Cells) {
			each(p, &c.Integers, func(k int) int64 { return int64(p.a.Lengths[p.at[k]]) })
			each(p, &c.Missing, func(k int) bool { return c.Integers[k] < 0 })
		}},
		{Name: "fate", Doc: "fate of the group under the settings", Type: NameCell, fill: func(p *SamplePart, c *Cells) {
			each(p, &c.Texts, func(k int) string { return p.groups[k].Fate.Key() })
		}},
		{
			Name: "refused", Doc: "the trainer's own code would raise an error for the group", Type: BoolCell,
			fill: func(p *SamplePart, c *Cells) {
				each(p, &c.Bools, func(k int) bool { return p.refused[p.groups[k]] })
			},
		},
		{Name: "admitted", Doc: "whether the group filter admits its group", Type: BoolCell, fill: func(p *SamplePart, c *Cells) {
			each(p, &c.Bools, func(k int) bool { return p.a.Trains(p.at[k]) })
		}},
		{
			Name: "loss_weight", Doc: "what --loss multiplies its advantage by", Type: Number32Cell, Optional: true,
			fill: func(p *SamplePart, c *Cells) {
				p.fillOptional(c, p.a.LossWeights, p.at)
				each(p, &c.Missing, func(int) bool { return p.a.LossWeights == nil })
			},
		},
	}
	if snap.Rollouts() != snap.Rows {
		all = append(all, SampleColumn{
			Name: "rollout", Doc: "rollout within the group, from 0", Type: IntegerCell,
			fill: func(p *SamplePart, c *Cells) {
				each(p, &c.Integers, func(k int) int64 {
					if n, _, ok := p.a.RolloutOf(p.groups[k], p.at[k]); ok {
						return int64(n)
					}
					return int64(p.at[k] - p.groups[k].Start)
				})
			},
		})
	}
	if snap.TellsStatuses() {
		all = append(all, SampleColumn{Name: "status", Doc: "the trainer's status of it: trains, cut off, masked, dropped, errored, " +
			"empty or not in the log", Type: NameCell, fill: func(p *SamplePart, c *Cells) {
			each(p, &c.Texts, func(k int) string { return p.a.StatusOf(p.at[k]).String() })
		}})
	}
	all = append(all, []SampleColumn{
		{
			Name: "advantage_logged", Doc: "advantage that the trainer logged", Type: NumberCell, Optional: true,
			fill: func(p *SamplePart, c *Cells) {
				p.fillOptional(c, p.a.LoggedAdvantages, p.at)
			},
		},
		{
			Name: "file", Doc: "file of the record, below the path that was opened", Type: NameCell, Optional: true,
			fill: func(p *SamplePart, c *Cells) {
				files := p.table.Snap.Run.Files
				each(p, &c.Integers, func(k int) int64 { return int64(p.step.Place(p.rows[k]).File) })
				each(p, &c.Missing, func(k int) bool { return uint64(c.Integers[k]) >= uint64(len(files)) })
				each(p, &c.Texts, func(k int) string {
					if c.Missing[k] {
						return ""
					}
					return files[c.Integers[k]]
				})
			},
		},
		{
			Name: lineColumn, Doc: "line of the record in its file, from 1; of Parquet its row", Type: IntegerCell, Optional: true,
			fill: func(p *SamplePart, c *Cells) {
				each(p, &c.Integers, func(k int) int64 {
					if p.lines == nil {
						return 0
					}
					return p.lines[k]
				})
				each(p, &c.Missing, func(k int) bool { return c.Integers[k] == 0 })
			},
		},
	}...)
	for k, name := range snap.Run.ComponentNames {
		all = append(all, SampleColumn{
			Name: "reward/" + name, Doc: "value of the reward function", Type: NumberCell, Optional: true,
			fill: func(p *SamplePart, c *Cells) {
				var component []float64
				if k < len(p.step.Components) {
					component = p.step.Components[k]
				}
				p.fillOptional(c, component, p.rows)
			},
		})
	}
	textColumn := func(name, doc string, of func(*model.Text) string) SampleColumn {
		return SampleColumn{Name: name, Doc: doc, Type: TextCell, OnRequest: true, fill: func(p *SamplePart, c *Cells) {
			each(p, &c.Texts, func(int) string { return of(p.readText()) })
		}}
	}
	return append(all,
		SampleColumn{
			Name: "trains", Doc: "whether its advantage is a number other than 0, rounding errors aside", Type: BoolCell,
			OnRequest: true, fill: func(p *SamplePart, c *Cells) {
				each(p, &c.Bools, func(k int) bool { return p.a.Pushes(p.at[k]) })
			},
		},
		textColumn("prompt", "text of the prompt", func(t *model.Text) string { return t.Prompt }),
		textColumn("response", "text of the response", func(t *model.Text) string { return t.Response }),
		textColumn("ground_truth", "text of the ground truth", func(t *model.Text) string { return t.Truth }),
	)
}

// UsualSampleColumns returns the columns that an export has without being asked.
func UsualSampleColumns(snap model.Snapshot) []SampleColumn {
	return slices.DeleteFunc(SampleColumns(snap), func(c SampleColumn) bool { return c.OnRequest })
}

// each sets the values of all samples of a part, of which sample k has of(k).
func each[T any](p *SamplePart, values *[]T, of func(k int) T) {
	*values = slices.Grow((*values)[:0], len(p.rows))[:len(p.rows)]
	for k := range *values {
		(*values)[k] = of(k)
	}
}

// fillOptional sets numbers, of which NaN are missing, from a column that is nil if all are. Sample k has number at[k].
func (p *SamplePart) fillOptional(c *Cells, column []float64, at []int) {
	each(p, &c.Numbers, func(k int) float64 {
		if column == nil {
			return math.NaN()
		}
		return column[at[k]]
	})
	each(p, &c.Missing, func(k int) bool { return math.IsNaN(c.Numbers[k]) })
}

func (p *SamplePart) readText() *model.Text {
	if p.text != nil {
		return p.text
	}
	p.text = &model.Text{}
	if p.table.Log == nil {
		p.err = fmt.Errorf("the text of sample %d of step %d is not in a log", p.rows[0], p.step.Number)
		return p.text
	}
	at := p.step.Place(p.rows[0])
	if at.IndexInLine < 0 {
		return p.text // it has no row
	}
	t, err := p.table.Log.Text(p.ctx, at)
	if err != nil {
		p.err = fmt.Errorf("the text of sample %d of step %d is missing: %w", p.rows[0], p.step.Number, err)
	}
	*p.text = t
	return p.text
}

// SampleTable is the samples of a run, with cells of each column.
type SampleTable struct {
	Snap     model.Snapshot
	Settings model.Settings
	Where    figures.Query
	Columns  []SampleColumn
	Log      SampleLog // may be nil if no column of texts is among Columns: there are no lines then
	Refusals *Refusals // counts; may be nil
}

// SamplePart is some samples of a step, one after another in input order.
type SamplePart struct {
	table   *SampleTable
	ctx     context.Context
	a       *analysis.Analysis
	step    model.Step
	rows    []int                    // of the step
	at      []int                    // of these: in the columns of the analysis
	groups  []*analysis.Group        // of these
	lines   []int64                  // of these; nil if nobody asks
	refused map[*analysis.Group]bool // the groups for which the trainer's own code would raise an error
	text    *model.Text              // of its only sample; nil before it is asked for
	err     error                    // of asking for it
}

// partRows is how many samples a part has at most; one if their texts are read.
const partRows = 1 << 12

// Len returns the number of samples.
func (p *SamplePart) Len() int { return len(p.rows) }

// Fill sets the cells of each column, in the memory that they have.
func (p *SamplePart) Fill(cells []Cells) error {
	for k := range p.table.Columns {
		p.table.Columns[k].fill(p, &cells[k])
	}
	return p.err
}

// eachPart makes something of each part of the samples that the query matches, on several processors, and visits it in the order of the
// steps, and in input order within each. It holds a few parts, and a few steps, in memory at a time.
func eachPart[T any](ctx context.Context, t *SampleTable, of func(*SamplePart) (T, error), visit func(T) error) error {
	has := func(is func(SampleColumn) bool) bool { return slices.ContainsFunc(t.Columns, is) }
	readsTexts, needsLines := has(func(c SampleColumn) bool { return c.Type == TextCell }), t.Log != nil && has(func(c SampleColumn) bool {
		return c.Name == lineColumn
	})
	parts := analysis.NewPipeline(visit)
	defer parts.Close()
	add := func(p *SamplePart) error {
		if t.Refusals != nil {
			t.Refusals.Written += len(p.rows)
		}
		if !readsTexts {
			return parts.Add(len(p.rows), func() (T, error) { return of(p) })
		}
		value, err := of(p) // a log is read in its order
		if err != nil {
			return err
		}
		return visit(value)
	}
	most := partRows
	if readsTexts {
		most = 1
	}
	err := analysis.Each(ctx, t.Snap, t.Settings, func(a *analysis.Analysis) error {
		t.Refusals.Add(a)
		return t.divide(ctx, a, most, needsLines, add)
	})
	if err != nil {
		return err
	}
	return parts.End()
}

// divide calls add with the samples of a step that the query matches, so many at most in each part.
func (t *SampleTable) divide(ctx context.Context, a *analysis.Analysis, most int, needsLines bool, add func(*SamplePart) error) error {
	i, _ := t.Snap.Find(a.Step)
	columns, groups, selected := make([]int, a.Rows), make([]*analysis.Group, a.Rows), make([]bool, a.Rows)
	for g := range a.Table {
		for c := a.Table[g].Start; c < a.Table[g].End; c++ {
			columns[a.InputRow[c]], groups[a.InputRow[c]], selected[a.InputRow[c]] = c, &a.Table[g], t.Where.MatchesSample(a, g, c)
		}
	}
	refused := refusedGroups(a)
	for row := 0; row < a.Rows; {
		n := min(most, a.Rows-row)
		p := &SamplePart{
			table: t, ctx: ctx, a: a, step: t.Snap.Steps[i], refused: refused,
			rows: make([]int, 0, n), at: make([]int, 0, n), groups: make([]*analysis.Group, 0, n),
		}
		for ; row < a.Rows && len(p.rows) < most; row++ {
			if !selected[row] {
				continue
			}
			p.rows, p.at, p.groups = append(p.rows, row), append(p.at, columns[row]), append(p.groups, groups[row])
		}
		if needsLines {
			var err error
			if p.lines, err = t.Log.Lines(ctx, model.Mapped(p.rows, p.step.Place)); err != nil {
				return err
			}
		}
		if err := add(p); err != nil {
			return err
		}
	}
	return nil
}

// refusedGroups returns the groups for which the trainer's own code would raise an error: each sample asks.
func refusedGroups(a *analysis.Analysis) map[*analysis.Group]bool {
	refused := map[*analysis.Group]bool{}
	for g := range a.Table {
		if a.Refused(g) {
			refused[&a.Table[g]] = true
		}
	}
	return refused
}

// write writes a line per sample. bits is the precision in which advantages are computed.
func (t *SampleTable) write(ctx context.Context, w io.Writer, head []byte,
	appendRow func(line []byte, cells []Cells, row, bits int, known *knownTexts) []byte,
) error {
	entry, err := t.Settings.FindEstimator()
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<16)
	if _, err := out.Write(head); err != nil {
		return err
	}
	buffers := sync.Pool{New: func() any {
		return &lineBuffer{cells: make([]Cells, len(t.Columns)), known: knownTexts{names: make([]knownName, len(t.Columns))}}
	}}
	err = eachPart(ctx, t, func(p *SamplePart) (*lineBuffer, error) {
		b := buffers.Get().(*lineBuffer)
		b.lines = b.lines[:0]
		if err := p.Fill(b.cells); err != nil {
			return nil, err
		}
		for row := range p.rows {
			b.lines = append(appendRow(b.lines, b.cells, row, int(entry.Float), &b.known), '\n')
		}
		return b, nil
	}, func(b *lineBuffer) error {
		_, err := out.Write(b.lines)
		buffers.Put(b)
		return err
	})
	if err != nil {
		return err
	}
	return out.Flush()
}

// lineBuffer is the lines of a part.
type lineBuffer struct {
	lines []byte
	cells []Cells
	known knownTexts
}

// knownTexts are what names and numbers that came last are as text, since most come again: a name in a group, and rewards are few.
type knownTexts struct {
	names   []knownName // by column
	numbers [256]struct {
		x    uint64
		bits int // 0 if there is no number
		text []byte
	}
}

type knownName struct {
	name string
	text []byte // nil if there is none
}

// appendName appends what write appends of the name in column k.
func (n *knownTexts) appendName(line []byte, k int, name string, write func([]byte, string) []byte) []byte {
	known := &n.names[k]
	if known.text == nil || known.name != name {
		known.name, known.text = name, write(known.text[:0], name)
	}
	return append(line, known.text...)
}

// appendNumber appends what write appends of a number with so many bits.
func (n *knownTexts) appendNumber(line []byte, x float64, bits int, write func([]byte, float64, int) []byte) []byte {
	of := math.Float64bits(x)
	slot := &n.numbers[of*0x9e3779b97f4a7c15>>56]
	if slot.x != of || slot.bits != bits {
		slot.x, slot.bits, slot.text = of, bits, write(slot.text[:0], x, bits)
	}
	return append(line, slot.text...)
}

// numberBits returns how many bits the decimals of a column of numbers must give again.
func (c *SampleColumn) numberBits(advantages int) int {
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
	head := appendCSVRow(nil, model.Mapped(t.Columns, func(c SampleColumn) any { return c.Name }))
	return t.write(ctx, w, head, func(line []byte, cells []Cells, row, bits int, known *knownTexts) []byte {
		for k := range t.Columns {
			line = appendComma(line, k)
			switch c, cell := &t.Columns[k], &cells[k]; {
			case c.Optional && cell.Missing[row]:
			case c.Type == IntegerCell:
				line = strconv.AppendInt(line, cell.Integers[row], 10)
			case c.Type == BoolCell:
				line = strconv.AppendBool(line, cell.Bools[row])
			case c.Type == NameCell:
				line = known.appendName(line, k, cell.Texts[row], appendCSVText)
			case c.Type == TextCell:
				line = appendCSVLines(line, cell.Texts[row])
			default:
				line = known.appendNumber(line, cell.Numbers[row], c.numberBits(bits), appendFloat)
			}
		}
		return line
	})
}

// SampleJSONL writes an object per line and sample, keys in the order of the columns. A missing cell is null, and so is a number that JSON
// lacks: a column of numbers has nothing else. Other numbers have a point: some readers decide by the first rows.
func SampleJSONL(ctx context.Context, w io.Writer, t *SampleTable) error {
	keys := model.Mapped(t.Columns, func(c SampleColumn) []byte { return append(appendJSONText(nil, c.Name, false), ':') })
	return t.write(ctx, w, nil, func(line []byte, cells []Cells, row, bits int, known *knownTexts) []byte {
		line = append(line, '{')
		for k := range t.Columns {
			line = append(appendComma(line, k), keys[k]...)
			switch c, cell := &t.Columns[k], &cells[k]; {
			case c.Optional && cell.Missing[row]:
				line = append(line, "null"...)
			case c.Type == IntegerCell:
				line = strconv.AppendInt(line, cell.Integers[row], 10)
			case c.Type == BoolCell:
				line = strconv.AppendBool(line, cell.Bools[row])
			case c.Type == NameCell:
				line = known.appendName(line, k, cell.Texts[row], appendPlainJSONText)
			case c.Type == TextCell:
				line = appendJSONText(line, cell.Texts[row], false)
			default:
				line = known.appendNumber(line, cell.Numbers[row], c.numberBits(bits), appendNumberOrNull)
			}
		}
		return append(line, '}')
	})
}

func appendPlainJSONText(line []byte, s string) []byte { return appendJSONText(line, s, false) }

func appendNumberOrNull(line []byte, x float64, bits int) []byte {
	if !units.IsFinite(x) {
		return append(line, "null"...)
	}
	return appendFraction(appendNumber(line, x, bits), len(line))
}

// Package samples draws the table of the samples of a group, and what became of the group: for the overview and for the open group.
package samples

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/figures"
	"vantage/model/report"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/env"
	"vantage/tui/glossary"
	"vantage/tui/pane"
)

// MeanAndStd returns the rewards of a group as 0.44±.51, of one sample as 0.44, large ones
// as -54k±24k, and without the std if that is wider than w.
func MeanAndStd(g *analysis.Group, plusMinus string, w int) string {
	spread := func(write func(float64) string) string {
		return write(g.RewardMean) + plusMinus + strings.TrimPrefix(write(g.RewardStd), "0")
	}
	plain := func(x float64) string { return units.Fixed(x, 2) }
	switch g.Counted - g.Invalid {
	case 0:
		return units.Missing
	case 1:
		return pane.FirstFitting(w, plain(g.RewardMean), units.Brief(g.RewardMean))
	}
	return pane.FirstFitting(w, spread(plain), spread(units.Brief), units.Brief(g.RewardMean))
}

// FiguresOfSample returns the figures of the table, for the help.
func FiguresOfSample(e env.Env) glossary.List {
	g := e.SelectedGroup()
	if g == nil {
		return nil
	}
	l := glossary.List{}.At(figures.Fates, g.Fate.String())
	for _, column := range SampleColumns(e, g) {
		if name := column.Name; column.width == ComponentWidth && name != "rollout" {
			l = l.At(figures.Sample, "reward component")
		} else {
			l = l.At(figures.Sample, name)
		}
	}
	if g.Flips.Total() > 0 {
		for _, k := range analysis.FlipKinds() {
			l = l.At(figures.Sample, k.Label)
		}
	}
	return l.At(figures.Sample, "drop", "#").At(figures.Group, "kept", "reward", "flips")
}

type sampleColumn struct {
	Name  string
	width int
	Cell  func(column int) (text string, role themes.Role)
}

// ComponentWidth is the width of the column of a reward component, figureWidth that of a
// number in any column.
const (
	ComponentWidth = 9
	figureWidth    = 6
)

// SampleColumns returns the columns that the samples of a group have.
func SampleColumns(e env.Env, g *analysis.Group) []sampleColumn {
	x := e.Result.Analysis
	reward := NumberWriter(x.LoggedRewards[g.Start:g.End])
	all := []sampleColumn{{"reward", 7, func(i int) (string, themes.Role) { return reward(x.LoggedRewards[i]), themes.Plain }}}
	if _, _, ok := x.RolloutOf(g, g.Start); ok { // the last row of each rollout is marked
		all = append(all, sampleColumn{"rollout", 9, func(i int) (string, themes.Role) {
			rollout, last, _ := x.RolloutOf(g, i)
			if last {
				return fmt.Sprintf("%d last", rollout+1), themes.Plain
			}
			return fmt.Sprintf("%d     ", rollout+1), themes.Dim
		}})
	}
	if x.StatusesOf(g)[model.StatusTrains] < g.Size() && x.Status != nil {
		all = append(all, sampleColumn{"status", 8, func(i int) (string, themes.Role) {
			if s := x.StatusOf(i); s != model.StatusTrains {
				return s.String(), themes.Warn
			}
			return "", themes.Dim
		}})
	}
	for _, c := range e.Components() {
		write := NumberWriter(model.Mapped(x.InputRow[g.Start:g.End], func(row int32) float64 { return c.Values[row] }))
		all = append(
			all,
			sampleColumn{
				ComponentHeader(c.Name), ComponentWidth,
				func(i int) (string, themes.Role) { return write(c.Values[x.InputRow[i]]), themes.Dim },
			},
		)
	}
	if slices.Max(x.Lengths[g.Start:g.End]) >= 0 {
		all = append(all, sampleColumn{e.LengthName(), 7, func(i int) (string, themes.Role) {
			if x.Lengths[i] < 0 {
				return units.Missing, themes.Dim
			}
			return units.Count(int(x.Lengths[i])), themes.Dim
		}})
	}
	if e.HasRatios() {
		all = append(all, sampleColumn{RatioColumn, RatioWidth, func(i int) (string, themes.Role) {
			return RatioText(e.RatioOf(g, i, i+1)), themes.Dim
		}})
	}
	unfiltered := sampleColumn{"adv", 7, func(i int) (string, themes.Role) {
		return units.Signed(x.Unfiltered[i]), pane.SignRole(x.Unfiltered[i])
	}}
	if !e.ShowsFilter(&x.StepFigures) {
		return append(all, unfiltered)
	}
	unfiltered.Name = "orig"
	return append(all, unfiltered, sampleColumn{"proc", 7, func(i int) (string, themes.Role) {
		if !x.Keep[i] {
			return units.Signed(x.Processed[i]), themes.Dropped
		}
		return units.Signed(x.Processed[i]), pane.SignRole(x.Processed[i])
	}})
}

// The column of the geometric ratio of trainer to sampler, which logs with log-probs of both have.
const (
	RatioColumn = "geo"
	RatioWidth  = 7
)

// RatioText writes a geometric ratio; nothing of a row that cannot be compared.
func RatioText(ratio float64) string {
	if ratio != ratio {
		return units.Missing
	}
	return pane.FirstFitting(RatioWidth-1, units.Fixed(ratio, 3), units.Short(ratio), units.Brief(ratio))
}

// ComponentHeader returns the name of a component; of a long path the last element, which
// differs from those of others.
func ComponentHeader(name string) string {
	name = sanitize.Line(name)
	if at := strings.LastIndexByte(name, '/'); at >= 0 && cells.Width(name) >= ComponentWidth {
		return name[at+1:]
	}
	return name
}

// NumberWriter returns a function that writes values with as many decimals as all of them
// need, at most three and as fit.
func NumberWriter(values []float64) func(float64) string {
	decimals := 0
	for _, v := range values {
		thousandths := math.Round(v * 1000)
		for i, unit := range []float64{1000, 100, 10} {
			if units.IsFinite(v) && math.Mod(thousandths, unit) != 0 {
				decimals = max(decimals, i+1)
			}
		}
	}
	return func(v float64) string {
		if estimators.IsMissing(v) {
			return units.Missing
		}
		return pane.FirstFitting(figureWidth, units.Fixed(v, decimals), units.Short(v), units.Brief(v))
	}
}

// The widths of the number of a sample and of the marks behind its figures.
const (
	numberWidth = 5
	MarksWidth  = 7
)

// WidthOf returns how wide a table of some columns is.
func WidthOf(columns []sampleColumn) int {
	w := numberWidth + MarksWidth
	for _, c := range columns {
		w += c.width
	}
	return w
}

// FittingColumns returns the columns that fit into w cells, and how many do not: components, the last first.
func FittingColumns(e env.Env, g *analysis.Group, w int) (columns []sampleColumn, hidden int) {
	columns = SampleColumns(e, g)
	for i := len(columns) - 1; i > 0 && WidthOf(columns) > w; i-- {
		if columns[i].width == ComponentWidth {
			columns = slices.Delete(columns, i, i+1)
			hidden++
		}
	}
	return columns, hidden
}

// SampleHeader returns the first line of the table.
func SampleHeader(e env.Env, columns []sampleColumn) string {
	header := cells.FitRight("#", numberWidth-1) + " "
	for _, c := range columns {
		header += " " + cells.FitRight(c.Name, c.width-1)
	}
	return e.Display.Theme.Paint(themes.Dim, header)
}

// FateLines says what became of the group and why, after a note, in at most some lines.
func FateLines(e env.Env, g *analysis.Group, w, most int) []string {
	t := e.Display.Theme
	parts := []string{
		"reward " + MeanAndStd(g, e.Display.PlusMinus(), 2*ComponentWidth), fmt.Sprintf("kept %s of %d", figures.KeptBySign(g), g.Size()),
	}
	if g.Rollouts < g.Size() {
		parts = append(parts, fmt.Sprintf("%s, %s", units.Plural(g.Rollouts, "rollouts"), units.Plural(g.Size(), "rows")))
	}
	if n := g.Flips.Total(); n > 0 {
		parts = append(parts, units.Plural(n, "flips")+" ("+g.Flips.String()+")")
	}
	figures := strings.Join(parts, ", ")
	first := " " + t.Paint(e.Display.FateRole(g.Fate), e.Display.FateGlyph(g.Fate)+" "+g.Fate.String()) + "  "
	why := strings.TrimPrefix(e.Cause(), g.Fate.String()+" ")
	if why == "" {
		why = g.Fate.Doc()
	}
	if most == 1 {
		return []string{cells.Truncate(first+cells.JoinFitting(w-cells.Width(first), "; ", append([]string{why}, parts...)...), w)}
	}
	lines := cells.WrapIndented(first, why+"; "+figures, w)
	if len(lines) > 1 && most > len(lines) {
		lines = append(cells.WrapIndented(first, why, w), cells.WrapIndented(" ", figures, w)...)
	}
	return e.Display.CutLines(lines, most, w)
}

// SampleRow returns the row of a sample: its figures, whether it is kept, and whether the
// sign of its advantage flipped.
func SampleRow(e env.Env, figures []sampleColumn, row, column int) string {
	t, x, glyphs := e.Display.Theme, e.Result.Analysis, e.Display.Glyphs
	line := " " + t.Paint(themes.Dim, cells.FitRight(fmt.Sprint(row+1), numberWidth-2)) + " "
	for _, f := range figures {
		text, role := f.Cell(column)
		line += " " + t.Paint(role, cells.FitRight(text, f.width-1))
	}
	switch {
	case !x.StatusOf(column).Trains(): // the filter has nothing to do with it
		return line + " " + t.Paint(themes.Dropped, glyphs.Ring)
	case !x.Keep[column]:
		return line + " " + t.Paint(themes.Dropped, glyphs.Ring+" drop")
	}
	line += " " + t.Paint(pane.SignRole(x.Unfiltered[column]), glyphs.Dot)
	if flip := analysis.FlipOf(x.Unfiltered[column], x.Processed[column]); flip != "" {
		line += t.Paint(themes.Warn, " "+flip)
	}
	return line
}

// ExportedSamples returns the samples of the open group, the best first, with the values
// of every reward component.
func ExportedSamples(e env.Env) report.Table {
	g, x := e.SelectedGroup(), e.Result.Analysis
	s := report.Table{Columns: []string{"step", "group", "rank", "row", "reward", "length", "advantage_original", "kept", "advantage"}}
	if g == nil {
		return s
	}
	s.Title = fmt.Sprintf("samples of %s, step %d", e.PromptOrName(g), g.Step)
	components := e.Components()
	for _, c := range components {
		s.Columns = append(s.Columns, c.Name)
	}
	for rank, i := range e.RankedSamples(g) {
		row := []any{
			g.Step, g.Name, rank + 1, i - g.Start + 1, x.LoggedRewards[i], int(x.Lengths[i]), x.Unfiltered[i], x.Keep[i],
			x.Processed[i],
		}
		for _, c := range components {
			row = append(row, c.Values[x.InputRow[i]])
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}

package tui

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
	"vantage/tui/pane"
)

type sampleColumn struct {
	name  string
	width int
	cell  func(column int) (text string, role themes.Role)
}

// componentWidth is the width of the column of a reward component, figureWidth that of a
// number in any column.
const (
	componentWidth = 9
	figureWidth    = 6
)

func sampleColumns(e env.Env, g *analysis.Group) []sampleColumn {
	x := e.Result.Analysis
	reward := numberWriter(x.LoggedRewards[g.Start:g.End])
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
		write := numberWriter(model.Mapped(x.InputRow[g.Start:g.End], func(row int32) float64 { return c.Values[row] }))
		all = append(all, sampleColumn{componentHeader(c.Name), componentWidth, func(i int) (string, themes.Role) { return write(c.Values[x.InputRow[i]]), themes.Dim }})
	}
	if slices.Max(x.Lengths[g.Start:g.End]) >= 0 {
		all = append(all, sampleColumn{e.LengthName(), 7, func(i int) (string, themes.Role) {
			if x.Lengths[i] < 0 {
				return units.Missing, themes.Dim
			}
			return units.Count(int(x.Lengths[i])), themes.Dim
		}})
	}
	original := sampleColumn{"adv", 7, func(i int) (string, themes.Role) { return units.Signed(x.Original[i]), pane.SignRole(x.Original[i]) }}
	if !e.ShowsFilter(&x.StepFigures) {
		return append(all, original)
	}
	original.name = "orig"
	return append(all, original, sampleColumn{"proc", 7, func(i int) (string, themes.Role) {
		if !x.Keep[i] {
			return units.Signed(x.Processed[i]), themes.Dropped
		}
		return units.Signed(x.Processed[i]), pane.SignRole(x.Processed[i])
	}})
}

// componentHeader returns the name of a component; of a long path the last element, which
// differs from those of others.
func componentHeader(name string) string {
	name = sanitize.Line(name)
	if at := strings.LastIndexByte(name, '/'); at >= 0 && cells.Width(name) >= componentWidth {
		return name[at+1:]
	}
	return name
}

// numberWriter returns a function that writes values with as many decimals as all of them
// need, at most three and as fit.
func numberWriter(values []float64) func(float64) string {
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
	marksWidth  = 7
)

func widthOf(columns []sampleColumn) int {
	w := numberWidth + marksWidth
	for _, c := range columns {
		w += c.width
	}
	return w
}

// fittingColumns returns the columns that fit into w cells, and how many do not: components, the last first.
func fittingColumns(e env.Env, g *analysis.Group, w int) (columns []sampleColumn, hidden int) {
	columns = sampleColumns(e, g)
	for i := len(columns) - 1; i > 0 && widthOf(columns) > w; i-- {
		if columns[i].width == componentWidth {
			columns = slices.Delete(columns, i, i+1)
			hidden++
		}
	}
	return columns, hidden
}

func sampleHeader(e env.Env, columns []sampleColumn) string {
	header := cells.FitRight("#", numberWidth-1) + " "
	for _, c := range columns {
		header += " " + cells.FitRight(c.name, c.width-1)
	}
	return e.Display.Theme.Paint(themes.Dim, header)
}

func (r sampleReader) table(e env.Env, w, h int) pane.Content {
	g := e.SelectedGroup()
	figures, hidden := fittingColumns(e, g, w)
	lines := max(1, h-3)
	if samples, text := r.parts(e); samples.Y != text.Y { // below each other: lines are few
		lines = 1
	}
	c := pane.Content{Lines: append(fateLines(e, g, w-2, lines), sampleHeader(e, figures))}
	order := e.RankedSamples(g)
	e.Display.AddRows(&c, pane.OnSample, r.sample, len(order), w, h, func(row int) string { return sampleRow(e, figures, row, order[row]) })
	c.Note = "sample " + c.Note
	if hidden > 0 {
		c.Note = fmt.Sprintf("%s not shown · %s", units.Plural(hidden, "components"), c.Note)
	}
	which, prompt := fmt.Sprintf("group %d/%d", e.Place.Row+1, len(e.Result.Rows)), "  "+sanitize.Line(g.Preview)
	if prompt == "  " { // its name may be another number
		which, prompt = fmt.Sprintf("group %s, %d of %d", sanitize.Line(g.Name), e.Place.Row+1, len(e.Result.Rows)), ""
	}
	title := e.Display.PaneTitle(which, !r.inText)
	if e.IsWide() {
		title += fmt.Sprintf(" · step %d", g.Step)
	}
	c.Target = pane.Target{Kind: pane.OnReading, N: 0}
	c.Title = " " + title + prompt
	return c
}

// fateLines says what became of the group and why, after a note, in at most some lines.
func fateLines(e env.Env, g *analysis.Group, w, most int) []string {
	t := e.Display.Theme
	parts := []string{"reward " + meanAndStd(g, e.Display.PlusMinus(), 2*componentWidth), fmt.Sprintf("kept %s of %d", figures.KeptBySign(g), g.Size())}
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

// sampleRow returns the row of a sample: its figures, whether it is kept, and whether the
// sign of its advantage flipped.
func sampleRow(e env.Env, figures []sampleColumn, row, column int) string {
	t, x, glyphs := e.Display.Theme, e.Result.Analysis, e.Display.Glyphs
	line := " " + t.Paint(themes.Dim, cells.FitRight(fmt.Sprint(row+1), numberWidth-2)) + " "
	for _, f := range figures {
		text, role := f.cell(column)
		line += " " + t.Paint(role, cells.FitRight(text, f.width-1))
	}
	switch {
	case !x.StatusOf(column).Trains(): // the filter has nothing to do with it
		return line + " " + t.Paint(themes.Dropped, glyphs.Ring)
	case !x.Keep[column]:
		return line + " " + t.Paint(themes.Dropped, glyphs.Ring+" drop")
	}
	line += " " + t.Paint(pane.SignRole(x.Original[column]), glyphs.Dot)
	if flip := analysis.FlipOf(x.Original[column], x.Processed[column]); flip != "" {
		line += t.Paint(themes.Warn, " "+flip)
	}
	return line
}

// exportedSamples returns the samples of the open group, the best first, with the values
// of every reward component.
func exportedSamples(e env.Env) report.Table {
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
		row := []any{g.Step, g.Name, rank + 1, i - g.Start + 1, x.LoggedRewards[i], int(x.Lengths[i]), x.Original[i], x.Keep[i], x.Processed[i]}
		for _, c := range components {
			row = append(row, c.Values[x.InputRow[i]])
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}

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
)

func (e env) rankedSamples(g *analysis.Group) []int { return report.Ranked(e.result.analysis, g) }

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

func (e env) sampleColumns(g *analysis.Group) []sampleColumn {
	x := e.result.analysis
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
	for _, c := range e.components() {
		write := numberWriter(model.Mapped(x.InputRow[g.Start:g.End], func(row int32) float64 { return c.values[row] }))
		all = append(all, sampleColumn{componentHeader(c.name), componentWidth, func(i int) (string, themes.Role) { return write(c.values[x.InputRow[i]]), themes.Dim }})
	}
	if slices.Max(x.Lengths[g.Start:g.End]) >= 0 {
		all = append(all, sampleColumn{e.lengthName(), 7, func(i int) (string, themes.Role) {
			if x.Lengths[i] < 0 {
				return units.Missing, themes.Dim
			}
			return units.Count(int(x.Lengths[i])), themes.Dim
		}})
	}
	original := sampleColumn{"adv", 7, func(i int) (string, themes.Role) { return units.Signed(x.Original[i]), signRole(x.Original[i]) }}
	if !e.showsFilter(&x.StepFigures) {
		return append(all, original)
	}
	original.name = "orig"
	return append(all, original, sampleColumn{"proc", 7, func(i int) (string, themes.Role) {
		if !x.Keep[i] {
			return units.Signed(x.Processed[i]), themes.Dropped
		}
		return units.Signed(x.Processed[i]), signRole(x.Processed[i])
	}})
}

func (e env) lengthName() string {
	if e.snap.Run.LengthUnit == model.LengthTokens {
		return "tokens"
	}
	return "length"
}

type component struct {
	name   string
	values []float64
}

func (e env) components() []component {
	var all []component
	g := e.selectedGroup()
	if g == nil {
		return nil
	}
	step, _ := e.analyzedStep(g.Step)
	for k, values := range step.Components {
		if values != nil && k < len(e.snap.Run.ComponentNames) && !model.HoldsNames(e.snap.Run.ComponentNames[k]) {
			all = append(all, component{e.snap.Run.ComponentNames[k], values})
		}
	}
	return all
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
		return firstFitting(figureWidth, units.Fixed(v, decimals), units.Short(v), units.Brief(v))
	}
}

// signRole is the role of an advantage, or of a difference.
func signRole(v float64) themes.Role {
	switch {
	case v > 0:
		return themes.Positive
	case v < 0:
		return themes.Negative
	}
	return themes.Dim
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
func (e env) fittingColumns(g *analysis.Group, w int) (columns []sampleColumn, hidden int) {
	columns = e.sampleColumns(g)
	for i := len(columns) - 1; i > 0 && widthOf(columns) > w; i-- {
		if columns[i].width == componentWidth {
			columns = slices.Delete(columns, i, i+1)
			hidden++
		}
	}
	return columns, hidden
}

func (e env) sampleHeader(columns []sampleColumn) string {
	header := cells.FitRight("#", numberWidth-1) + " "
	for _, c := range columns {
		header += " " + cells.FitRight(c.name, c.width-1)
	}
	return e.display.theme.Paint(themes.Dim, header)
}

func (r sampleReader) table(e env, w, h int) paneContent {
	g := e.selectedGroup()
	figures, hidden := e.fittingColumns(g, w)
	lines := max(1, h-3)
	if samples, text := r.parts(e); samples.Y != text.Y { // below each other: lines are few
		lines = 1
	}
	c := paneContent{lines: append(e.fateLines(g, w-2, lines), e.sampleHeader(figures))}
	order := e.rankedSamples(g)
	e.display.addRows(&c, onSample, r.sample, len(order), w, h, func(row int) string { return e.sampleRow(figures, row, order[row]) })
	c.note = "sample " + c.note
	if hidden > 0 {
		c.note = fmt.Sprintf("%s not shown · %s", units.Plural(hidden, "components"), c.note)
	}
	which, prompt := fmt.Sprintf("group %d/%d", e.place.row+1, len(e.result.rows)), "  "+sanitize.Line(g.Preview)
	if prompt == "  " { // its name may be another number
		which, prompt = fmt.Sprintf("group %s, %d of %d", sanitize.Line(g.Name), e.place.row+1, len(e.result.rows)), ""
	}
	title := e.display.paneTitle(which, !r.inText)
	if e.isWide() {
		title += fmt.Sprintf(" · step %d", g.Step)
	}
	c.target = target{onReading, 0}
	c.title = " " + title + prompt
	return c
}

// paneTitle returns the title of a pane, bold if it is focused: that is seen without
// colours too.
func (d display) paneTitle(title string, focused bool) string {
	if !focused {
		return title
	}
	return d.theme.Paint(themes.Title, title)
}

func (e env) promptOrName(g *analysis.Group) string {
	if prompt := sanitize.Line(g.Preview); prompt != "" {
		return prompt
	}
	return sanitize.Line(g.Name)
}

// fateLines says what became of the group and why, after a note, in at most some lines.
func (e env) fateLines(g *analysis.Group, w, most int) []string {
	t := e.display.theme
	parts := []string{"reward " + meanAndStd(g, e.display.plusMinus(), 2*componentWidth), fmt.Sprintf("kept %s of %d", figures.KeptBySign(g), g.Size())}
	if g.Rollouts < g.Size() {
		parts = append(parts, fmt.Sprintf("%s, %s", units.Plural(g.Rollouts, "rollouts"), units.Plural(g.Size(), "rows")))
	}
	if n := g.Flips.Total(); n > 0 {
		parts = append(parts, units.Plural(n, "flips")+" ("+g.Flips.String()+")")
	}
	figures := strings.Join(parts, ", ")
	first := " " + t.Paint(e.display.fateRole(g.Fate), e.display.fateGlyph(g.Fate)+" "+g.Fate.String()) + "  "
	why := strings.TrimPrefix(e.cause(), g.Fate.String()+" ")
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
	return e.display.cutLines(lines, most, w)
}

// sampleRow returns the row of a sample: its figures, whether it is kept, and whether the
// sign of its advantage flipped.
func (e env) sampleRow(figures []sampleColumn, row, column int) string {
	t, x, glyphs := e.display.theme, e.result.analysis, e.display.glyphs
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
	line += " " + t.Paint(signRole(x.Original[column]), glyphs.Dot)
	if flip := analysis.FlipOf(x.Original[column], x.Processed[column]); flip != "" {
		line += t.Paint(themes.Warn, " "+flip)
	}
	return line
}

// exportedSamples returns the samples of the open group, the best first, with the values
// of every reward component.
func (e env) exportedSamples() report.Table {
	g, x := e.selectedGroup(), e.result.analysis
	s := report.Table{Columns: []string{"step", "group", "rank", "row", "reward", "length", "advantage_original", "kept", "advantage"}}
	if g == nil {
		return s
	}
	s.Title = fmt.Sprintf("samples of %s, step %d", e.promptOrName(g), g.Step)
	components := e.components()
	for _, c := range components {
		s.Columns = append(s.Columns, c.name)
	}
	for rank, i := range e.rankedSamples(g) {
		row := []any{g.Step, g.Name, rank + 1, i - g.Start + 1, x.LoggedRewards[i], int(x.Lengths[i]), x.Original[i], x.Keep[i], x.Processed[i]}
		for _, c := range components {
			row = append(row, c.values[x.InputRow[i]])
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}

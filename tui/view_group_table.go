package tui

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/sanitize"
	"vantage/model/session"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
)

// ranking is the samples of a group as columns of the analysis, the best reward
// first; those without a number are last, equal ones as in the log.
func (a App) ranking(g *model.Group) []int {
	order := make([]int, g.Size())
	for i := range order {
		order[i] = g.Start + i
	}
	rewards := a.result.analysis.Logged
	slices.SortStableFunc(order, func(i, j int) int {
		x, y := rewards[i], rewards[j]
		switch {
		case x > y, x == x && y != y:
			return -1
		case x < y, x != x && y == y:
			return 1
		}
		return 0
	})
	return order
}

// figure is a column of the table: its name, its cells, and what it says of a
// sample.
type figure struct {
	name string
	w    int
	of   func(column int) (text string, role themes.Role)
}

// componentRoom is the width of a column of what a reward function gave, figureRoom that
// of any other without the gap before it.
const (
	componentRoom = 9
	figureRoom    = 6
)

// advantages is how many figures, the last ones, are advantages.
const advantages = 2

// figures are the columns that the log has, components after the reward.
func (a App) figures(g *model.Group) []figure {
	x := a.result.analysis
	reward := asNeeded(x.Logged[g.Start:g.End])
	all := []figure{{"reward", 7, func(i int) (string, themes.Role) { return reward(x.Logged[i]), themes.Plain }}}
	all = append(all, a.components(g)...)
	if slices.Max(x.Lengths[g.Start:g.End]) >= 0 {
		all = append(all, figure{a.lengthName(), 7, func(i int) (string, themes.Role) {
			if x.Lengths[i] < 0 {
				return units.Missing, themes.Dim
			}
			return units.Count(int(x.Lengths[i])), themes.Dim
		}})
	}
	return append(all,
		figure{"A", 7, func(i int) (string, themes.Role) { return units.Signed(x.Original[i]), signRole(x.Original[i], true) }},
		figure{"B", 7, func(i int) (string, themes.Role) {
			return units.Signed(x.Processed(i)), signRole(x.Processed(i), x.Keep.At(i))
		}},
	)
}

func (a App) lengthName() string {
	if unit := a.snap.Run.LengthUnit; unit == model.LengthTokens {
		return "tokens"
	}
	return "length"
}

// components are what the reward functions of the step gave.
func (a App) components(g *model.Group) []figure {
	step, ok := a.stepRead()
	if !ok {
		return nil
	}
	x := a.result.analysis
	var all []figure
	for k, part := range step.Parts {
		if part == nil || k >= len(a.snap.Run.Components) {
			continue
		}
		values := make([]float64, 0, g.Size())
		for i := g.Start; i < g.End; i++ {
			values = append(values, part[x.Order[i]])
		}
		write := asNeeded(values)
		all = append(all, figure{
			componentName(a.snap.Run.Components[k]), componentRoom,
			func(i int) (string, themes.Role) { return write(part[x.Order[i]]), themes.Dim },
		})
	}
	return all
}

// componentName is the name of a reward function: of a long path its end, which
// tells it from the others.
func componentName(name string) string {
	name = sanitize.Line(name)
	if at := strings.LastIndexByte(name, '/'); at >= 0 && cells.Width(name) >= componentRoom {
		return name[at+1:]
	}
	return name
}

// asNeeded writes figures with as many decimals as they need, at most three, and as many
// as there is room for.
func asNeeded(values []float64) func(float64) string {
	decimals := 0
	for _, v := range values {
		thousandths := math.Round(v * 1000)
		for i, unit := range []float64{1000, 100, 10} {
			if v-v == 0 && math.Mod(thousandths, unit) != 0 {
				decimals = max(decimals, i+1)
			}
		}
	}
	return func(v float64) string {
		if estimators.IsMissing(v) {
			return units.Missing
		}
		return firstWithin(figureRoom, units.Fixed(v, decimals), units.Short(v), units.Brief(v))
	}
}

// signRole is the look of an advantage; dropped samples look dropped.
func signRole(v float64, kept bool) themes.Role {
	switch {
	case !kept:
		return themes.Dropped
	case v > 0:
		return themes.Positive
	case v < 0:
		return themes.Negative
	}
	return themes.Dim
}

// The cells of a row that every table has: number, marks and blanks.
const (
	numberRoom = 5
	marksRoom  = 7
)

// tableRoom is the width at which every column is seen.
func (a App) tableRoom() int {
	room := numberRoom + marksRoom
	if g := a.selected(); g != nil {
		for _, f := range a.figures(g) {
			room += f.w
		}
	}
	return room
}

// fitting leaves out components, the last first, until a row fits.
func fitting(all []figure, w int) (some []figure, hidden int) {
	room := numberRoom + marksRoom
	for _, f := range all {
		room += f.w
	}
	some = slices.Clone(all)
	for i := len(some) - 1; i > 0 && room > w; i-- {
		if some[i].w == componentRoom {
			room -= componentRoom
			some = slices.Delete(some, i, i+1)
			hidden++
		}
	}
	return some, hidden
}

// sampleTable lists the samples of the group under what became of it.
func (a App) sampleTable(w, h int) content {
	g := a.selected()
	t := a.look.theme
	figures, hidden := fitting(a.figures(g), w)
	lines := a.fateLines(g, w-2, max(1, h-3))
	header := cells.FitRight("#", numberRoom-1) + " "
	for _, f := range figures {
		header += " " + cells.FitRight(f.name, f.w-1)
	}
	lines = append(lines, t.Paint(themes.Dim, header))
	order := a.ranking(g)
	rows := max(0, h-len(lines))
	top := max(0, min(a.reader.sample-rows/2, len(order)-rows))
	for row := top; row < min(len(order), top+rows); row++ {
		line := cells.Fit(a.sampleRow(figures, row, order[row]), w)
		if row == a.reader.sample {
			line = t.Underlay(themes.Cursor, line)
		}
		lines = append(lines, line)
	}
	note := fmt.Sprintf("sample %d/%d", a.reader.sample+1, len(order))
	if hidden > 0 {
		note = fmt.Sprintf("%s beyond the edge · %s", units.Plural(hidden, "components"), note)
	}
	title := a.headline(fmt.Sprintf("group %d/%d", a.place.cursor+1, len(a.result.rows)), !a.reader.inText)
	return content{title: " " + title + "  " + a.promptLine(g), note: note, lines: lines}
}

// headline is the title of a pane: where keys go to is told without colour too.
func (a App) headline(title string, focused bool) string {
	if !focused {
		return title
	}
	return a.look.theme.Paint(themes.Title, title)
}

// promptLine is what the group is recognised by.
func (a App) promptLine(g *model.Group) string {
	if prompt := sanitize.Line(g.Preview); prompt != "" {
		return prompt
	}
	return sanitize.Line(g.Name)
}

// fateLines say in words what became of the group, in at most some lines.
func (a App) fateLines(g *model.Group, w, most int) []string {
	t := a.look.theme
	parts := []string{"reward " + meanAndStd(g, 2*componentRoom), fmt.Sprintf("kept %s of %d", keptBySign(g), g.Size())}
	if g.Flips > 0 {
		parts = append(parts, units.Plural(int(g.Flips), "flips"))
	}
	figures := strings.Join(parts, ", ")
	head := " " + t.Paint(a.fateRole(g.Fate), a.fateGlyph(g.Fate)+" "+g.Fate.String()) + "  "
	why := a.cause()
	if why == "" {
		why = g.Fate.Doc()
	}
	if most == 1 {
		return []string{cells.Truncate(head+cells.JoinFitting(w-cells.Width(head), "; ", append([]string{why}, parts...)...), w)}
	}
	lines := hang(head, why+"; "+figures, w)
	if len(lines) > 1 && most > len(lines) {
		lines = append(hang(head, why, w), hang(cells.Spaces(cells.Width(head)), figures, w)...)
	}
	if len(lines) > most {
		lines = lines[:most]
		lines[most-1] = strings.TrimSuffix(cells.Truncate(lines[most-1], w-1), "…") + "…"
	}
	return lines
}

// sampleRow is a sample: its figures, whether it is kept, and whether the sign of
// its advantage changed.
func (a App) sampleRow(figures []figure, row, column int) string {
	t, x, glyphs := a.look.theme, a.result.analysis, a.look.glyphs
	line := a.markSign(session.Mark{Step: x.Step, Group: a.reader.group, Sample: column - a.selected().Start + 1}) + t.Paint(themes.Dim, cells.FitRight(fmt.Sprint(row+1), numberRoom-2)) + " "
	for _, f := range figures {
		text, role := f.of(column)
		line += " " + t.Paint(role, cells.FitRight(text, f.w-1))
	}
	if !x.Keep.At(column) {
		return line + " " + t.Paint(themes.Dropped, glyphs.Ring+" drop")
	}
	line += " " + t.Paint(signRole(x.Original[column], true), glyphs.Dot)
	if x.Original[column]*x.Processed(column) < 0 {
		line += t.Paint(themes.Warn, " flip")
	}
	return line
}

package tui

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/sanitize"
	"vantage/model/session"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/chart"
	"vantage/tui/layout"
)

// groupColumns is the widths of the columns of the group table.
type groupColumns struct {
	fate, step, prompt, n, kept, reward, dotPlot int

	more []groupColumn // between reward and dot plot
	why  int           // of the reason of the fate, behind the dot plot; 0: it is below the table only

	cause func(g int) string
}

// The least widths of the dot plot and of the prompt, which share what the other columns leave.
const (
	minDotPlot     = 11
	minGroupPrompt = 28
)

// groupColumnsFor distributes w cells. They depend on nothing that differs between steps. Of what
// the other columns leave the prompt gets seven tenths, the dot plot the rest: an odd number of
// cells, so that zero has one.
func (a App) groupColumnsFor(w int) groupColumns {
	c := groupColumns{fate: model.FateWidth + 3, n: 4, kept: 7, reward: 8 + cells.Width(a.plusMinus())}
	if x := a.result.analysis; x != nil && x.Rollouts < x.Rows {
		c.n = 7 // rollouts/rows
	}
	if a.isWide() {
		c.step = max(len("step v"), len(fmt.Sprint(a.result.analysis.Step))+1)
	}
	left := w - c.fate - c.step - c.n - c.kept - c.reward - 5
	c.more, c.why = a.groupColumnsMore(left - minGroupPrompt - minDotPlot)
	for _, column := range c.more {
		left -= column.width
	}
	left -= c.why
	c.dotPlot = max(minDotPlot, min(left*3/10, left-minGroupPrompt))
	if c.dotPlot%2 == 0 {
		c.dotPlot--
	}
	c.prompt = max(0, left-c.dotPlot)
	if c.why > 0 {
		c.cause = a.result.analysis.Causes()
	}
	if more := (c.prompt - minWhyWidth) / 2; c.cause != nil && more > 0 {
		c.prompt, c.why = c.prompt-more, c.why+more
	}
	return c
}

// visibleGroups returns how many rows of the table are in sight.
func (a App) visibleGroups() int {
	h := a.screen().Panes[layout.Groups].Inner().H
	if h >= heightForCause {
		h-- // for the cause
	}
	return h - 1 // for the header
}

// heightForCause is the height from which there is a line for why the group under the cursor has no
// signal; below it the frame says it.
const heightForCause = 15

// paneGroups lists the groups, and says why the one under the cursor has no signal.
func (a App) paneGroups(w, h int) paneContent {
	t, axis := a.display.theme, a.chartsFor(a.chartWidth()).axis
	content := paneContent{title: a.groupsTitle(w), note: fmt.Sprintf("%d/%d", min(a.panes.cursor+1, len(a.result.rows)), len(a.result.rows))}
	c := a.groupColumnsFor(w)
	content.lines = []string{a.groupHeader(c, axis)}
	rowsEnd := h
	if h >= heightForCause {
		rowsEnd--
	}
	for row := a.panes.topRow; row < len(a.result.rows) && len(content.lines) < rowsEnd; row++ {
		text, dots := a.groupRow(c, axis, row)
		a.addRowWithChart(&content, target{onGroup, row}, cells.Fit(text, w-cells.Width(dots)), dots, row == a.panes.cursor)
	}
	if len(a.result.rows) == 0 {
		content.lines = append(content.lines, "")
		for _, line := range cells.Wrap(a.noMatchText(), max(1, w-2)) {
			content.lines = append(content.lines, " "+t.Paint(themes.Dim, line))
		}
	}
	if rowsEnd == h {
		content.remark = a.causeUnderCursor()
		return content
	}
	for len(content.lines) < rowsEnd {
		content.lines = append(content.lines, "")
	}
	content.lines = append(content.lines, " "+cells.Truncate(a.causeUnderCursor(), w-1))
	return content
}

// noMatchText says that the filter shows no group, and what to do.
func (a App) noMatchText() string {
	text := fmt.Sprintf("No groups match %s (0/%s).", a.activeFilter(), units.Count(a.result.analysis.Groups))
	if a.position.view == viewFilter {
		return text
	}
	return text + " / changes the filter, u undoes it."
}

func (e env) groupHeader(c groupColumns, axis chart.Axis) string {
	fate := e.columnHeader("fate")
	if e.baselineAnalysis() != nil {
		fate = cells.Fit(fate, c.fate-2) + "A" // the fate under the baseline, where it differs
	}
	right := func(name string, w int) string { return e.markHeading(name, cells.FitRight(e.columnHeader(name), w)) }
	return e.display.theme.Paint(themes.Dim, " "+e.markHeading("fate", cells.Fit(fate, c.fate))+e.markHeading("step", c.stepCell(e.columnHeader("step")))+
		e.markHeading("prompt", cells.Fit(e.columnHeader("prompt"), c.prompt))+" "+right("n", c.n)+" "+right("kept", c.kept)+" "+right("reward", c.reward)+c.moreHeaders()+" "+axisRuler(axis, c.dotPlot)+cells.Fit("  why", c.why))
}

// stepCell returns a cell of the column of steps, "" where all groups are of one step.
func (c groupColumns) stepCell(text string) string {
	if c.step == 0 {
		return ""
	}
	return cells.FitRight(text, c.step-1) + " "
}

// axisRuler returns the ends and the zero of an axis in w cells, where there is room for them.
func axisRuler(axis chart.Axis, w int) string {
	lo, hi := "−"+axisEnd(-axis.Lo), "+"+axisEnd(axis.Hi)
	switch side := (w - 1) / 2; {
	case max(cells.Width(lo), cells.Width(hi)) < side:
		return cells.Fit(lo, side) + "0" + cells.FitRight(hi, w-side-1)
	case cells.Width(lo)+cells.Width(hi) < w:
		return cells.Justify(lo, hi, w)
	}
	return cells.Spaces(w)
}

// axisEnd returns the end of an axis, a round number, without zeros behind its last decimal.
func axisEnd(x float64) string {
	text := units.Short(x)
	if strings.Contains(text, ".") && !strings.ContainsAny(text, "eE") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

// groupRow returns a row of the table and the dots at its end, unless the reason of the fate is behind them: then
// they are within the row. Its colours are few, and none under the cursor but those of the dots: each key that moves
// the cursor draws two rows anew, and a slow link carries every change of colour.
func (a App) groupRow(c groupColumns, axis chart.Axis, row int) (text, dots string) {
	t, x, index := a.display.theme, a.result.analysis, a.result.rows[row]
	g := &x.Table[index]
	word := a.fateGlyph(g.Fate) + " " + g.Fate.String()
	if was, differs := a.baselineFate(index); differs {
		word = cells.Fit(word, c.fate-2) + a.fateGlyph(was)
	}
	fate := cells.Fit(word, c.fate)
	if row != a.panes.cursor {
		fate = t.Paint(a.fateRole(g.Fate), fate)
	}
	name := a.markSign(session.Mark{Step: g.Step, Group: g.Name}) + fate + c.stepCell(fmt.Sprint(g.Step)) + cells.Fit(a.promptInTable(g), c.prompt)
	dots = chart.DotPlot(t, a.display.glyphs, axis, x.Original[g.Start:g.End], x.Processed[g.Start:g.End], x.Keep[g.Start:g.End], c.dotPlot)
	text = name + " " + cells.FitRight(g.SizeText(), c.n) + " " +
		cells.FitRight(firstFitting(c.kept, keptBySign(g), units.Count(g.Kept())), c.kept) + " " +
		cells.FitRight(meanAndStd(g, a.plusMinus(), c.reward), c.reward) + c.moreCells(g) + " "
	if c.why > 0 {
		return text + dots + c.whyCell(index), ""
	}
	return text, dots
}

// promptInTable returns the prompt of a group without the beginning that all groups of the step share,
// or its name if the log has no prompts.
func (e env) promptInTable(g *analysis.Group) string {
	if g.Preview == "" {
		return "group " + sanitize.Line(g.Name)
	}
	return withoutShared(g.Preview, e.result.sharedPrompt)
}

// keptBySign returns the kept samples as 5+3−, and those with advantage zero as 2·.
func keptBySign(g *analysis.Group) string {
	var parts string
	if g.KeptPos > 0 || g.KeptNeg > 0 {
		parts = fmt.Sprintf("%d+%d−", g.KeptPos, g.KeptNeg)
	}
	if g.KeptZero > 0 {
		parts += fmt.Sprintf("%d·", g.KeptZero)
	}
	if parts == "" {
		return "0"
	}
	return parts
}

// meanAndStd returns the rewards of a group as 0.44±.51, of one sample as 0.44, large ones
// as -54k±24k, and without the std if that is wider than w.
func meanAndStd(g *analysis.Group, plusMinus string, w int) string {
	spread := func(write func(float64) string) string {
		return write(g.RewardMean) + plusMinus + strings.TrimPrefix(write(g.RewardStd), "0")
	}
	plain := func(x float64) string { return units.Fixed(x, 2) }
	switch g.Counted - g.Invalid {
	case 0:
		return units.Missing
	case 1:
		return firstFitting(w, plain(g.RewardMean), units.Brief(g.RewardMean))
	}
	return firstFitting(w, spread(plain), spread(units.Brief), units.Brief(g.RewardMean))
}

// plusMinus is the sign before a spread. In ASCII it has two characters, as no single one is understood.
func (e env) plusMinus() string {
	if e.display.glyphs.ASCII {
		return "+-"
	}
	return "±"
}

// firstFitting returns the first of some texts that fits into w cells, or the last.
func firstFitting(w int, ways ...string) string {
	for _, text := range ways {
		if cells.Width(text) <= w {
			return text
		}
	}
	return ways[len(ways)-1]
}

// fateRole returns the look of a fate.
func (e env) fateRole(f model.Fate) themes.Role {
	switch f {
	case model.FateAlive:
		return themes.Good
	case model.FateShort, model.FateNoise, model.FateSingle:
		return themes.Warn
	case model.FateKilled, model.FateInvalid:
		return themes.Bad
	case model.FateAllWrong, model.FateConstant, model.FateAllCorrect, model.FateSkipped, model.FateOpen:
	}
	return themes.Dim
}

// fateGlyph returns the sign of a fate.
func (e env) fateGlyph(f model.Fate) string {
	glyphs := [...]string{"!", "×", "?", "≈", "1", "∅", "∅", "∅", "⊘", "●", "…"}
	if e.display.glyphs.ASCII {
		glyphs = [...]string{"!", "x", "?", "~", "1", "-", "-", "-", "/", "o", "."}
	}
	return glyphs[f]
}

// groupColumn is a column that the table of groups has on the whole screen only.
type groupColumn struct {
	name  string
	width int // with a space before it
	cell  func(g *analysis.Group) string
}

// The widths of the mean length, of the flips, and of why a group has its fate.
const (
	lengthWidth = 8
	flipsWidth  = 6
	minWhyWidth = 30
)

// groupColumnsMore returns the columns that fit into so many cells more than the table needs: the mean
// length, why the group has its fate, the means of the reward components, and the flips. why is the least
// width of the reason, 0 if there is no room for it.
func (a App) groupColumnsMore(room int) (columns []groupColumn, why int) {
	x := a.result.analysis
	if !a.panes.fullScreen || x == nil {
		return nil, 0
	}
	if room >= minWhyWidth+lengthWidth {
		why, room = minWhyWidth, room-minWhyWidth
	}
	all := []groupColumn{{a.lengthName(), lengthWidth, func(g *analysis.Group) string { return meanLength(x.Lengths[g.Start:g.End]) }}}
	for _, c := range a.components() {
		k := slices.Index(a.snap.Run.ComponentNames, c.name)
		all = append(all, groupColumn{componentHeader(c.name), componentWidth, func(g *analysis.Group) string {
			step, ok := a.stepOf(g)
			if !ok || k >= len(step.Components) || step.Components[k] == nil {
				return units.Missing
			}
			return meanComponent(step.Components[k], x.InputRow[g.Start:g.End])
		}})
	}
	all = append(all, groupColumn{"flips", flipsWidth, func(g *analysis.Group) string { return units.Count(g.Flips.Total()) }})
	for _, c := range all {
		if c.width <= room {
			columns, room = append(columns, c), room-c.width
		}
	}
	return columns, why
}

// meanLength returns the mean of the lengths that are known.
func meanLength(lengths []int32) string {
	sum, n := 0, 0
	for _, l := range lengths {
		if l >= 0 {
			sum, n = sum+int(l), n+1
		}
	}
	if n == 0 {
		return units.Missing
	}
	return units.Count(int(math.Round(float64(sum) / float64(n))))
}

// meanComponent returns the mean of a reward component over some rows of the log, of those that have it.
func meanComponent(values []float64, rows []int32) string {
	sum, n := 0.0, 0
	for _, row := range rows {
		if v := values[row]; v-v == 0 {
			sum, n = sum+v, n+1
		}
	}
	if n == 0 {
		return units.Missing
	}
	return firstFitting(componentWidth-1, units.Fixed(sum/float64(n), 3), units.Short(sum/float64(n)), units.Brief(sum/float64(n)))
}

// moreCells returns what a row of the table has in its further columns.
func (c groupColumns) moreCells(g *analysis.Group) string {
	line := ""
	for _, column := range c.more {
		line += " " + cells.FitRight(column.cell(g), column.width-1)
	}
	return line
}

// moreHeaders returns the names of the further columns.
func (c groupColumns) moreHeaders() string {
	line := ""
	for _, column := range c.more {
		line += " " + cells.FitRight(sanitize.Line(column.name), column.width-1)
	}
	return line
}

// whyCell returns why group g has its fate.
func (c groupColumns) whyCell(g int) string {
	if c.why == 0 {
		return ""
	}
	return cells.Fit("  "+sanitize.Line(c.cause(g)), c.why)
}

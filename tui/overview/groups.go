package overview

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/figures"
	"vantage/model/report"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/chart"
	"vantage/tui/env"
	"vantage/tui/layout"
	"vantage/tui/mirror"
	"vantage/tui/pane"
	"vantage/tui/samples"
)

// groupTable is how the table of groups is laid out: its columns, then the dot plot, then why a group has its fate.
type groupTable struct {
	Columns      []groupColumn
	DotPlot, Why int                // widths; without why it is said below the table only
	cause        func(g int) string // for why
}

// groupColumn is a column of the table. A heading sorts by the sorting of its name, if there is one.
type groupColumn struct {
	name  string
	Width int // with the space beside it
	lay   func(text string, w int) string
	cell  func(g *analysis.Group, index int) string
	role  func(model.Fate) themes.Role // of its cells; nil: plain
}

func afterSpace(text string, w int) string { return " " + cells.FitRight(text, w-1) }

func beforeSpace(text string, w int) string { return cells.FitRight(text, w-1) + " " }

// The least widths of the dot plot, the prompt and why a group has its fate, and those of further columns.
const (
	MinDotPlot       = 11
	minGroupPrompt   = 28
	minPromptByRatio = 20 // where the table has a column of ratios
	minWhyWidth      = 30
	lengthWidth      = 8
	flipsWidth       = 6
)

// GroupTable lays out w cells. Widths depend on nothing that differs between steps. Of what the other columns leave the prompt gets
// seven tenths, the dot plot the rest: an odd number of cells, so that zero has one.
func (p Panes) GroupTable(e env.Env, w int) groupTable {
	x, size, reward := e.Result.Analysis, 4, 8+cells.Width(e.Display.PlusMinus())
	if x.Rollouts < x.Rows {
		size = 7 // rollouts/rows
	}
	fate := groupColumn{name: "fate", Width: model.FateWidth + 3, lay: cells.Fit, role: e.Display.FateRole}
	fate.cell = func(g *analysis.Group, index int) string {
		word := e.Display.FateGlyph(g.Fate) + " " + g.Fate.String()
		if was, differs := e.BaselineFate(index); differs {
			return cells.Fit(word, fate.Width-2) + e.Display.FateGlyph(was)
		}
		return word
	}
	columns := []groupColumn{fate}
	if e.IsWide() {
		columns = append(columns, groupColumn{
			name: "step", Width: max(len("step v"), len(fmt.Sprint(x.Step))+1), lay: beforeSpace,
			cell: func(g *analysis.Group, _ int) string { return fmt.Sprint(g.Step) },
		})
	}
	prompt := len(columns)
	columns = append(
		columns,
		groupColumn{name: "prompt", lay: cells.Fit, cell: func(g *analysis.Group, _ int) string { return promptInTable(e, g) }},
		groupColumn{name: "n", Width: size + 1, lay: afterSpace, cell: func(g *analysis.Group, _ int) string { return g.SizeText() }},
		groupColumn{name: "kept", Width: 8, lay: afterSpace, cell: func(g *analysis.Group, _ int) string {
			kept := units.Count(g.Kept())
			return pane.FirstFitting(7, figures.KeptBySign(g), cmp.Or(figures.KeptWithSign(g), kept), kept)
		}},
		groupColumn{
			name: "reward", Width: reward + 1, lay: afterSpace,
			cell: func(g *analysis.Group, _ int) string { return samples.MeanAndStd(g, e.Display.PlusMinus(), reward) },
		},
	)
	left := w - 2 // but for the space at the left, and that before the dot plot
	for _, c := range columns {
		left -= c.Width
	}
	var table groupTable
	if ratio := ratioColumn(e); !p.FullScreen && len(ratio) > 0 && left-ratio[0].Width >= minPromptByRatio+MinDotPlot {
		columns, left = append(columns, ratio[0]), left-ratio[0].Width
	}
	if p.FullScreen {
		room := left - minGroupPrompt - MinDotPlot
		if room >= minWhyWidth+lengthWidth {
			table.Why, table.cause, room = minWhyWidth, x.Causes(), room-minWhyWidth
		}
		for _, c := range furtherColumns(e) {
			if c.Width <= room {
				columns, room, left = append(columns, c), room-c.Width, left-c.Width
			}
		}
		left -= table.Why
	}
	table.DotPlot = max(MinDotPlot, min(left*3/10, left-minGroupPrompt))
	if table.DotPlot%2 == 0 {
		table.DotPlot--
	}
	left = max(0, left-table.DotPlot)
	if more := (left - minWhyWidth) / 2; table.Why > 0 && more > 0 {
		left, table.Why = left-more, table.Why+more
	}
	columns[prompt].Width = left
	table.Columns = columns
	return table
}

// furtherColumns returns the columns that the table has on the whole screen only: the ratio of trainer to sampler, which others have if
// there is room, the mean length, the means of the reward components, and the flips.
func furtherColumns(e env.Env) []groupColumn {
	x := e.Result.Analysis
	all := append(ratioColumn(e), groupColumn{
		name: e.LengthName(), Width: lengthWidth, lay: afterSpace,
		cell: func(g *analysis.Group, _ int) string {
			mean, known := meanOf(x.Lengths[g.Start:g.End], func(l int32) bool { return l >= 0 })
			if !known {
				return units.Missing
			}
			return units.Count(int(math.Round(mean)))
		},
	})
	for _, c := range e.Components() {
		k := slices.Index(e.Snap.Run.ComponentNames, c.Name)
		all = append(all, groupColumn{
			name: samples.ComponentHeader(c.Name), Width: samples.ComponentWidth, lay: afterSpace,
			cell: func(g *analysis.Group, _ int) string {
				step, ok := e.AnalyzedStep(g.Step)
				if !ok || k >= len(step.Components) || step.Components[k] == nil {
					return units.Missing
				}
				values := model.Mapped(x.InputRow[g.Start:g.End], func(row int32) float64 { return step.Components[k][row] })
				mean, known := meanOf(values, func(v float64) bool { return units.IsFinite(v) })
				if !known {
					return units.Missing
				}
				return pane.FirstFitting(samples.ComponentWidth-1, units.Fixed(mean, 3), units.Short(mean), units.Brief(mean))
			},
		})
	}
	return append(
		all,
		groupColumn{
			name: "flips", Width: flipsWidth, lay: afterSpace,
			cell: func(g *analysis.Group, _ int) string { return units.Count(g.Flips.Total()) },
		},
	)
}

// ratioColumn is that of the ratio of trainer to sampler, of a log with log-probs of both; none of another.
func ratioColumn(e env.Env) []groupColumn {
	if !e.HasRatios() {
		return nil
	}
	return []groupColumn{{
		name: samples.RatioColumn, Width: samples.RatioWidth, lay: afterSpace,
		cell: func(g *analysis.Group, _ int) string { return samples.RatioText(e.RatioOf(g, g.Start, g.End)) },
	}}
}

// VisibleGroups returns how many rows of the table are in sight.
func (p Panes) VisibleGroups(e env.Env) int {
	h := p.Screen(e).Panes[layout.Groups].Inner().H
	if h >= heightForCause {
		h-- // for the cause
	}
	return h - 1 // for the header
}

// heightForCause is the height from which there is a line for why the group under the cursor has no
// signal; below it the frame says it.
const heightForCause = 15

// Groups lists the groups, and says why the one under the cursor has no signal. Where groups leave room, its samples stand below.
func (p Panes) Groups(e env.Env, w, h int) pane.Content {
	axis := p.Distribution.charts(e, p.chartWidth(e)).axis
	n := len(e.Result.Rows)
	content := pane.Content{Title: groupsTitle(e, w), Note: fmt.Sprintf("%d/%d", min(e.Place.Row+1, n), n)}
	c := p.GroupTable(e, w)
	content.Lines = []string{groupHeader(e, c, axis)}
	rowsEnd := h
	if h >= heightForCause {
		rowsEnd--
	}
	for row := p.TopRow; row < len(e.Result.Rows) && len(content.Lines) < rowsEnd; row++ {
		text, dots := groupRow(e, c, axis, row)
		e.Display.AddRowWithChart(
			&content, pane.Target{Kind: pane.OnGroup, N: row}, cells.Fit(text, w-cells.Width(dots)), dots, row == e.Place.Row,
		)
	}
	if len(e.Result.Rows) == 0 {
		content.Lines = append(content.Lines, "")
		text := fmt.Sprintf(
			"No groups match %s (0/%s): a word without a name is looked for in prompts.", e.Result.Filter,
			units.Count(e.Result.Analysis.Groups),
		)
		if e.Result.Filter == e.Settings.Filter {
			text += " / changes the filter, u undoes it."
		}
		content.Lines = append(content.Lines, e.Display.Wrapped(" ", themes.Dim, text, max(1, w-2))...)
	}
	room := h - len(content.Lines)
	if rowsEnd == h {
		content.Remark = e.Cause()
	}
	switch {
	case room >= minSamplesBelow && e.SelectedGroup() != nil:
		content.Lines = append(content.Lines, samplesBelow(e, w, room, rowsEnd < h)...)
	case rowsEnd < h:
		content.Lines = append(content.Lines, make([]string, max(0, room-1))...)
		content.Lines = append(content.Lines, " "+cells.Truncate(e.Cause(), w-1))
	}
	return content
}

// groupsTitle says how many groups are shown, by which filter and in which order.
func groupsTitle(e env.Env, w int) string {
	x := e.Result.Analysis
	title := "groups" + e.OfRun() + "  " + units.Count(x.Groups)
	if e.Result.Filter != "" {
		title = "groups" + e.OfRun() + "  " + e.ShownCount()
	}
	title = e.WithScopeWords(title, w)
	words := env.Sortings()[e.Settings.Order.Column].Words
	if e.Settings.Order.Reversed {
		words += ", reversed"
	}
	if text := sanitize.Line(e.Result.Filter); text != "" {
		return title + " · " + text + " · " + words
	}
	return title + " · " + words
}

// minSamplesBelow is from how many lines below the groups the samples of one stand there.
const minSamplesBelow = 4

// samplesBelow returns the group under the cursor in h lines of w cells: if there is room its prompt and what became of it, and its
// samples.
func samplesBelow(e env.Env, w, h int, inFull bool) (lines []string) {
	t, g := e.Display.Theme, e.SelectedGroup()
	if h > minSamplesBelow+2 && (inFull || h >= g.Size()+3) {
		heading := cells.Truncate("group "+sanitize.Line(g.Name), w-2)
		if prompt := sanitize.Line(g.Preview); prompt != "" {
			heading = t.Paint(themes.Dim, fmt.Sprintf("group %d  ", e.Place.Row+1)) + cells.Truncate(prompt, w-12)
		}
		lines = append(lines, "", " "+heading)
	}
	if inFull {
		lines = append(lines, samples.FateLines(e, g, w-2, 1)...)
	}
	order, room, more := e.RankedSamples(g), h-len(lines)-1, ""
	if len(order) > room {
		more = fmt.Sprintf(" %d of %d ", room, len(order))
	}
	columns, _ := samples.FittingColumns(e, g, w-max(0, cells.Width(more)-samples.MarksWidth))
	lines = append(lines, cells.Justify(samples.SampleHeader(e, columns), t.Paint(themes.Dim, more), w))
	for row, column := range order[:min(len(order), room)] {
		lines = append(lines, e.Display.Mark(pane.OnGroup, e.Place.Row, samples.SampleRow(e, columns, row, column)))
	}
	return lines
}

func groupHeader(e env.Env, table groupTable, axis chart.Axis) string {
	line := " "
	for _, c := range table.Columns {
		text, sorts := sanitize.Line(c.name), slices.IndexFunc(env.Sortings(), func(s env.Sorting) bool { return s.Column == c.name })
		if sorts >= 0 && sorts == e.Settings.Order.Column && e.Settings.Order != (env.Order{}) {
			text += e.Display.Glyphs.SortArrow(e.Settings.Order.Reversed != env.Sortings()[sorts].Ascends)
		}
		if c.name == "fate" && e.BaselineAnalysis() != nil {
			text = cells.Fit(text, c.Width-2) + "A" // the fate under the baseline, where it differs
		}
		if text = c.lay(text, c.Width); sorts >= 0 {
			text = e.Display.Mark(pane.OnHeading, sorts, text)
		}
		line += text
	}
	return e.Display.Theme.Paint(themes.Dim, line+" "+mirror.AxisRuler(axis, table.DotPlot)+cells.Fit("  why", table.Why))
}

// groupRow returns a row of the table and the dots at its end, unless the reason of the fate is behind them: then
// they are within the row. Its colours are few, and none under the cursor but those of the dots: each key that moves
// the cursor draws two rows anew, and a slow link carries every change of colour.
func groupRow(e env.Env, table groupTable, axis chart.Axis, row int) (text, dots string) {
	t, x, index := e.Display.Theme, e.Result.Analysis, e.Result.Rows[row]
	g := &x.Table[index]
	text = " "
	for _, c := range table.Columns {
		cell := c.lay(c.cell(g, index), c.Width)
		if c.role != nil && row != e.Place.Row {
			cell = t.Paint(c.role(g.Fate), cell)
		}
		text += cell
	}
	dots = chart.DotPlot(
		t, e.Display.Glyphs, axis, x.Unfiltered[g.Start:g.End], x.Processed[g.Start:g.End], x.Keep[g.Start:g.End], table.DotPlot,
	)
	if table.Why > 0 {
		why := strings.TrimPrefix(sanitize.Line(table.cause(index)), g.Fate.String()+" ")
		return text + " " + dots + cells.Fit("  "+cells.Truncate(why, table.Why-3), table.Why), ""
	}
	return text + " ", dots
}

// promptInTable returns the prompt of a group without the beginning that all groups of the step share,
// or its name if the log has no prompts.
func promptInTable(e env.Env, g *analysis.Group) string {
	if g.Preview == "" {
		return "group " + sanitize.Line(g.Name)
	}
	return env.WithoutShared(g.Preview, e.Result.SharedPrompt)
}

// meanOf returns the mean of the numbers among some values, and whether there is any.
func meanOf[T int32 | float64](values []T, isNumber func(T) bool) (mean float64, known bool) {
	sum, n := 0.0, 0
	for _, v := range values {
		if isNumber(v) {
			sum, n = sum+float64(v), n+1
		}
	}
	return sum / float64(n), n > 0
}

// ExportedGroups returns the groups that the filter shows.
func ExportedGroups(e env.Env) report.Table {
	x := e.Result.Analysis
	s := report.Table{Columns: []string{
		"step", "fate", "group", "prompt", "size", "kept_pos", "kept_neg", "kept_zero", "reward_mean", "reward_std", "flips", "flip_kinds",
	}}
	if x == nil {
		return s
	}
	s.Title = "groups of " + e.ScopeWords()
	if of := e.ShownCount(); of != "" {
		s.Title += fmt.Sprintf(" %s · %s", of, e.Result.Filter)
	}
	for _, i := range e.Result.Rows {
		g := &x.Table[i]
		s.Rows = append(s.Rows, []any{
			g.Step, g.Fate.Key(), g.Name, g.Preview, g.Size(), g.KeptPos, g.KeptNeg, g.KeptZero, g.RewardMean, g.RewardStd, g.Flips.Total(),
			g.Flips.String(),
		})
	}
	return s
}

package tui

import (
	"fmt"
	"slices"

	"vantage/model/analysis"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/chart"
)

// drawnRun is figures over steps that a chart has a line of.
type drawnRun struct {
	name   string
	trend  *analysis.Trend
	role   themes.Role
	stroke chart.Stroke
}

// drawnRuns returns what charts have a line of: the run, under the baseline if there is one, and the second run if
// one is open.
func (a App) drawnRuns() []drawnRun {
	name := "this run"
	if a.second.source != nil {
		name = a.runNames()[sideBaseline]
	}
	runs := []drawnRun{{name, a.result.trend, themes.Accent, chart.Solid}}
	if a.settings.base.on && a.result.baseTrend != nil {
		runs = append(runs, drawnRun{"baseline", a.result.baseTrend, themes.Plain, chart.Dotted})
	}
	if a.second.trend.value != nil {
		runs = append(runs, drawnRun{a.runNames()[sideCandidate], a.second.trend.value, themes.Good, chart.DashDotted})
	}
	return runs
}

// smoothings are the weights of the moving average that A goes through.
func smoothings() []float64 { return []float64{0, 0.6, 0.9} }

// smoothing returns the weight of the moving average, 0 without.
func (a App) smoothing() float64 { return smoothings()[a.steps.smoothing] }

// stepChart is lines over the steps with their axes.
type stepChart struct {
	plot   chart.Plot
	left   chart.Axis
	right  chart.Axis // of the second figure; the zero value: it has the axis on the left, or there is none
	perDot int        // steps whose mean a dot is
}

// newStepChart returns the chart of a metric for w cells, and of a second one over it unless that is "".
func (a App) newStepChart(name, second string, w int) stepChart {
	c := stepChart{plot: chart.Plot{X: a.windowAxis()}}
	runs := a.drawnRuns()
	c.plot.Lines, c.left = a.linesOf(name, c.plot.X, runs)
	if second != "" {
		over, axis := a.linesOf(second, c.plot.X, []drawnRun{{trend: a.result.trend, role: themes.Warn, stroke: chart.Dashed}})
		c.plot.Lines = append(c.plot.Lines, over...)
		if axis != c.left {
			c.right = axis
		}
	}
	c.perDot = chart.PointsPerDot(len(c.plot.Lines[0].Within(c.plot.X).X), c.plotWidth(w))
	if weight := a.smoothing(); weight > 0 {
		c.plot.Lines = withSmooth(c.plot.Lines, weight)
	}
	return c
}

// linesOf returns the lines of a metric for some runs, and their common axis: that of their values in the window.
func (e env) linesOf(name string, x chart.Axis, runs []drawnRun) ([]chart.Line, chart.Axis) {
	row := trendRow{metric: name}
	if i := slices.IndexFunc(trendRows(), func(r trendRow) bool { return r.metric == name }); i >= 0 {
		row = trendRows()[i]
	}
	var lines []chart.Line
	var shown []float64
	for _, run := range runs {
		line := chart.Line{X: stepNumbers(run.trend), Y: run.trend.Series(name), Role: run.role, Stroke: run.stroke}
		lines, shown = append(lines, line), append(shown, line.Within(x).Y...)
	}
	lo, hi := row.bounds(shown)
	axis := chart.Axis{Lo: lo, Hi: hi}.Widened()
	for i := range lines {
		lines[i].Axis = axis
	}
	return lines, axis
}

// withSmooth returns the moving averages of lines, and behind them the line itself.
func withSmooth(lines []chart.Line, weight float64) []chart.Line {
	var all []chart.Line
	for _, line := range lines {
		line.Y = chart.Smoothed(line.Y, weight)
		all = append(all, line)
	}
	for _, line := range lines {
		line.Role, line.Stroke = themes.Track, chart.Sparse
		all = append(all, line)
	}
	return all
}

// stepNumbers returns the number of each step of a trend.
func stepNumbers(t *analysis.Trend) []float64 {
	all := make([]float64, len(t.Steps))
	for i := range all {
		all[i] = float64(t.Steps[i].Step)
	}
	return all
}

// plotWidth returns how many of w cells are left between the labels.
func (c stepChart) plotWidth(w int) int {
	w -= valueWidth + 1
	if c.right != (chart.Axis{}) {
		w -= valueWidth - 1
	}
	return max(1, w)
}

// draw draws the lines and the labels beside them into w columns and h rows.
func (c stepChart) draw(t *themes.Theme, g chart.Glyphs, w, h int) []string {
	rows := c.plot.Draw(t, g, c.plotWidth(w), h)
	left, right := c.left.RowLabels(h), make([]string, max(0, h))
	if c.right != (chart.Axis{}) {
		right = c.right.RowLabels(h)
	}
	for i, row := range rows {
		rows[i] = t.Paint(themes.Dim, cells.FitRight(left[i], valueWidth-1)+" ") + row + " " + t.Paint(themes.Warn, right[i])
	}
	return rows
}

// legend names the lines of the runs, if there are several.
func (a App) legend() string {
	runs := a.drawnRuns()
	if len(runs) < 2 {
		return ""
	}
	line := ""
	for _, run := range runs {
		line += "  " + a.display.theme.Paint(run.role, a.display.glyphs.Sample(run.stroke)) + " " + a.display.theme.Paint(themes.Dim, run.name)
	}
	return line
}

// chartNote returns the note of a chart in a box of w cells: first, and what is drawn otherwise than as it is, as far as
// there is room: a part of the steps, steps that are missing, averages, means of several steps.
func (a App) chartNote(first string, perDot, w int) string {
	notes := []string{first}
	if text := a.windowText(); text != "" {
		notes = append(notes, text)
	}
	if text := a.gapsText(); text != "" {
		notes = append(notes, text)
	}
	if weight := a.smoothing(); weight > 0 {
		notes = append(notes, fmt.Sprintf("moving average %g", weight))
	}
	if perDot > 1 {
		notes = append(notes, fmt.Sprintf("means of %d steps", perDot))
	}
	return cells.JoinFitting(w-4, " · ", notes...)
}

package tui

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"vantage/model/analysis"
	"vantage/model/sanitize"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/chart"
)

// widthForFullNames is the width from which the title has the full names of two metrics.
const widthForFullNames = 76

// rowsBelowPlot are the ruler and the step numbers.
const rowsBelowPlot = 2

func (a App) stepsChart(w, h int) paneContent {
	name, second := a.drawnMetric(), a.steps.second
	names := a.metricNames()
	drawn := a.drawnFigures([]string{name}, second, w, h-rowsBelowPlot)[0]
	shown := drawn.chart
	c := paneContent{title: " " + a.metricHere(name, w), lines: slices.Clone(drawn.rows)}
	if second != "" {
		t, g := a.display.theme, a.display.glyphs
		c.title = " " + t.Paint(themes.Accent, g.Sample(chart.Solid)) + c.title + "  " + t.Paint(themes.Warn, g.Sample(chart.Dashed)) + " " + a.metricHere(second, w)
		if shown.right != (chart.Axis{}) {
			c.title += t.Paint(themes.Dim, " (right)")
		}
	}
	c.title += a.legend()
	c.note = a.chartNote(fmt.Sprintf("figure %d/%d", slices.Index(names, name)+1, len(names)), shown.perDot, w)
	width := shown.plotWidth(w)
	c.lines = append(c.lines, cells.Spaces(valueWidth)+a.stepsRuler(shown.plot.X, width),
		cells.Spaces(valueWidth)+a.display.theme.Paint(themes.Dim, shown.plot.X.StepLabels(width)))
	c.lines = a.markLines(onChart, width, c.lines)
	return c
}

// metricHere returns a metric at the step on the screen with the difference from the
// baseline. In a narrow chart its name is without the first path element.
func (a App) metricHere(name string, w int) string {
	value := func(x *analysis.Analysis) float64 { return x.Metric(name) }
	said := sanitize.Line(name)
	if _, rest, ok := strings.Cut(said, "/"); ok && w < widthForFullNames {
		said = rest
	}
	here := value(a.result.analysis.Last())
	said += " " + a.display.theme.Paint(themes.Accent, metricText(name, here))
	if w < widthForFullNames && a.steps.second != "" {
		return said
	}
	return said + a.stepDelta(here, value)
}

// stepsRuler marks the step on the screen and the steps of first warnings. It is blank where no run has steps.
func (a App) stepsRuler(x chart.Axis, w int) string {
	t := a.display.theme
	marks := make([]string, max(1, w))
	missing := a.missingColumns(x, len(marks))
	for i := range marks {
		marks[i] = t.Paint(themes.Track, a.display.glyphs.Horizontal)
		if missing[i] {
			marks[i] = " "
		}
	}
	mark := func(step int64, role themes.Role, glyph string) {
		if at := float64(step); at >= x.Lo && at <= x.Hi {
			marks[x.PlotColumn(at, len(marks))] = t.Paint(role, glyph)
		}
	}
	for _, o := range a.firstWarnings() {
		mark(o.Step, themes.Warn, "!")
	}
	mark(a.result.analysis.Step, themes.Accent, a.display.glyphs.Dot)
	return strings.Join(marks, "")
}

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

// stepWindow is the steps that charts over the steps show.
type stepWindow struct {
	from, to int64
	last     int64 // so many steps up to the newest instead of from and to
}

// minWindow is the smallest window that keys make, from its first step to its last.
const minWindow = 4

// axisOfAllSteps returns the axis from the first step of any run that is drawn to the last.
func (a App) axisOfAllSteps() chart.Axis {
	x := a.stepAxis()
	for _, run := range a.drawnRuns() {
		if steps := run.trend.Steps; len(steps) > 0 {
			x.Lo, x.Hi = min(x.Lo, float64(steps[0].Step)), max(x.Hi, float64(steps[len(steps)-1].Step))
		}
	}
	return x
}

func (a App) windowAxis() chart.Axis {
	all, w := a.axisOfAllSteps(), a.steps.window
	switch {
	case w == stepWindow{}:
		return all
	case w.last > 0:
		return chart.Axis{Lo: max(all.Lo, all.Hi-float64(w.last-1)), Hi: all.Hi}
	}
	return chart.Axis{Lo: float64(w.from), Hi: float64(w.to)}
}

// windowText says which steps are shown: "" if all are.
func (a App) windowText() string {
	if a.steps.window == (stepWindow{}) {
		return ""
	}
	x, all := a.windowAxis(), a.axisOfAllSteps()
	return fmt.Sprintf("steps %.0f–%.0f of %.0f–%.0f", x.Lo, x.Hi, all.Lo, all.Hi)
}

// showWindow shows some steps: at least a few, none beyond the runs, and if all would be shown, also those to come.
func (a App) showWindow(from, to float64) App {
	all := a.axisOfAllSteps()
	span := math.Min(math.Max(math.Round(to-from), minWindow), all.Hi-all.Lo)
	from = math.Round(from/2 + to/2 - span/2)
	from = math.Max(all.Lo, math.Min(from, all.Hi-span))
	to = from + span
	a.steps.window = stepWindow{from: int64(from), to: int64(to)}
	if from <= all.Lo && to >= all.Hi {
		a.steps.window = stepWindow{}
	}
	return a
}

// zoomSteps shows half as many steps (by > 0) or twice as many, around the one on the screen if it is among them.
func (a App) zoomSteps(by int) App {
	if a.result.trend == nil {
		return a
	}
	x := a.windowAxis()
	middle, half := x.Lo/2+x.Hi/2, (x.Hi-x.Lo)/4
	if here := float64(a.place.step); here >= x.Lo && here <= x.Hi {
		middle = here
	}
	if by < 0 {
		half *= 4
	}
	return a.showWindow(middle-half, middle+half)
}

// panSteps shows the steps half a window later (by > 0) or earlier.
func (a App) panSteps(by int) App {
	if a.result.trend == nil {
		return a
	}
	x, all := a.windowAxis(), a.axisOfAllSteps()
	shift := float64(by) * math.Max(1, math.Round((x.Hi-x.Lo)/2))
	switch {
	case a.steps.window == stepWindow{}:
		a.notice = "all steps are shown: x shows fewer"
		return a
	case by > 0 && x.Hi >= all.Hi || by < 0 && x.Lo <= all.Lo:
		a.notice = "no step beyond these"
		return a
	}
	return a.showWindow(x.Lo+shift, x.Hi+shift)
}

// moveStepInWindow is moveStep for charts: the window follows the step.
func (a App) moveStepInWindow(by int) App {
	a = a.moveStep(by)
	return a.windowAtStep()
}

// windowAtStep moves the window so far that it shows the step on the screen.
func (a App) windowAtStep() App {
	if a.result.trend == nil || a.steps.window == (stepWindow{}) {
		return a
	}
	x, here := a.windowAxis(), float64(a.place.step)
	switch {
	case here < x.Lo:
		return a.showWindow(here, here+x.Hi-x.Lo)
	case here > x.Hi:
		return a.showWindow(here-(x.Hi-x.Lo), here)
	}
	return a
}

// runRange shows some steps in charts: "100 200", "last 50", "all".
func runRange(a App, args []string) (App, error) {
	usage := fmt.Errorf("range takes two steps (100 200), last and a count (last 50), or all")
	if a.result.trend == nil {
		return a, fmt.Errorf("no step is computed yet")
	}
	switch {
	case len(args) == 1 && args[0] == "all":
		a.steps.window = stepWindow{}
	case len(args) == 2 && args[0] == "last":
		n, err := strconv.ParseInt(args[1], 10, 32)
		if err != nil || n < 2 {
			return a, usage
		}
		a.steps.window = stepWindow{last: n}
	case len(args) == 2:
		from, err := strconv.ParseInt(args[0], 10, 64)
		to, errTo := strconv.ParseInt(args[1], 10, 64)
		if all := a.axisOfAllSteps(); err != nil || errTo != nil || from >= to || float64(to) <= all.Lo || float64(from) >= all.Hi {
			return a, usage
		}
		a = a.showWindow(float64(from), float64(to))
	default:
		return a, usage
	}
	if a.drawsSteps() {
		return a, nil
	}
	a = a.openSteps()
	return a, nil
}

// gapsText says which steps are not in the log between others, "none of 11–43" or "3 gaps": "" if none is missing, or as
// long as the log is read.
func (e env) gapsText() string {
	if p := e.snap.Run.Progress; !p.CaughtUp && !e.sourceState.ended {
		return ""
	}
	steps := stepNumbers(e.result.trend)
	text, n := "", 0
	for i, gap := range chart.Gaps(steps) {
		if !gap {
			continue
		}
		n++
		first, last := steps[i]+1, steps[i+1]-1
		text = fmt.Sprintf("none of %.0f–%.0f", first, last)
		if first == last {
			text = fmt.Sprintf("no %.0f", first)
		}
	}
	if n > 1 {
		return fmt.Sprintf("%d gaps", n)
	}
	return text
}

// missingColumns reports which of w columns of a chart are of steps that no run on it has.
func (a App) missingColumns(x chart.Axis, w int) []bool {
	all := slices.Repeat([]bool{true}, w)
	for _, run := range a.drawnRuns() {
		missing := x.MissingColumns(stepNumbers(run.trend), w)
		for i := range all {
			all[i] = all[i] && missing != nil && missing[i]
		}
	}
	return all
}

// newestWithGaps returns the newest values over the steps, at most n with a NaN wherever steps are missing, and the
// index among them of a step, which is given by its index in the trend: -1 if it is not among them.
func (e env) newestWithGaps(values []float64, step, n int) (shown []float64, current int) {
	gaps := chart.Gaps(stepNumbers(e.result.trend))
	current = -1
	for i := len(values) - 1; i >= 0 && len(shown) < n; i-- {
		if gaps != nil && gaps[i] {
			shown = append(shown, math.NaN())
		}
		if i == step {
			current = len(shown)
		}
		shown = append(shown, values[i])
	}
	shown = shown[:min(n, len(shown))]
	slices.Reverse(shown)
	if current >= len(shown) {
		return shown, -1
	}
	if current >= 0 {
		current = len(shown) - 1 - current
	}
	return shown, current
}

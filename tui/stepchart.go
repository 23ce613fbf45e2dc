package tui

import (
	"cmp"
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
	"vantage/tui/env"
	"vantage/tui/pane"
)

// widthForFullNames is the width from which the title has the full names of two metrics.
const widthForFullNames = 76

// rowsBelowPlot are the ruler and the step numbers.
const rowsBelowPlot = 2

func (s stepsState) chart(e env.Env, w, h int) pane.Content {
	name, second := s.drawnMetric(e), s.second
	names := metricNames(e)
	shown := s.drawFigures(e, []string{name}, second, w, h-rowsBelowPlot).charts[0]
	c := pane.Content{Title: " " + s.metricHere(e, name, w), Lines: slices.Clone(shown.rows)}
	if second != "" {
		t, g := e.Display.Theme, e.Display.Glyphs
		c.Title = " " + t.Paint(themes.Accent, g.Sample(chart.Solid)) + c.Title + "  " + t.Paint(themes.Warn, g.Sample(chart.Dashed)) + " " + s.metricHere(e, second, w)
		if shown.right {
			c.Title += t.Paint(themes.Dim, " (right)")
		}
	}
	c.Title += runLegend(e)
	c.Note = s.chartNote(e, fmt.Sprintf("metric %d/%d", slices.Index(names, name)+1, len(names)), shown.meanOf, w)
	c.Lines = e.Display.MarkLines(pane.OnChart, shown.width, append(c.Lines, chartAxis(e, shown)...))
	return c
}

// metricHere returns a metric at the step on the screen with the difference from the
// baseline. In a narrow chart its name is without the first path element.
func (s stepsState) metricHere(e env.Env, name string, w int) string {
	said := sanitize.Line(name)
	if _, rest, ok := strings.Cut(said, "/"); ok && w < widthForFullNames {
		said = rest
	}
	here := e.Result.Analysis.Last().Metric(name)
	said += " " + e.Display.Theme.Paint(themes.Accent, metricText(name, here))
	if w < widthForFullNames && s.second != "" {
		return said
	}
	return said + e.StepDelta(here, func(x *analysis.Analysis) float64 { return x.Metric(name) })
}

// chartAxis returns the two lines below a chart: a ruler, which marks the step on the screen and the steps of first warnings, and the
// step numbers.
func chartAxis(e env.Env, c stepChart) []string {
	return ruler(e, c, func(mark rulerMark) {
		for _, o := range firstWarnings(e) {
			if o.Step != e.Result.Analysis.Step {
				mark(o.Step, themes.Warn, "!")
			}
		}
	})
}

// rulerMark puts a glyph on a ruler.
type rulerMark func(step int64, role themes.Role, glyph string)

// ruler returns a ruler with marks and that of the step on the screen, which is blank where no run has steps, and the step numbers.
func ruler(e env.Env, c stepChart, marked func(rulerMark)) []string {
	t, x := e.Display.Theme, c.plot.X
	marks := make([]string, c.width)
	for _, run := range drawnRuns(e) {
		missing := x.MissingColumns(stepNumbers(run.trend), c.width)
		for i := range marks {
			if missing == nil || !missing[i] {
				marks[i] = t.Paint(themes.Track, e.Display.Glyphs.Horizontal)
			}
		}
	}
	for i, mark := range marks {
		marks[i] = cmp.Or(mark, " ")
	}
	mark := func(step int64, role themes.Role, glyph string) {
		if at := float64(step); at >= x.Lo && at <= x.Hi {
			marks[x.PlotColumn(at, len(marks))] = t.Paint(role, glyph)
		}
	}
	mark(e.Result.Analysis.Step, themes.Accent, e.Display.Glyphs.Dot)
	marked(mark)
	return []string{cells.Spaces(valueWidth) + strings.Join(marks, ""), cells.Spaces(valueWidth) + t.Paint(themes.Dim, x.StepLabels(c.width))}
}

type drawnRun struct {
	name   string
	trend  *analysis.Trend
	role   themes.Role
	stroke chart.Stroke
}

// drawnRuns returns what charts have a line of: the run, under the baseline if there is one, and the second run if
// one is open.
func drawnRuns(e env.Env) []drawnRun {
	name := "this run"
	if e.Second.Source != nil {
		name = e.RunNames()[env.SideBaseline]
	}
	runs := []drawnRun{{name, e.Result.Trend, themes.Accent, chart.Solid}}
	if e.Settings.Base.On && e.Result.BaseTrend != nil {
		runs = append(runs, drawnRun{"baseline", e.Result.BaseTrend, themes.Plain, chart.Dotted})
	}
	if second := e.Second.Trend.Value.Trend; second != nil {
		runs = append(runs, drawnRun{e.RunNames()[env.SideCandidate], second, themes.Good, chart.DashDotted})
	}
	return runs
}

// stepChart is a metric over the steps, drawn between its labels.
type stepChart struct {
	plot   chart.Plot
	width  int      // of the plot
	meanOf int      // steps that each point is the mean of
	right  bool     // a second figure has an axis of its own, on the right
	rows   []string // plot and labels
}

// newChart draws a metric into w columns and h rows, and a second one over it unless that is "".
func (s stepsState) newChart(e env.Env, name, second string, w, h int) stepChart {
	c := stepChart{plot: chart.Plot{X: s.windowAxis(e)}, width: w - valueWidth - 1}
	left := linesOf(e, rowOfMetric(name), c.plot.X, drawnRuns(e), s.smoothing)
	labels, rightLabels := left.axis.RowLabels(h), make([]string, max(0, h))
	lines, smooth := left.lines, left.smooth
	if second != "" {
		over := linesOf(e, rowOfMetric(second), c.plot.X, []drawnRun{{trend: e.Result.Trend, role: themes.Warn, stroke: chart.Dashed}}, s.smoothing)
		lines, smooth = append(lines, over.lines...), append(smooth, over.smooth...)
		if c.right = over.axis != left.axis; c.right {
			c.width -= valueWidth - 1
			rightLabels = over.axis.RowLabels(h)
		}
	}
	c.width = max(1, c.width)
	n := len(lines[0].Within(c.plot.X).X)
	c.meanOf = chart.Averaged(n, c.width)
	if len(smooth) > 0 {
		c.meanOf = chart.PointsPerDot(n, c.width)
	}
	c.plot.Lines = slices.Concat(smooth, lines)
	t := e.Display.Theme
	c.rows = c.plot.Draw(t, e.Display.Glyphs, c.width, h)
	for i, row := range c.rows {
		c.rows[i] = t.Paint(themes.Dim, cells.FitRight(labels[i], valueWidth-1)+" ") + row + " " + t.Paint(themes.Warn, rightLabels[i])
	}
	return c
}

// rowOfMetric returns a row without a name, of the metric as the trainer computes it.
func rowOfMetric(metric string) trendRow {
	zeroToOne := slices.ContainsFunc(trendRows(), func(r trendRow) bool { return r.metric == metric && r.zeroToOne })
	return trendRow{metric: metric, zeroToOne: zeroToOne}
}

// figureLines are the lines of a figure for some runs, their moving averages if these are drawn before them, and the axis of both: that of their
// values in the window.
type figureLines struct {
	lines, smooth []chart.Line
	axis          chart.Axis
}

// linesOf returns the lines of a figure. Their moving averages have a weight of smoothing; there are none if that is 0.
func linesOf(e env.Env, row trendRow, x chart.Axis, runs []drawnRun, smoothing float64) (f figureLines) {
	var shown []float64
	for _, run := range runs {
		line := chart.Line{X: stepNumbers(run.trend), Y: row.series(run.trend), Role: run.role, Stroke: run.stroke, Spread: smoothing == 0}
		shown = append(shown, line.Within(x).Y...)
		if smoothing > 0 {
			average := line
			average.Y = chart.Smoothed(line.Y, smoothing)
			f.smooth, shown = append(f.smooth, average), append(shown, average.Within(x).Y...)
			line.Role, line.Stroke = themes.Track, chart.Sparse
		}
		f.lines = append(f.lines, line)
	}
	lo, hi := row.bounds(shown)
	f.axis = chart.Axis{Lo: lo, Hi: hi}.Widened()
	for _, lines := range [][]chart.Line{f.lines, f.smooth} {
		for i := range lines {
			lines[i].Axis = f.axis
		}
	}
	return f
}

func stepNumbers(t *analysis.Trend) []float64 {
	all := make([]float64, len(t.Steps))
	for i := range all {
		all[i] = float64(t.Steps[i].Step)
	}
	return all
}

// runLegend names the lines of the runs, if there are several.
func runLegend(e env.Env) string {
	runs := drawnRuns(e)
	if len(runs) < 2 {
		return ""
	}
	line := ""
	for _, run := range runs {
		line += "  " + e.Display.Theme.Paint(run.role, e.Display.Glyphs.Sample(run.stroke)) + " " + e.Display.Theme.Paint(themes.Dim, run.name)
	}
	return line
}

// chartNote returns the note of a chart in a box of w cells: first, and what is drawn otherwise than as it is, as far as
// there is room: a part of the steps, steps that are missing, averages, means of several steps.
func (s stepsState) chartNote(e env.Env, first string, meanOf, w int) string {
	notes := []string{first}
	if s.window != (stepWindow{}) {
		x, all := s.windowAxis(e), axisOfAllSteps(e)
		notes = append(notes, fmt.Sprintf("steps %.0f–%.0f of %.0f–%.0f", x.Lo, x.Hi, all.Lo, all.Hi))
	}
	if text := gapsText(e); text != "" {
		notes = append(notes, text)
	}
	if s.smoothing > 0 {
		notes = append(notes, fmt.Sprintf("moving average %g", s.smoothing))
	}
	if meanOf > 1 {
		notes = append(notes, fmt.Sprintf("means of %d steps", meanOf))
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
func axisOfAllSteps(e env.Env) chart.Axis {
	x := stepAxis(e)
	for _, run := range drawnRuns(e) {
		if steps := run.trend.Steps; len(steps) > 0 {
			x.Lo, x.Hi = min(x.Lo, float64(steps[0].Step)), max(x.Hi, float64(steps[len(steps)-1].Step))
		}
	}
	return x
}

func (s stepsState) windowAxis(e env.Env) chart.Axis {
	all, w := axisOfAllSteps(e), s.window
	switch {
	case w == stepWindow{}:
		return all
	case w.last > 0:
		return chart.Axis{Lo: max(all.Lo, all.Hi-float64(w.last-1)), Hi: all.Hi}
	}
	return chart.Axis{Lo: float64(w.from), Hi: float64(w.to)}
}

// showWindow shows some steps: at least a few, none beyond the runs, and if all would be shown, also those to come.
func (s *stepsState) showWindow(e env.Env, from, to float64) action {
	all := axisOfAllSteps(e)
	span := math.Min(math.Max(math.Round(to-from), minWindow), all.Hi-all.Lo)
	from = math.Round(from/2 + to/2 - span/2)
	from = math.Max(all.Lo, math.Min(from, all.Hi-span))
	to = from + span
	s.window = stepWindow{from: int64(from), to: int64(to)}
	if from <= all.Lo && to >= all.Hi {
		s.window = stepWindow{}
	}
	return nil
}

// zoom shows half as many steps (by > 0) or twice as many, around the one on the screen if it is among them.
func (s *stepsState) zoom(e env.Env, by int) action {
	if e.Result.Trend == nil {
		return nil
	}
	x := s.windowAxis(e)
	middle, half := x.Lo/2+x.Hi/2, (x.Hi-x.Lo)/4
	if here := float64(e.Place.Step); here >= x.Lo && here <= x.Hi {
		middle = here
	}
	if by < 0 {
		half *= 4
	}
	return s.showWindow(e, middle-half, middle+half)
}

// pan shows the steps half a window later (by > 0) or earlier.
func (s *stepsState) pan(e env.Env, by int) action {
	if e.Result.Trend == nil {
		return nil
	}
	x, all := s.windowAxis(e), axisOfAllSteps(e)
	shift := float64(by) * math.Max(1, math.Round((x.Hi-x.Lo)/2))
	switch {
	case s.window == stepWindow{}:
		return saying("all steps are shown: x shows fewer")
	case by > 0 && x.Hi >= all.Hi || by < 0 && x.Lo <= all.Lo:
		return saying("no step beyond these")
	}
	return s.showWindow(e, x.Lo+shift, x.Hi+shift)
}

// moveStepInWindow is moveStep for charts: the window follows the step.
func (a App) moveStepInWindow(by int) App {
	a = a.moveStep(by)
	if a.env.Result.Trend == nil || a.views.steps.window == (stepWindow{}) {
		return a
	}
	x, here := a.views.steps.windowAxis(a.env), float64(a.env.Place.Step)
	switch {
	case here < x.Lo:
		a.views.steps.showWindow(a.env, here, here+x.Hi-x.Lo)
	case here > x.Hi:
		a.views.steps.showWindow(a.env, here-(x.Hi-x.Lo), here)
	}
	return a
}

// runRange shows some steps in charts: "100 200", "last 50", "all".
func runRange(a App, args []string) (App, error) {
	usage := fmt.Errorf("range takes two steps (100 200), last and a count (last 50), or all")
	if a.env.Result.Trend == nil {
		return a, fmt.Errorf("no step is computed yet")
	}
	switch {
	case len(args) == 1 && args[0] == "all":
		a.views.steps.window = stepWindow{}
	case len(args) == 2 && args[0] == "last":
		n, err := strconv.ParseInt(args[1], 10, 32)
		if err != nil || n < 2 {
			return a, usage
		}
		a.views.steps.window = stepWindow{last: n}
	case len(args) == 2:
		from, err := strconv.ParseInt(args[0], 10, 64)
		to, errTo := strconv.ParseInt(args[1], 10, 64)
		if all := axisOfAllSteps(a.env); err != nil || errTo != nil || from >= to || float64(to) <= all.Lo || float64(from) >= all.Hi {
			return a, usage
		}
		a.views.steps.showWindow(a.env, float64(from), float64(to))
	default:
		return a, usage
	}
	if !a.position.drawsSteps() {
		a = a.pushView(viewSteps)
	}
	return a, nil
}

// gapsText says which steps are not in the log between others, "none of 11–43" or "3 gaps": "" if none is missing, or as
// long as the log is read.
func gapsText(e env.Env) string {
	if p := e.Snap.Run.Progress; !p.CaughtUp && !e.SourceState.Ended {
		return ""
	}
	steps := stepNumbers(e.Result.Trend)
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

// newestWithGaps returns the newest values over the steps, at most n with a NaN wherever steps are missing, and the
// index among them of a step, which is given by its index in the trend: -1 if it is not among them.
func newestWithGaps(e env.Env, values []float64, step, n int) (shown []float64, current int) {
	gaps := chart.Gaps(stepNumbers(e.Result.Trend))
	current = n // from the newest
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
	return shown, max(-1, len(shown)-1-current)
}

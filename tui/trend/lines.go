package trend

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"vantage/model/analysis"
	"vantage/model/diagnosis"
	"vantage/model/glance"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/chart"
	"vantage/tui/env"
)

// DeltaWidth is the width of a difference from the baseline.
const DeltaWidth = 10

// TrimPath cuts a path to w cells: before its last element, which tells it from its neighbours, as long as the beginning says whose it is.
func TrimPath(name string, w int) string {
	const leastBegin = 4
	at := strings.LastIndexByte(name, '/')
	room := w - cells.Width(name[at+1:]) - 1
	switch {
	case cells.Width(name) <= w:
		return name
	case at < 0 || room < leastBegin:
		return cells.TruncateLeft(name, w)
	}
	return cells.Truncate(name[:at], room) + name[at:]
}

// RowsBelowPlot are the ruler and the step numbers.
const RowsBelowPlot = 2

// ChartAxis returns the two lines below a chart: a ruler, with marks for the step on the screen, first warnings and alarms, and the step
// numbers.
func ChartAxis(e env.Env, c StepChart) []string {
	return Ruler(e, c, func(mark RulerMark) {
		for _, o := range FirstWarnings(e) {
			if o.Step != e.Result.Analysis.Step {
				mark(o.Step, themes.Warn, "!")
			}
		}
		for _, f := range e.FoundList() {
			if f.Severity == diagnosis.Alarm && f.Since != e.Result.Analysis.Step {
				mark(f.Since, themes.Bad, "!")
			}
		}
	})
}

// AxisLabel returns a label of w cells, the last of which is the axis that a chart begins at.
func AxisLabel(e env.Env, label string, w int) string {
	t := e.Display.Theme
	return t.Paint(themes.Dim, cells.FitRight(label, w-1)) + t.Paint(themes.Track, e.Display.Glyphs.Vertical)
}

// AxisCorner returns what is before a ruler below such labels.
func AxisCorner(e env.Env, w int) string {
	return cells.Spaces(w-1) + e.Display.Theme.Paint(themes.Track, e.Display.Glyphs.Corner)
}

// RulerMark puts a glyph on a ruler.
type RulerMark func(step int64, role themes.Role, glyph string)

// Ruler returns a ruler with marks and that of the step on the screen, which is blank where no run has steps, and the step numbers.
func Ruler(e env.Env, c StepChart, marked func(RulerMark)) []string {
	t, x := e.Display.Theme, c.Plot.X
	marks := make([]string, c.Width)
	for _, run := range DrawnRuns(e) {
		missing := x.MissingColumns(stepNumbers(run.Trend), c.Width)
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
	return []string{
		AxisCorner(e, ValueWidth) + strings.Join(marks, ""),
		cells.Spaces(ValueWidth) + t.Paint(themes.Dim, x.StepLabels(c.Width)),
	}
}

// DrawnRun is a run that charts have a line of.
type DrawnRun struct {
	Name   string
	Trend  *analysis.Trend
	Role   themes.Role
	Stroke chart.Stroke
	Part   *chart.Part // of its line in another role; nil: none
}

// DrawnRuns returns what charts have a line of: the run, under the baseline if there is one, and the second run if
// one is open.
func DrawnRuns(e env.Env) []DrawnRun {
	name := "this run"
	if e.Second.Source != nil {
		name = e.RunNames()[env.SideBaseline]
	}
	runs := []DrawnRun{{Name: name, Trend: e.Result.Trend, Role: themes.Accent}}
	if e.Settings.Base.On && e.Result.BaseTrend != nil {
		runs = append(runs, DrawnRun{Name: "baseline", Trend: e.Result.BaseTrend, Role: themes.Plain, Stroke: chart.Dotted})
	}
	if second := e.Second.Trend.Value.Trend; second != nil {
		runs = append(runs, DrawnRun{Name: e.RunNames()[env.SideCandidate], Trend: second, Role: themes.Good, Stroke: chart.DashDotted})
	}
	return runs
}

// StepChart is a metric over the steps, drawn between its labels.
type StepChart struct {
	Plot   chart.Plot
	Width  int      // of the plot
	MeanOf int      // steps that each point is the mean of
	Right  bool     // a second figure has an axis of its own, on the right
	Rows   []string // plot and labels
}

// RowOfMetric returns the row of a metric as the trainer computes it, without a name if the pane has none of it.
func RowOfMetric(metric string) Row {
	if i := slices.IndexFunc(Rows(), func(r Row) bool { return r.Metric == metric }); i >= 0 {
		return Rows()[i]
	}
	return Row{Metric: metric}
}

// figureLines are the lines of a figure for some runs, their moving averages if these are drawn before them, and the axis of both: that of
// their values in the window.
type figureLines struct {
	Lines, Smooth []chart.Line
	Axis          chart.Axis
}

// LinesOf returns the lines of a figure in w columns. Their moving averages have a weight of smoothing; there are none if that is 0.
func LinesOf(row Row, x chart.Axis, runs []DrawnRun, smoothing float64, w int) (f figureLines) {
	var shown []float64
	for _, run := range runs {
		line := chart.Line{
			X: stepNumbers(run.Trend), Y: row.series(run.Trend), Role: run.Role, Stroke: run.Stroke, Part: run.Part,
			Spread: smoothing == 0,
		}
		shown = append(shown, line.Within(x).Y...)
		if smoothing > 0 {
			average := line
			average.Y = chart.Smoothed(line.Y, smoothing)
			f.Smooth, shown = append(f.Smooth, average), append(shown, average.Within(x).Y...)
			line.Role, line.Stroke, line.Part = themes.Track, chart.Sparse, nil
		}
		f.Lines = append(f.Lines, line)
	}
	lo, hi := row.Bounds(shown)
	f.Axis = chart.Axis{Lo: lo, Hi: hi}.Widened()
	if len(f.Lines) == 1 {
		f.Axis = f.Axis.WithZero(len(f.Lines[0].Within(x).X), w)
	}
	for _, lines := range [][]chart.Line{f.Lines, f.Smooth} {
		for i := range lines {
			lines[i].Axis = f.Axis
		}
	}
	return f
}

// MeansText says that a line is of means of so many steps, and what the area behind it is; "" if it is of all of them.
func MeansText(e env.Env, n int) string {
	switch {
	case n <= 1:
		return ""
	case e.Display.Glyphs.ASCII || !e.Display.Theme.HasShade():
		return fmt.Sprintf("means of %d steps", n)
	}
	return fmt.Sprintf("means of %d steps, shaded from least to most", n)
}

func stepNumbers(t *analysis.Trend) []float64 {
	all := make([]float64, len(t.Steps))
	for i := range all {
		all[i] = float64(t.Steps[i].Step)
	}
	return all
}

// AxisOfAllSteps returns the axis from the first step of any run that is drawn to the last.
func AxisOfAllSteps(e env.Env) chart.Axis {
	x := StepAxis(e)
	for _, run := range DrawnRuns(e) {
		if steps := run.Trend.Steps; len(steps) > 0 {
			x.Lo, x.Hi = min(x.Lo, float64(steps[0].Step)), max(x.Hi, float64(steps[len(steps)-1].Step))
		}
	}
	return x
}

// GapsText says which steps are not in the log between others, "none of 11–43" or "3 gaps": "" if none is missing, or as
// long as the log is read.
func GapsText(e env.Env) string {
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

// NewestWithGaps returns the newest values over the steps, at most n with a NaN wherever steps are missing, and the
// index among them of a step, which is given by its index in the trend: -1 if it is not among them.
func NewestWithGaps(e env.Env, values []float64, step, n int) (shown []float64, current int) {
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

// MetricNames returns the metrics of the step, those that the pane of steps shows first.
func MetricNames(e env.Env) []string {
	var names []string
	for _, row := range TellingRows(e) {
		names = append(names, Rows()[row].Metric)
	}
	if e.Result.Analysis != nil {
		for _, m := range e.Result.Analysis.Metrics {
			if !slices.Contains(names, m.Name) {
				names = append(names, m.Name)
			}
		}
	}
	return names
}

// ComputingSteps is what views of all steps say while there is none of them.
const ComputingSteps = "computing all steps …"

// FirstWarnings returns the first warnings of each kind, by step, with that of answers that are alike. A frame asks for it: it looks at the
// steps of which answers were read, which are few.
func FirstWarnings(e env.Env) []analysis.FirstWarning {
	all, answers := e.Result.Trend.FirstWarnings(), e.AnswersRead()
	var first *analysis.FirstWarning
	for step := range answers.Alike {
		i, known := e.Result.Trend.Find(step)
		if !known || first != nil && i >= first.StepIndex {
			continue
		}
		if w := glance.AlikeWarning(answers, &e.Result.Trend.Steps[i], nil); w != nil {
			first = &analysis.FirstWarning{Warning: *w, StepIndex: i}
		}
	}
	if first == nil {
		return all
	}
	return slices.Insert(all, sort.Search(len(all), func(i int) bool { return all[i].StepIndex > first.StepIndex }), *first)
}

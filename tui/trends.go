package tui

import (
	"fmt"
	"math"
	"slices"

	"vantage/model/analysis"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/chart"
)

type trendRow struct {
	name      string
	metric    string
	zeroToOne bool    // drawn from 0 to 1, not over its own range
	quiet     float64 // at which it says nothing if all steps have it: no filter is at work; NaN: none
}

// trendRows returns what the pane shows, the most telling first.
func trendRows() []trendRow {
	never := math.NaN()
	return []trendRow{
		{"reward", "critic/score/mean", false, never},
		{"signal", "vantage/signal", true, never},
		{"kept", "vantage/kept", true, 1},
		{"Σ|A|", "vantage/abs_advantage_ratio", false, 1},
		{"pass@1", "pass@1", true, never},
		{"flips", "vantage/flips", false, 0},
		{"length", "response_length/mean", false, never},
	}
}

// of returns the value of a step.
func (r trendRow) of(x *analysis.Analysis) float64 {
	return x.Metric(r.metric)
}

// series returns the values of all steps.
func (r trendRow) series(t *analysis.Trend) []float64 {
	return t.Series(r.metric)
}

// ratioRounding is what sums over samples may lack of a ratio by rounding.
const ratioRounding = 1e-9

// tellingRows returns the indexes in trendRows of those whose values say something.
func (e env) tellingRows() (telling []int) {
	for i, row := range trendRows() {
		says := func(v float64) bool { return math.Abs(v-row.quiet) > ratioRounding }
		if math.IsNaN(row.quiet) || e.result.trend == nil || slices.ContainsFunc(row.series(e.result.trend), says) {
			telling = append(telling, i)
		}
	}
	return telling
}

// minBigTrend is how many lines the first metric is drawn over at least, if over several, and heightForStepNumbers
// the height of the pane from which there are step numbers.
const (
	minBigTrend          = 3
	heightForStepNumbers = 5
)

func (e env) paneSteps(w, h int) paneContent {
	c := paneContent{title: "steps"}
	if e.result.trend == nil {
		c.lines = []string{e.display.theme.Paint(themes.Dim, " computing …")}
		return c
	}
	all := e.stepAxis()
	c.title = fmt.Sprintf("steps  %.0f – %.0f", all.Lo, all.Hi)
	if all.Lo == all.Hi {
		c.title = fmt.Sprintf("steps  only step %.0f", all.Lo)
	}
	if text := e.gapsText(); text != "" {
		c.title = withRoom(c.title, ", "+text, w)
	}
	if e.isWide() {
		c.title = withRoom(c.title, fmt.Sprintf(" · at %d", e.result.analysis.Step), w)
	}
	switch {
	case !e.result.trend.Complete():
		c.note = e.trendProgress()
	case e.place.follow:
		c.note = "following the newest"
	default:
		c.note = "F follows the newest"
	}
	rows := e.tellingRows()
	if big := h - len(rows); big >= minBigTrend && all.Lo < all.Hi {
		c.lines = e.bigTrend(trendRows()[rows[0]], w, big)
		rows = rows[1:]
	}
	numbers := 0
	if len(c.lines) > 0 || h >= heightForStepNumbers {
		numbers = 1
	}
	for _, i := range rows[:max(0, min(len(rows), h-len(c.lines)-numbers))] {
		c.lines = append(c.lines, e.trendLine(i, trendRows()[i], w))
	}
	if numbers > 0 {
		left, plot, _ := e.trendWidths(w)
		c.lines = append(c.lines, cells.Spaces(left)+e.display.theme.Paint(themes.Dim, all.StepLabels(plot)))
	}
	return c
}

// The widths of the name in front of a trend, of the value behind it, and of the range that it is drawn over.
const (
	nameWidth  = 7
	valueWidth = 8
	rangeWidth = 11
)

// Widths of the pane from which there is the difference from the baseline, and from which the range is given in full width.
const (
	widthForDelta = 56
	widthForRange = 30
)

// trendWidths divides a row of w cells: the name and the value, the line, and the range.
func (e env) trendWidths(w int) (left, plot, right int) {
	left = nameWidth + valueWidth
	if e.baselineAnalysis() != nil && w >= widthForDelta {
		left += deltaWidth
	}
	if w >= widthForRange {
		right = rangeWidth
	}
	return left, max(0, w-left-right), right
}

// trendLine returns the row of a metric: its value at the step on the screen, the line over all steps, and the
// range that it is drawn over: that of all steps, though a column is a mean where there are more.
func (e env) trendLine(n int, row trendRow, w int) string {
	t, x := e.display.theme, e.result.analysis
	if x.NoSolved != "" && analysis.IsSolveMetric(row.metric) {
		return t.Paint(themes.Dim, cells.Fit(cells.Fit(" "+row.name, nameWidth)+firstFitting(w-nameWidth, " solved at which reward? :solved X", " not known: :solved X"), w))
	}
	left, plot, right := e.trendWidths(w)
	now := row.of(x.Last())
	text := metricText(row.metric, now)
	if row.name == "reward" {
		text = headerReward(now)
	}
	value := cells.FitRight(text, valueWidth-1)
	if left > nameWidth+valueWidth {
		value += cells.FitRight(e.stepDelta(now, row.of), deltaWidth)
	}
	named := t.Paint(themes.Dim, cells.Fit(" "+row.name, nameWidth)) + cells.Fit(value, left-nameWidth)
	if len(e.result.trend.Steps) < 2 { // which is no line
		return cells.Fit(named, w)
	}
	line := chart.Line{X: stepNumbers(e.result.trend), Y: row.series(e.result.trend)}
	lo, hi := row.bounds(line.Y)
	line.Axis = chart.Axis{Lo: lo, Hi: hi}
	spark := chart.Spark{X: e.stepAxis(), Line: line, Bars: true, Current: float64(x.Step)}.Draw(t, e.display.glyphs, plot)
	return named + e.display.mark(onTrend, n, spark) +
		t.Paint(themes.Dim, cells.Fit(" "+rangeText(lo, hi), right))
}

// rangeText names the range that a line is drawn over, in as few digits as tell its ends apart, one decimal less if these have no room.
// What differs in later digits only is about one value.
func rangeText(lo, hi float64) string {
	if units.NearlyEqual(lo, hi) {
		return "constant"
	}
	for _, decimals := range []int{2, 3, 4, 5, 1} {
		from, to := roundTo(lo, decimals), roundTo(hi, decimals)
		if from != to && cells.Width(from+"–"+to) < rangeWidth {
			return from + "–" + to
		}
	}
	if from, to := roundTo(lo, 2), roundTo(hi, 2); from != to {
		return from + "–" + to
	}
	return "about " + roundTo(lo, 2)
}

// roundTo writes a number with at most so many decimals, two digits or three if there is none before the point.
func roundTo(x float64, decimals int) string {
	abs := math.Abs(x)
	switch {
	case x == math.Trunc(x) || abs >= 100 || abs < 0.005 && decimals == 2:
		return units.Brief(x)
	case abs >= 10:
		decimals--
	}
	return units.Fixed(x, decimals)
}

func (e env) bigTrend(row trendRow, w, h int) []string {
	t, x := e.display.theme, e.stepAxis()
	left, plot, right := e.trendWidths(w)
	drawn := e.linesOf(row, x, []drawnRun{{trend: e.result.trend, role: themes.Accent}}, 0)
	lines, labels := chart.Plot{X: x, Lines: drawn.lines}.Draw(t, e.display.glyphs, plot, h), drawn.axis.RowLabels(h)
	for i := range lines {
		name := ""
		if i == 0 {
			name = row.name
		}
		lines[i] = t.Paint(themes.Dim, cells.Fit(" "+name, nameWidth)+cells.FitRight(labels[i], left-nameWidth-1)+" ") + e.display.mark(onTrend, 0, lines[i]) + cells.Spaces(right)
	}
	return lines
}

func (r trendRow) bounds(values []float64) (lo, hi float64) {
	if r.zeroToOne {
		return 0, 1
	}
	lo, hi = chart.Range(values)
	if lo > 0 && lo < hi/2 {
		lo = 0
	}
	return lo, hi
}

// trendIndex returns the index of the step on the screen in the trend, -1 if it is not
// there yet.
func (e env) trendIndex() int {
	if i, ok := e.result.trend.Find(e.result.analysis.Step); ok {
		return i
	}
	return -1
}

func (e env) stepAxis() chart.Axis {
	steps := e.result.trend.Steps
	if len(steps) == 0 {
		return chart.Axis{}
	}
	return chart.Axis{Lo: float64(steps[0].Step), Hi: float64(steps[len(steps)-1].Step)}
}

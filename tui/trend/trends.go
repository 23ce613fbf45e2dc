// Package trend draws figures over the steps, of one run or of several: lines in a pane, and charts with a ruler.
package trend

import (
	"fmt"
	"math"
	"slices"

	"vantage/model/analysis"
	"vantage/model/diagnosis"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/chart"
	"vantage/tui/env"
	"vantage/tui/pane"
)

// Row is a metric as the pane of steps draws it.
type Row struct {
	Name      string
	Metric    string
	zeroToOne bool    // drawn from 0 to 1, not over its own range
	quiet     float64 // at which it says nothing if all steps have it: no filter is at work; NaN: none
}

// Rows returns what the pane shows, the most telling first.
func Rows() []Row {
	never := math.NaN()
	return []Row{
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
func (r Row) of(x *analysis.Analysis) float64 {
	return x.Metric(r.Metric)
}

// ofSamples reports whether the value of a step that is still being written is that of the samples so far, and not of whole groups.
func (r Row) ofSamples() bool { return r.Name == "reward" || r.Name == "length" }

// series returns the values of all steps.
func (r Row) series(t *analysis.Trend) []float64 {
	return t.Series(r.Metric)
}

// TellingRows returns the indexes in Rows of those whose values say something.
func TellingRows(e env.Env) (telling []int) {
	for i, row := range Rows() {
		says := func(v float64) bool { return math.Abs(v-row.quiet) > env.RatioRounding }
		if math.IsNaN(row.quiet) || e.Result.Trend == nil || slices.ContainsFunc(row.series(e.Result.Trend), says) {
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

// Pane draws metrics over all steps, the most telling first.
func Pane(e env.Env, w, h int) pane.Content {
	c := pane.Content{Title: "steps"}
	if e.Result.Trend == nil {
		c.Lines = []string{e.Display.Theme.Paint(themes.Dim, " computing …")}
		return c
	}
	all := StepAxis(e)
	c.Title = fmt.Sprintf("steps  %.0f – %.0f", all.Lo, all.Hi)
	if all.Lo == all.Hi {
		c.Title = fmt.Sprintf("steps  only step %.0f", all.Lo)
	}
	if text := GapsText(e); text != "" {
		c.Title = pane.WithRoom(c.Title, ", "+text, w)
	}
	if big := h - len(TellingRows(e)); big >= minBigTrend {
		_, plot, _ := trendWidths(e, w)
		if text := MeansText(e, chart.Averaged(len(e.Result.Trend.Steps), plot)); text != "" {
			c.Title = pane.WithRoom(c.Title, ", "+text, w)
		}
	}
	if e.IsWide() {
		c.Title = pane.WithRoom(c.Title, fmt.Sprintf(" · at %d", e.Result.Analysis.Step), w)
	}
	switch {
	case !e.Result.Trend.Complete():
		c.Note = e.TrendProgress()
	case e.Place.Follow:
		c.Note = "following the newest"
	default:
		c.Note = "F follows the newest"
	}
	rows := TellingRows(e)
	if big := h - len(rows); big >= minBigTrend && all.Lo < all.Hi {
		c.Lines = bigTrend(e, Rows()[rows[0]], w, big)
		rows = rows[1:]
	}
	numbers := 0
	if len(c.Lines) > 0 || h >= heightForStepNumbers {
		numbers = 1
	}
	for _, i := range rows[:max(0, min(len(rows), h-len(c.Lines)-numbers))] {
		c.Lines = append(c.Lines, trendLine(e, i, Rows()[i], w))
	}
	if numbers > 0 {
		left, plot, _ := trendWidths(e, w)
		c.Lines = append(c.Lines, cells.Spaces(left)+e.Display.Theme.Paint(themes.Dim, all.StepLabels(plot)))
	}
	return c
}

// The widths of the name in front of a trend, of the value behind it, and of the range that it is drawn over.
const (
	nameWidth  = 7
	ValueWidth = 8
	rangeWidth = 11
)

// Widths of the pane from which there is the difference from the baseline, and from which the range is given in full width.
const (
	widthForDelta = 56
	widthForRange = 30
)

// trendWidths divides a row of w cells: the name and the value, the line, and the range.
func trendWidths(e env.Env, w int) (left, plot, right int) {
	left = nameWidth + ValueWidth
	if e.BaselineAnalysis() != nil && w >= widthForDelta {
		left += DeltaWidth
	}
	if w >= widthForRange {
		right = rangeWidth
	}
	return left, max(0, w-left-right), right
}

// trendLine returns the row of a metric: its value at the step on the screen, the line over all steps, and the
// range that it is drawn over: that of all steps, though a column is a mean where there are more.
func trendLine(e env.Env, n int, row Row, w int) string {
	t, x := e.Display.Theme, e.Result.Analysis
	if x.NoSolved != "" && analysis.IsSolveMetric(row.Metric) {
		ask := pane.FirstFitting(w-nameWidth, " solved at which reward? :solved X", " not known: :solved X")
		return t.Paint(themes.Dim, cells.Fit(cells.Fit(" "+row.Name, nameWidth)+ask, w))
	}
	left, plot, right := trendWidths(e, w)
	now := row.of(x.Last())
	text := MetricText(row.Metric, now)
	switch undecided := x.Last().Open && !row.ofSamples(); {
	case row.Name == "reward":
		text = env.HeaderReward(now)
	case undecided:
		text = "—" // as in the header
	}
	value := cells.FitRight(text, ValueWidth-1)
	if left > nameWidth+ValueWidth {
		value += cells.FitRight(e.StepDelta(now, row.of), DeltaWidth)
	}
	named := t.Paint(themes.Dim, cells.Fit(" "+row.Name, nameWidth)) + cells.Fit(value, left-nameWidth)
	if len(e.Result.Trend.Steps) < 2 { // which is no line
		return cells.Fit(named, w)
	}
	line := chart.Line{X: stepNumbers(e.Result.Trend), Y: row.series(e.Result.Trend), Spread: true}
	lo, hi := row.lineBounds(line.Y)
	if lo < hi {
		axis := chart.Axis{Lo: lo, Hi: hi}.WithZero(len(line.X), plot)
		lo, hi = axis.Lo, axis.Hi
	}
	line.Axis, line.Part = chart.Axis{Lo: lo, Hi: hi}, Alarmed(e, row)
	spark := chart.Spark{X: StepAxis(e), Line: line, Current: float64(x.Step)}.Draw(t, e.Display.Glyphs, plot)
	return named + e.Display.Mark(pane.OnTrend, n, spark) +
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

func bigTrend(e env.Env, row Row, w, h int) []string {
	t, x := e.Display.Theme, StepAxis(e)
	left, plot, right := trendWidths(e, w)
	drawn := LinesOf(row, x, []DrawnRun{{Trend: e.Result.Trend, Role: themes.Accent, Part: Alarmed(e, row)}}, 0, plot)
	lines, labels := chart.Plot{X: x, Lines: drawn.Lines}.Draw(t, e.Display.Glyphs, plot, h), drawn.Axis.RowLabels(h)
	for i := range lines {
		name := ""
		if i == 0 {
			name = row.Name
		}
		lines[i] = t.Paint(themes.Dim, cells.Fit(" "+name, nameWidth)) + AxisLabel(e, labels[i], left-nameWidth) +
			e.Display.Mark(pane.OnTrend, 0, lines[i]) + cells.Spaces(right)
	}
	return lines
}

// Bounds returns the range that values are drawn over.
func (r Row) Bounds(values []float64) (lo, hi float64) {
	if r.zeroToOne {
		return 0, 1
	}
	lo, hi = chart.Range(values)
	if lo > 0 && lo < hi/2 {
		lo = 0
	}
	return lo, hi
}

// leastShares is the least range that the line of a share is drawn over.
const leastShares = 0.2

// lineBounds returns the range that a line of one row is drawn over: of shares theirs and some room, since of 0 to 1 such a line shows
// little.
func (r Row) lineBounds(values []float64) (lo, hi float64) {
	lo, hi = chart.Range(values)
	areShares := r.zeroToOne && 0 <= lo && hi <= 1
	if room := leastShares - (hi - lo); areShares && lo < hi && room > 0 {
		lo = math.Floor(20*max(0, min(lo-room/2, 1-leastShares))) / 20
		return lo, min(1, lo+math.Ceil(20*leastShares+1)/20)
	}
	return lo, hi
}

// Alarmed returns the steps that the worst alarm covers, in the line of the reward and in that which shows the alarm; nil: none.
func Alarmed(e env.Env, row Row) *chart.Part {
	worst := e.Found(0)
	if worst == nil || worst.Severity != diagnosis.Alarm {
		return nil
	}
	isReward, showsAlarm := row.Metric == "critic/score/mean", row.Name != "" && row.Name == worst.Series.Name
	if !isReward && !showsAlarm {
		return nil
	}
	return PartOf(worst, themes.Bad)
}

// PartOf returns the steps that a finding covers.
func PartOf(f *diagnosis.Finding, role themes.Role) *chart.Part {
	part := chart.Part{From: float64(f.Since), To: float64(f.Until), Role: role}
	if f.Lasting {
		part.To = math.Inf(1)
	}
	return &part
}

// Index returns the index of the step on the screen in the trend, -1 if it is not
// there yet.
func Index(e env.Env) int {
	if i, ok := e.Result.Trend.Find(e.Result.Analysis.Step); ok {
		return i
	}
	return -1
}

// StepAxis returns the axis from the first step to the last.
func StepAxis(e env.Env) chart.Axis {
	steps := e.Result.Trend.Steps
	if len(steps) == 0 {
		return chart.Axis{}
	}
	return chart.Axis{Lo: float64(steps[0].Step), Hi: float64(steps[len(steps)-1].Step)}
}

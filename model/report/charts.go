package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/sanitize"
	"vantage/model/units"
)

// Charts hold the data of a report's charts: the distribution of advantages before and
// after the filter, the main figures over the steps, and the solve rates of groups. Steps
// are added one by one; the memory does not grow with their number.
type Charts struct {
	Unfiltered, Processed *histogram // processed: of the kept samples only
	Trends                []trendLine
	Solved                []float64 // groups by solve rate
	FirstStep, LastStep   int64
	Steps                 int
	SolvedAt              string // which rewards are solved, in words

	hasSamples bool // Unfiltered and Processed were filled
	stepIndex  int
	stepCount  int
	points     []pointSteps // of each line

	solveMetrics []string // of Solved, and where the first of them is in a step
	solveIndex   int
}

// maxPoints is the most points of a trend: with more steps a point is the mean of several.
const maxPoints = 48

// pointSteps are the complete steps that a point of a line stands for.
type pointSteps struct {
	First, Last int64
	Count       int
}

func mainTrends() []trendLine {
	return []trendLine{
		{Name: "reward", metric: "critic/score/mean"},
		{Name: "signal", metric: "vantage/signal"},
		{Name: "kept", metric: "vantage/kept"},
		{Name: "Σ|A|", metric: "vantage/abs_advantage_ratio"},
		{Name: "flips", metric: "vantage/flips"},
		{Name: "pass@1", metric: "pass@1"},
		{Name: "length", metric: "response_length/mean"},
	}
}

// newCharts returns charts without steps, whose lines have at most so many points.
func newCharts(r *Report, scales []model.RewardScale, lines []trendLine, points int) *Charts {
	steps := len(r.Snap.Steps)
	n := max(1, min(points, steps))
	for i := range lines {
		l := &lines[i]
		l.First, l.Last, l.Min, l.Max = math.NaN(), math.NaN(), math.Inf(1), math.Inf(-1)
		l.Values, l.sums, l.counts = slices.Repeat([]float64{math.NaN()}, n), make([]float64, n), make([]int, n)
		l.Lows, l.Highs = slices.Clone(l.Values), slices.Clone(l.Values)
	}
	return &Charts{
		Unfiltered: newHistogram(), Processed: newHistogram(), Trends: lines, Solved: make([]float64, len(analysis.SolveRateNames())),
		SolvedAt: solvedReward(scales), stepCount: steps, points: make([]pointSteps, n), solveMetrics: analysis.SolveRateNames(),
	}
}

func solvedReward(scales []model.RewardScale) string {
	scales = slices.DeleteFunc(slices.Clone(scales), func(s model.RewardScale) bool { return !s.Known })
	switch {
	case len(scales) == 0:
		return ""
	case len(scales) > 1:
		return "the solved reward of their run"
	case scales[0].Column != "":
		return sanitize.Line(scales[0].Column) + " is 1"
	case scales[0].Solved == scales[0].Max:
		return units.Short(scales[0].Max) + ", the best reward of the run"
	case math.IsInf(scales[0].Solved, 1):
		return "a solved reward: there is none in the run"
	}
	return units.Short(scales[0].Solved) + ", which counts as solved"
}

func (c *Charts) add(s *analysis.StepFigures, a *analysis.Analysis) {
	at := c.stepIndex
	c.stepIndex++
	if s.Open { // half a step would distort a line
		return
	}
	if c.Steps == 0 {
		c.FirstStep = s.Step
	}
	c.Steps, c.LastStep = c.Steps+1, s.Step
	cell := at * len(c.points) / max(1, c.stepCount)
	p := &c.points[cell]
	if p.Count == 0 {
		p.First = s.Step
	}
	p.Last, p.Count = s.Step, p.Count+1
	for i := range c.Trends {
		switch l := &c.Trends[i]; {
		case l.value == nil:
			x, index := s.MetricNear(l.metric, l.index)
			l.index = index
			l.add(cell, x)
		case a != nil:
			l.add(cell, l.value(s, a))
		}
	}
	for i, name := range c.solveMetrics {
		n, index := s.MetricNear(name, c.solveIndex+i)
		if n == n {
			c.Solved[i], c.solveIndex = c.Solved[i]+n, max(0, index-i)
		}
	}
	if a == nil {
		return
	}
	c.hasSamples = true
	c.Unfiltered.add(a.Unfiltered, nil)
	c.Processed.add(a.Processed, a.Keep)
}

// trendLine is a figure over the steps of a run.
type trendLine struct {
	Name                  string
	Values                []float64 // NaN where no step has a value
	Lows, Highs           []float64 // the least and the most of the steps of a point
	First, Last, Min, Max float64
	metric                string
	index                 int                                                     // of the metric in the step before
	onset                 *int64                                                  // of the finding that it shows; nil of a figure of every report
	value                 func(*analysis.StepFigures, *analysis.Analysis) float64 // of the samples, instead of metric
	sums                  []float64
	counts                []int
}

func (l *trendLine) add(cell int, x float64) {
	if !units.IsFinite(x) {
		return
	}
	l.sums[cell] += x
	l.counts[cell]++
	l.Values[cell] = l.sums[cell] / float64(l.counts[cell])
	if l.counts[cell] == 1 {
		l.Lows[cell], l.Highs[cell] = x, x
	}
	l.Lows[cell], l.Highs[cell] = min(l.Lows[cell], x), max(l.Highs[cell], x)
	if l.First != l.First {
		l.First = x
	}
	l.Last, l.Min, l.Max = x, min(l.Min, x), max(l.Max, x)
}

func (l *trendLine) hasValue() bool { return l.Last == l.Last }

// histogramBins is the resolution of a histogram, many times finer than its drawing.
const histogramBins = 2048

// histogram counts values in equal bins over a range around 0 that doubles when a value
// exceeds it, so one pass suffices. Exact zeros are counted separately: groups without
// signal have so many that the other bins would vanish beside them.
type histogram struct {
	N, Zeros, NotFinite int // all values, those that are 0, those that are NaN or infinite
	Sum, SumSquares     float64
	MaxAbs              float64
	limit               float64 // the range is -limit to limit
	counts              []int
}

func newHistogram() *histogram {
	return &histogram{limit: 0x1p-60, counts: make([]int, histogramBins)}
}

// add adds values: those that are kept, or all if keep is nil.
func (h *histogram) add(values []float64, keep []bool) {
	sum, squares := h.Sum, h.SumSquares // in registers: half of the time
	for i, x := range values {
		if keep != nil && !keep[i] {
			continue
		}
		h.N++
		switch {
		case !units.IsFinite(x):
			h.NotFinite++
			continue
		case x == 0:
			h.Zeros++
			continue
		}
		sum += x
		squares += x * x
		abs := math.Abs(x)
		if abs > h.MaxAbs {
			h.MaxAbs = abs
		}
		for abs >= h.limit && h.limit < math.MaxFloat64/2 { // the range doubles, each two bins become one
			wide := make([]int, histogramBins)
			for i, n := range h.counts {
				wide[histogramBins/4+i/2] += n
			}
			h.limit, h.counts = 2*h.limit, wide
		}
		bin := min(histogramBins/2-1, int(abs/h.limit*(histogramBins/2))) // from the middle
		bin ^= -model.Count01(x < 0)                                      // -1-bin below 0, without a branch that nobody can predict
		h.counts[histogramBins/2+bin]++
	}
	h.Sum, h.SumSquares = sum, squares
}

func (h *histogram) rebin(limit float64, n int) []int {
	columns := make([]int, n)
	for i, count := range h.counts {
		if count > 0 {
			x := ((float64(i)+0.5)/histogramBins*2 - 1) * h.limit
			share := min(1, max(0, (x/limit+1)/2))
			columns[min(n-1, int(share*float64(n)))] += count
		}
	}
	return columns
}

// Mean returns the mean of the finite values, zeros included.
func (h *histogram) Mean() float64 { return h.Sum / float64(h.N-h.NotFinite) }

// Std returns the standard deviation of the finite values, ddof 1.
func (h *histogram) Std() float64 {
	n := float64(h.N - h.NotFinite)
	return math.Sqrt(max(0, h.SumSquares-h.Sum*h.Sum/n) / (n - 1))
}

func (c *Charts) hasDistribution() bool {
	return c.hasSamples && c.Unfiltered.N > c.Unfiltered.NotFinite
}

// bins returns both distributions in plotColumns bins from -limit to limit, and the largest count.
func (c *Charts) bins() (limit float64, unfiltered, processed []int, tallest int) {
	limit = units.RoundUp(max(c.Unfiltered.MaxAbs, c.Processed.MaxAbs))
	unfiltered, processed = c.Unfiltered.rebin(limit, plotColumns), c.Processed.rebin(limit, plotColumns)
	return limit, unfiltered, processed, max(1, slices.Max(unfiltered), slices.Max(processed))
}

func (c *Charts) hasSolved() bool { return c.Steps > 0 && c.SolvedAt != "" }

func (c *Charts) solvedTotals() (tallest, sum float64) {
	for _, n := range c.Solved {
		tallest, sum = max(tallest, n), sum+n
	}
	return tallest, sum
}

// Sizes in characters.
const (
	plotColumns = 61 // of a distribution, in pictures too; odd: one column is the zero
	plotRows    = 5  // above and below the axis
	barColumns  = 40
)

// Text returns the charts drawn with characters.
func (c *Charts) Text() []string {
	var lines []string
	add := func(title string, chart []string) {
		lines = append(lines, "", title)
		for _, line := range chart {
			lines = append(lines, "  "+line)
		}
	}
	if c.hasDistribution() {
		add(fmt.Sprintf("advantages of %s: original above the line, processed below", c.stepRange()), c.textDistribution())
	}
	if c.Steps > 1 {
		span := fmt.Sprintf("%d … %d", c.FirstStep, c.LastStep)
		width := max(len(c.points), 2*maxPoints/3, utf8.RuneCountInString(span))
		title := fmt.Sprintf("over the steps  %-*s %8s %8s %8s %8s", width, span, "first", "newest", "least", "most")
		var trends []string
		for _, l := range c.Trends {
			if l.hasValue() {
				trends = append(trends, fmt.Sprintf("%-13s %-*s %8s %8s %8s %8s", l.Name, width, sparkline(l),
					units.Short(l.First), units.Short(l.Last), units.Short(l.Min), units.Short(l.Max)))
			}
		}
		add(title, trends)
	}
	if c.hasSolved() {
		tallest, all := c.solvedTotals()
		var bars []string
		for i, name := range solveBinNames() {
			bars = append(bars, fmt.Sprintf("%-13s %-*s %s", name, barColumns, horizontalBar(c.Solved[i]/max(1, tallest)),
				units.Fraction(int(c.Solved[i]), int(all))))
		}
		add(fmt.Sprintf("groups of %s by how many of their samples reach %s", c.stepRange(), c.SolvedAt), bars)
	}
	return lines
}

// stepRange returns "step 3" or "steps 1 to 40".
func (c *Charts) stepRange() string { return units.Steps(c.FirstStep, c.LastStep) }

// textDistribution draws both histograms on one axis and scale, with their moments below.
func (c *Charts) textDistribution() []string {
	limit, unfiltered, processed, tallest := c.bins()
	var lines []string
	for row := range plotRows {
		lines = append(lines, plotRow(unfiltered, tallest, plotRows-1-row, []rune("▁▂▃▄▅▆▇█")))
	}
	half := strings.Repeat("─", plotColumns/2)
	lines = append(lines, half+"┼"+half)
	for row := range plotRows {
		lines = append(lines, plotRow(processed, tallest, row, []rune("▔▀█")))
	}
	end := units.Short(limit)
	gap := plotColumns/2 - 1 - utf8.RuneCountInString(end)
	isBlank := func(line string) bool { return strings.TrimSpace(line) == "" }
	for isBlank(lines[0]) {
		lines = lines[1:]
	}
	for isBlank(lines[len(lines)-1]) { // the axis is not
		lines = lines[:len(lines)-1]
	}
	lines = append(lines, "−"+end+strings.Repeat(" ", gap)+"0"+strings.Repeat(" ", gap)+"+"+end)
	return append(lines, momentsText("original", c.Unfiltered), momentsText("processed", c.Processed))
}

// plotRow draws one row of columns, numbered from the axis. A nonzero count always shows.
func plotRow(columns []int, tallest, row int, levels []rune) string {
	var b strings.Builder
	for _, n := range columns {
		height := float64(n)/float64(tallest)*plotRows - float64(row)
		switch {
		case height <= 0 || n == 0:
			b.WriteByte(' ')
		default:
			at := int(math.Round(height * float64(len(levels))))
			b.WriteRune(levels[min(len(levels), max(1, at))-1])
		}
	}
	return b.String()
}

// moments says how many values of a distribution there are, and their moments, divided by commas and a semicolon or as said.
func (h *histogram) moments(zeros, comma, semicolon string) string {
	if h.N == h.NotFinite {
		return "none"
	}
	text := fmt.Sprintf("%s samples, %s of them %s; mean %s%sstd %s%slargest %s", units.Count(h.N), units.Count(h.Zeros), zeros,
		strings.TrimSpace(units.Signed(h.Mean())), comma, units.Fixed(h.Std(), 2), comma, units.Fixed(h.MaxAbs, 2))
	if h.NotFinite > 0 {
		text += semicolon + "not numbers " + units.Count(h.NotFinite)
	}
	return text
}

// momentsSentence says the same of a distribution with a name, momentsText in a line below a chart of characters.
func momentsSentence(name string, h *histogram) string {
	return name + ": " + h.moments("0", ", ", "; ") + "."
}

func momentsText(name string, h *histogram) string {
	return fmt.Sprintf("%-10s %s", name, h.moments("0 and not drawn", "  ", "  "))
}

func sparkline(l trendLine) string {
	levels := []rune("▁▂▃▄▅▆▇█")
	var b strings.Builder
	for _, x := range l.Values {
		at := 0
		if !units.NearlyEqual(l.Min, l.Max) {
			at = int(math.Round((x/2 - l.Min/2) / (l.Max/2 - l.Min/2) * float64(len(levels)-1)))
		}
		if x != x {
			b.WriteByte(' ')
			continue
		}
		b.WriteRune(levels[min(len(levels)-1, max(0, at))])
	}
	return b.String()
}

func solveBinNames() []string {
	return []string{"none", "up to 25 %", "up to 50 %", "up to 75 %", "below all", "all"}
}

func horizontalBar(share float64) string {
	eighths := int(math.Round(share * barColumns * 8))
	if share > 0 {
		eighths = max(1, eighths)
	}
	bar := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		bar += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return bar
}

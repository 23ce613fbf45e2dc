package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/units"
)

// Charts hold the data of a report's charts: the distribution of advantages before and
// after the filter, the main figures over the steps, and the solve rates of groups. Steps
// are added one by one; the memory does not grow with their number.
type Charts struct {
	Original, Processed *histogram // processed: of the kept samples only
	Trends              []trendLine
	Solved              []bar
	FirstStep, LastStep int64
	Steps               int
	SolvedAt            string // which rewards are solved, in words

	hasSamples bool // Original and Processed were filled
	stepIndex  int
	stepCount  int
	points     []pointSteps // of each line
}

// pointSteps are the complete steps that a point of a line stands for.
type pointSteps struct {
	First, Last int64
	Count       int
}

// bar is a count with its name.
type bar struct {
	Name  string
	Count float64
}

// mainTrends returns the figures that are drawn over the steps, named as on the screen.
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
	c := &Charts{Original: newHistogram(), Processed: newHistogram(), Trends: lines, SolvedAt: solvedReward(scales), stepCount: len(r.Snap.Steps)}
	for i := range c.Trends {
		c.Trends[i].reset(c.stepCount, points)
	}
	c.points = make([]pointSteps, max(1, min(points, c.stepCount)))
	for _, name := range analysis.SolveBinNames() {
		c.Solved = append(c.Solved, bar{Name: name})
	}
	return c
}

// solvedReward says which rewards are solved; "" if no run's rewards say it.
func solvedReward(scales []model.RewardScale) string {
	scales = slices.DeleteFunc(slices.Clone(scales), func(s model.RewardScale) bool { return !s.Discrete })
	switch {
	case len(scales) == 0:
		return ""
	case len(scales) > 1:
		return "the solved reward of their run"
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
	c.addPoint(at, s.Step)
	for i := range c.Trends {
		c.Trends[i].add(at, c.stepCount, c.Trends[i].of(s, a))
	}
	for i := range c.Solved {
		if n := s.Metric("vantage/solve_rate/" + c.Solved[i].Name); n == n {
			c.Solved[i].Count += n
		}
	}
	if a == nil {
		return
	}
	c.hasSamples = true
	for i, x := range a.Original {
		c.Original.add(x)
		if a.Keep[i] {
			c.Processed.add(a.Processed[i])
		}
	}
}

// addPoint adds step at of the run's steps to the steps of its point.
func (c *Charts) addPoint(at int, step int64) {
	p := &c.points[at*len(c.points)/max(1, c.stepCount)]
	if p.Count == 0 {
		p.First = step
	}
	p.Last, p.Count = step, p.Count+1
}

// maxPoints is the most points of a trend: with more steps a point is the mean of several.
const maxPoints = 48

// trendLine is a figure over the steps of a run.
type trendLine struct {
	Name                  string
	Values                []float64 // NaN where no step has a value
	Lows, Highs           []float64 // the least and the most of the steps of a point
	First, Last, Min, Max float64
	metric                string
	value                 func(*analysis.StepFigures, *analysis.Analysis) float64 // instead of metric; nil where that is a metric
	sums                  []float64
	counts                []int
}

// of returns the figure of a step, NaN if it has none. a is nil of a step whose samples are not there.
func (l *trendLine) of(s *analysis.StepFigures, a *analysis.Analysis) float64 {
	switch {
	case l.value == nil:
		return s.Metric(l.metric)
	case a == nil:
		return math.NaN()
	}
	return l.value(s, a)
}

func (l *trendLine) reset(steps, points int) {
	n := max(1, min(points, steps))
	l.First, l.Last, l.Min, l.Max = math.NaN(), math.NaN(), math.Inf(1), math.Inf(-1)
	l.Values, l.sums, l.counts = make([]float64, n), make([]float64, n), make([]int, n)
	for i := range l.Values {
		l.Values[i] = math.NaN()
	}
	l.Lows, l.Highs = slices.Clone(l.Values), slices.Clone(l.Values)
}

// add adds the value of step at of the run's steps.
func (l *trendLine) add(at, of int, x float64) {
	if x-x != 0 {
		return
	}
	cell := at * len(l.Values) / max(1, of)
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

// hasValue reports whether a step has the figure.
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

func (h *histogram) add(x float64) {
	h.N++
	switch {
	case x-x != 0:
		h.NotFinite++
		return
	case x == 0:
		h.Zeros++
		return
	}
	h.Sum += x
	h.SumSquares += x * x
	h.MaxAbs = max(h.MaxAbs, math.Abs(x))
	for math.Abs(x) >= h.limit && h.limit < math.MaxFloat64/2 {
		h.widen()
	}
	bin := min(histogramBins/2-1, int(math.Abs(x)/h.limit*(histogramBins/2))) // from the middle
	if x < 0 {
		bin = -1 - bin
	}
	h.counts[histogramBins/2+bin]++
}

// widen doubles the range: each two bins become one.
func (h *histogram) widen() {
	wide := make([]int, histogramBins)
	for i, n := range h.counts {
		wide[histogramBins/4+i/2] += n
	}
	h.limit, h.counts = 2*h.limit, wide
}

// rebin returns the counts in n bins from -limit to limit.
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

// hasDistribution reports whether there is a finite advantage to draw.
func (c *Charts) hasDistribution() bool {
	return c.hasSamples && c.Original.N > c.Original.NotFinite
}

// bins returns both distributions in n bins from -limit to limit, and the largest count.
func (c *Charts) bins(n int) (limit float64, original, processed []int, tallest int) {
	limit = c.axisLimit()
	original, processed = c.Original.rebin(limit, n), c.Processed.rebin(limit, n)
	return limit, original, processed, max(1, slices.Max(original), slices.Max(processed))
}

// hasSolved reports whether there are solve rates to draw.
func (c *Charts) hasSolved() bool { return c.Steps > 0 && c.SolvedAt != "" }

// solvedTotals returns the largest count of a solve rate, and their sum.
func (c *Charts) solvedTotals() (tallest, sum float64) {
	for _, b := range c.Solved {
		tallest, sum = max(tallest, b.Count), sum+b.Count
	}
	return tallest, sum
}

// axisLimit returns a round number that no advantage of either distribution exceeds.
func (c *Charts) axisLimit() float64 {
	largest := max(c.Original.MaxAbs, c.Processed.MaxAbs)
	if largest == 0 {
		return 1
	}
	unit := math.Pow(10, math.Floor(math.Log10(largest)))
	for _, m := range []float64{1, 1.5, 2, 2.5, 3, 4, 5, 6, 8} {
		if largest <= m*unit {
			return m * unit
		}
	}
	return 10 * unit
}

// Sizes in characters.
const (
	plotColumns = 61 // odd: one column is the zero
	plotRows    = 5  // above and below the axis
	barColumns  = 40
)

// Text returns the charts drawn with characters.
func (c *Charts) Text() []string {
	var lines []string
	if c.hasDistribution() {
		lines = append(lines, "", fmt.Sprintf("advantages of %s: original above the line, processed below", c.stepRange()))
		lines = append(lines, indent(c.textDistribution())...)
	}
	if c.Steps > 1 {
		lines = append(lines, "")
		lines = append(lines, c.textTrends()...)
	}
	if c.hasSolved() {
		lines = append(lines, "", fmt.Sprintf("groups of %s by how many of their samples reach %s", c.stepRange(), c.SolvedAt))
		lines = append(lines, indent(c.textSolved())...)
	}
	return lines
}

func indent(lines []string) []string {
	for i := range lines {
		lines[i] = "  " + lines[i]
	}
	return lines
}

// stepRange returns "step 3" or "steps 1 to 40".
func (c *Charts) stepRange() string {
	if c.Steps == 1 {
		return fmt.Sprintf("step %d", c.FirstStep)
	}
	return fmt.Sprintf("steps %d to %d", c.FirstStep, c.LastStep)
}

// textDistribution draws both histograms on one axis and scale, with their moments below.
func (c *Charts) textDistribution() []string {
	limit, original, processed, tallest := c.bins(plotColumns)
	var lines []string
	for row := range plotRows {
		lines = append(lines, plotRow(original, tallest, plotRows-1-row, []rune("▁▂▃▄▅▆▇█")))
	}
	half := strings.Repeat("─", plotColumns/2)
	lines = append(lines, half+"┼"+half)
	for row := range plotRows {
		lines = append(lines, plotRow(processed, tallest, row, []rune("▔▀█")))
	}
	end := units.Short(limit)
	gap := plotColumns/2 - 1 - utf8.RuneCountInString(end)
	lines = append(trimBlank(lines), "−"+end+strings.Repeat(" ", gap)+"0"+strings.Repeat(" ", gap)+"+"+end)
	return append(lines, momentsText("original", c.Original), momentsText("processed", c.Processed))
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

// trimBlank removes blank lines at both ends.
func trimBlank(lines []string) []string {
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func momentsText(name string, h *histogram) string {
	if h.N == h.NotFinite {
		return fmt.Sprintf("%-10s none", name)
	}
	text := fmt.Sprintf("%-10s %s samples, %s of them 0 and not drawn; mean %s  std %s  largest %s", name,
		units.Count(h.N), units.Count(h.Zeros), strings.TrimSpace(units.Signed(h.Mean())), units.Fixed(h.Std(), 2), units.Fixed(h.MaxAbs, 2))
	if h.NotFinite > 0 {
		text += fmt.Sprintf("  not numbers %s", units.Count(h.NotFinite))
	}
	return text
}

// textTrends draws each figure as a sparkline between its minimum and maximum.
func (c *Charts) textTrends() []string {
	w := len(c.Trends[0].Values)
	head := fmt.Sprintf("%-*s", max(w, 2*maxPoints/3), fmt.Sprintf("%d … %d", c.FirstStep, c.LastStep))
	lines := []string{fmt.Sprintf("over the steps  %s %8s %8s %8s %8s", head, "first", "newest", "least", "most")}
	for _, l := range c.Trends {
		if l.hasValue() {
			lines = append(lines, fmt.Sprintf("  %-13s %-*s %8s %8s %8s %8s", l.Name, utf8.RuneCountInString(head), sparkline(l),
				units.Short(l.First), units.Short(l.Last), units.Short(l.Min), units.Short(l.Max)))
		}
	}
	return lines
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

// textSolved draws a bar per solve rate.
func (c *Charts) textSolved() []string {
	tallest, all := c.solvedTotals()
	var lines []string
	for i, name := range solveBinNames() {
		n := c.Solved[i].Count
		lines = append(lines, fmt.Sprintf("%-13s %-*s %s", name, barColumns, horizontalBar(n/max(1, tallest)), units.Fraction(int(n), int(all))))
	}
	return lines
}

// solveBinNames returns labels for the bins of model.SolveNames.
func solveBinNames() []string {
	return []string{"none", "up to 25 %", "up to 50 %", "up to 75 %", "below all", "all"}
}

// horizontalBar draws a share of barColumns, to an eighth of a character.
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

package report

import (
	"math"
	"slices"

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

func (c *Charts) add(s *analysis.Summary, a *analysis.Analysis) {
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
	value                 func(*analysis.Summary, *analysis.Analysis) float64 // instead of metric; nil where that is a metric
	sums                  []float64
	counts                []int
}

// of returns the figure of a step, NaN if it has none. a is nil of a step whose samples are not there.
func (l *trendLine) of(s *analysis.Summary, a *analysis.Analysis) float64 {
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

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

func newCharts(r *Report, scales []model.RewardScale) *Charts {
	c := &Charts{Original: newHistogram(), Processed: newHistogram(), Trends: mainTrends(), SolvedAt: solvedReward(scales), stepCount: len(r.Snap.Steps)}
	for i := range c.Trends {
		c.Trends[i].reset(c.stepCount)
	}
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
	for i := range c.Trends {
		c.Trends[i].add(at, c.stepCount, s.Metric(c.Trends[i].metric))
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

// maxPoints is the most points of a trend: with more steps a point is the mean of several.
const maxPoints = 48

// trendLine is a figure over the steps of a run.
type trendLine struct {
	Name                  string
	Values                []float64 // NaN where no step has a value
	First, Last, Min, Max float64
	metric                string
	sums                  []float64
	counts                []int
}

func (l *trendLine) reset(steps int) {
	n := max(1, min(maxPoints, steps))
	l.First, l.Last, l.Min, l.Max = math.NaN(), math.NaN(), math.Inf(1), math.Inf(-1)
	l.Values, l.sums, l.counts = make([]float64, n), make([]float64, n), make([]int, n)
	for i := range l.Values {
		l.Values[i] = math.NaN()
	}
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

// Rebin returns the counts in n bins from -limit to limit.
func (h *histogram) Rebin(limit float64, n int) []int {
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
	limit = c.AxisLimit()
	original, processed = c.Original.Rebin(limit, n), c.Processed.Rebin(limit, n)
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

// AxisLimit returns a round number that no advantage of either distribution exceeds.
func (c *Charts) AxisLimit() float64 {
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

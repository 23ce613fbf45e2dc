package report

import (
	"math"

	"vantage/model"
)

// Charts are what is drawn of a run: how the advantages lie before and after the filter, how
// the main figures go over the steps, and how many groups solve how much. They are
// gathered step by step, in as much memory for any number of steps.
type Charts struct {
	Original, Processed *histogram // processed: of the kept samples only
	Trends              []trendLine
	Solved              []bar
	FirstStep, LastStep int64 // step
	Steps               int
	Best                float64 // what a solved sample has

	hasSamples bool // the advantages of each sample were seen, not only the figures
	stepIndex  int
	stepCount  int
}

// bar is one of a few counts.
type bar struct {
	Name  string
	Count float64
}

// The main figures, under the words of the screen.
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

func newCharts(r *Report) *Charts {
	_, best := r.Snap.RewardRange(r.Settings)
	c := &Charts{Original: newHistogram(), Processed: newHistogram(), Trends: mainTrends(), Best: best, stepCount: len(r.Snap.Steps)}
	for i := range c.Trends {
		c.Trends[i].begin(c.stepCount)
	}
	for _, name := range model.SolveNames() {
		c.Solved = append(c.Solved, bar{Name: name})
	}
	return c
}

func (c *Charts) add(s *model.Summary, a *model.Analysis) {
	at := c.stepIndex
	c.stepIndex++
	if s.Open { // half a step would bend a line
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

// maxPoints is how many points a line has at most: beyond it a point is the mean of
// several steps.
const maxPoints = 48

// trendLine is a figure over the steps.
type trendLine struct {
	Name                  string
	Values                []float64 // NaN where there is none
	First, Last, Min, Max float64
	metric                string
	sums                  []float64
	counts                []int
}

func (l *trendLine) begin(steps int) {
	n := max(1, min(maxPoints, steps))
	l.First, l.Last, l.Min, l.Max = math.NaN(), math.NaN(), math.Inf(1), math.Inf(-1)
	l.Values, l.sums, l.counts = make([]float64, n), make([]float64, n), make([]int, n)
	for i := range l.Values {
		l.Values[i] = math.NaN()
	}
}

// add takes the figure of step at, of so many.
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

// hasValue reports whether some step has the figure.
func (l *trendLine) hasValue() bool { return l.Last == l.Last }

// histogramBins is how finely a histogram counts: many times finer than it is drawn.
const histogramBins = 2048

// histogram counts values in equal bins over a range about 0 that doubles when a value
// lies outside it, so that it needs not know what is to come. Exact zeros are counted
// apart: groups without signal put so many into one bin that nothing else would be seen.
type histogram struct {
	N, Zeros, NotFinite int // all, those that are 0, those that are no numbers
	Sum, SumSquares     float64
	MaxAbs              float64 // by size
	limit               float64 // the range is from -half to half
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

// widen doubles the range: two bins become one, in the middle half.
func (h *histogram) widen() {
	wide := make([]int, histogramBins)
	for i, n := range h.counts {
		wide[histogramBins/4+i/2] += n
	}
	h.limit, h.counts = 2*h.limit, wide
}

// Rebin are the counts in n bins from -half to half.
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

// Mean and Std are of all that are numbers, zeros too; Std with n-1.
func (h *histogram) Mean() float64 { return h.Sum / float64(h.N-h.NotFinite) }

// Std is the spread about the mean.
func (h *histogram) Std() float64 {
	n := float64(h.N - h.NotFinite)
	return math.Sqrt(max(0, h.SumSquares-h.Sum*h.Sum/n) / (n - 1))
}

// AxisLimit is how far an axis about 0 goes that holds both distributions: a number that a
// person reads easily.
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

package scalars

import (
	"cmp"
	"math"
	"slices"

	"vantage/model"
	"vantage/model/diagnosis"
)

// Statistics that outliers and odd distributions do not mislead: ranks and medians. Sums of squares appear in Bend alone, on medians.

// sigmaOfMAD turns a median absolute deviation into a standard deviation, of a normal distribution: 1/Φ⁻¹(3/4).
const sigmaOfMAD = 1.4826

// Noise is the standard deviation of the noise between neighbours, by the median of their absolute differences: a trend does not count.
func Noise(values []float64) float64 {
	if len(values) < 2 {
		return 0
	}
	steps := make([]float64, len(values)-1)
	for i := range steps {
		steps[i] = math.Abs(values[i+1] - values[i])
	}
	return sigmaOfMAD * diagnosis.Median(steps) / math.Sqrt2
}

// Window is over how many points a level is taken: a tenth of the series, at least 3 and at most 50.
func Window(n int) int { return min(max(n/10, 3), 50) }

// Smooth returns the running median over a window of odd width around each point, cut at the ends.
func Smooth(values []float64, width int) []float64 {
	smooth := make([]float64, len(values))
	for i := range values {
		smooth[i] = diagnosis.Median(values[max(0, i-width/2):min(len(values), i+width/2+1)])
	}
	return smooth
}

// Blocks returns medians of at most so many blocks of neighbours of about equal size, and the middle of each as an index: by a share of
// the points, noise that lasts some steps no longer looks like many witnesses.
func Blocks(values []float64, most int) (middle, medians []float64) {
	n := min(len(values), most)
	for k := range n {
		lo, hi := k*len(values)/n, (k+1)*len(values)/n
		middle, medians = append(middle, float64(lo+hi-1)/2), append(medians, diagnosis.Median(values[lo:hi]))
	}
	return middle, medians
}

// Trend is whether values rise or fall.
type Trend struct {
	Change float64 // from the first to the last value, by the slope of Theil (1950) and Sen (1968): the median of all pairs' slopes
	Z      float64 // of Mann (1945) and Kendall (1975), with ties: positive if they rise
	P      float64 // of no trend, for both directions
}

// trendBlocks is how many medians a trend is taken of: Mann–Kendall takes values for independent, and those of neighbouring steps are not.
const trendBlocks = 48

// TrendOf returns the trend of values in order, none of fewer than 3.
func TrendOf(values []float64) Trend {
	x, y := Blocks(values, trendBlocks)
	n := len(y)
	if n < 3 {
		return Trend{P: 1}
	}
	var slopes []float64
	s := 0.0
	for i := range n {
		for k := range i {
			slopes = append(slopes, (y[i]-y[k])/(x[i]-x[k]))
			s += float64(cmp.Compare(y[i], y[k]))
		}
	}
	t := Trend{Change: diagnosis.Median(slopes) * float64(len(values)-1), P: 1}
	variance := float64(n*(n-1)*(2*n+5)) - tieSum(y, func(t float64) float64 { return t * (t - 1) * (2*t + 5) })
	if variance > 0 && s != 0 {
		t.Z = (s - float64(cmp.Compare(s, 0))) / math.Sqrt(variance/18)
		t.P = twoSided(t.Z)
	}
	return t
}

// twoSided is the chance of a normal value at least so far from 0.
func twoSided(z float64) float64 { return math.Erfc(math.Abs(z) / math.Sqrt2) }

func tieSum(values []float64, f func(t float64) float64) (sum float64) {
	sorted := slices.Sorted(slices.Values(values))
	for from, i := 0, 1; i <= len(sorted); i++ {
		if i == len(sorted) || sorted[i] != sorted[from] {
			sum += f(float64(i - from))
			from = i
		}
	}
	return sum
}

// Shift is the place at which values change their level.
type Shift struct {
	At int     // index of the first value after it
	P  float64 // of no change anywhere: that all places were tried is counted in it
}

// ShiftOf returns the likeliest change of level: Pettitt (1979), by ranks, with his bound of p. A steady trend has one too, in its middle.
func ShiftOf(values []float64) Shift {
	n := len(values)
	if n < 4 {
		return Shift{P: 1}
	}
	order := model.Indexes(n)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[a], values[b]) })
	rank := make([]float64, n)
	for from, i := 0, 1; i <= n; i++ {
		if i == n || values[order[i]] != values[order[from]] {
			for _, k := range order[from:i] {
				rank[k] = float64(from+i+1) / 2 // mean rank of equals, from 1
			}
			from = i
		}
	}
	best, u := Shift{P: 1}, 0.0
	most := 0.0
	for i := range n - 1 {
		if u += 2*rank[i] - float64(n+1); math.Abs(u) > most {
			most, best.At = math.Abs(u), i+1
		}
	}
	m := float64(n)
	best.P = min(1, 2*math.Exp(-6*most*most/(m*m*m+m*m)))
	return best
}

// Bend is where a course of values turns into a steeper one.
type Bend struct {
	At            float64 // index, between points
	Before, After float64 // slopes, per point
	P             float64 // of a straight line: that all places were tried is counted in it
}

// bendBlocks is how many medians a bend is sought in.
const bendBlocks = 40

// BendOf returns the place at which two lines that meet fit better than one: least squares on medians, and the ratio of likelihoods with
// Bonferroni's factor for the places tried. It is the middle of the series, with p = 1, if there are too few values.
func BendOf(values []float64) Bend {
	x, y := Blocks(values, bendBlocks)
	n := len(y)
	best := Bend{At: float64(len(values)) / 2, P: 1}
	const margin = 2 // blocks at each end
	if n < 4*margin {
		return best
	}
	_, straight := line(x, y, math.Inf(1))
	least := math.Inf(1)
	for k := margin; k < n-margin; k++ {
		slopes, squares := line(x, y, x[k])
		if squares < least {
			least, best.At, best.Before, best.After = squares, x[k], slopes[0], slopes[0]+slopes[1]
		}
	}
	if least > 0 && straight > 0 {
		ratio := float64(n) * math.Log(straight/least)
		best.P = min(1, float64(n-2*margin)*twoSided(math.Sqrt(max(0, ratio))))
	} else if straight > 0 {
		best.P = 0
	}
	return best
}

// line fits y = c + a·x + b·max(0, x − knee) by least squares, without b if the knee is infinite, and returns a, b and the sum of squares.
func line(x, y []float64, knee float64) (slopes [2]float64, squares float64) {
	n := float64(len(x))
	var mx, mh, my float64
	hinge := func(v float64) float64 { return max(0, v-knee) }
	for i := range x {
		mx, mh, my = mx+x[i]/n, mh+hinge(x[i])/n, my+y[i]/n
	}
	var xx, xh, hh, xy, hy float64
	for i := range x {
		dx, dh, dy := x[i]-mx, hinge(x[i])-mh, y[i]-my
		xx, xh, hh, xy, hy = xx+dx*dx, xh+dx*dh, hh+dh*dh, xy+dx*dy, hy+dh*dy
	}
	if det := xx*hh - xh*xh; hh > 0 && det > 0 {
		slopes = [2]float64{(xy*hh - hy*xh) / det, (hy*xx - xy*xh) / det}
	} else if xx > 0 {
		slopes[0] = xy / xx
	}
	for i := range x {
		d := y[i] - my - slopes[0]*(x[i]-mx) - slopes[1]*(hinge(x[i])-mh)
		squares += d * d
	}
	return slopes, squares
}

// Differ is the chance that two lists of values come from one distribution, by the sum of ranks (Mann and Whitney 1947, normal
// approximation with ties), and whether the second is the higher.
func Differ(before, after []float64) (p float64, higher bool) {
	a, b := float64(len(before)), float64(len(after))
	if a < 3 || b < 3 {
		return 1, false
	}
	sortedBefore := slices.Sorted(slices.Values(before))
	u := 0.0 // pairs in which the second is higher; a half of those that are equal
	for _, x := range after {
		below, _ := slices.BinarySearch(sortedBefore, x)
		above, _ := slices.BinarySearch(sortedBefore, math.Nextafter(x, math.Inf(1)))
		u += float64(below+above) / 2
	}
	n := a + b
	ties := tieSum(slices.Concat(before, after), func(t float64) float64 { return t*t*t - t })
	variance := a * b / 12 * (n + 1 - ties/(n*(n-1)))
	if variance <= 0 {
		return 1, false
	}
	far := max(0, math.Abs(u-a*b/2)-0.5)
	return twoSided(far / math.Sqrt(variance)), u > a*b/2
}

// course is a series as detectors look at it: at most coursePoints medians, and their running median.
type course struct {
	*Series            // as logged
	steps   []int64    // of the values
	values  []float64  // the series, or medians of neighbours if it has more than coursePoints points
	smooth  []float64  // running median over the window
	window  int        // points of a level
	noise   float64    // of neighbours
	scale   float64    // what a gain is measured by: 1 for a rate of success
	each    int        // points of the series in a value
	spread  [2]float64 // least and greatest of smooth
}

// coursePoints bounds the work: a change in a run of 100,000 steps is still placed to 0.05 % of it.
const coursePoints = 2000

// rateLimit is the greatest mean reward that is still taken for a rate of success with a bonus, as for the format.
const rateLimit = 1.3

// newCourse is nil if there is no series.
func newCourse(s *Series) *course {
	if s == nil {
		return nil
	}
	c := &course{Series: s, steps: s.Steps, values: s.Values, each: 1}
	if n := len(s.Values); n > coursePoints {
		_, c.values = Blocks(s.Values, coursePoints)
		c.each, c.steps = n/coursePoints, nil
		for k := range coursePoints {
			c.steps = append(c.steps, s.Steps[k*n/coursePoints])
		}
	}
	n := len(c.values)
	c.window = Window(n)
	c.smooth, c.noise = Smooth(c.values, c.window|1), Noise(c.values)
	c.spread = [2]float64{slices.Min(c.smooth), slices.Max(c.smooth)}
	if c.scale = max(math.Abs(c.spread[0]), math.Abs(c.spread[1])); c.scale <= rateLimit {
		c.scale = 1
	}
	return c
}

// start is the level of a quarter of the first window, since much may change in the whole, and end that of the last window.
func (c *course) start() float64 { return c.startFrom(0) }

// first is the level of the first values alone: what falls within a hundredth of the run is gone in any longer level.
func (c *course) first() float64 { return diagnosis.Median(c.values[:min(3, len(c.values))]) }

// startFrom is the level of as many values from an index on.
func (c *course) startFrom(i int) float64 {
	return diagnosis.Median(c.values[i:min(i+max(3, c.window/4), len(c.values))])
}
func (c *course) end() float64 { return c.endFrom(0) }

// endFrom is end, of no values before an index.
func (c *course) endFrom(i int) float64 {
	n := len(c.values)
	return diagnosis.Median(c.values[min(max(i, n-c.window), n-1):])
}

// at returns the index of the first value at or after a step, the last one if there is none.
func (c *course) at(step int64) int {
	i, _ := slices.BinarySearch(c.steps, step)
	return min(i, len(c.steps)-1)
}

// stayShare is the share of later values for which something must hold to be said to stay so: noise crosses a limit back and forth.
const stayShare = 0.9

// stays returns the first index from which the smooth course holds to the end, -1 if it does not hold at the end.
func (c *course) stays(from int, holds func(x float64) bool) int {
	first, n := -1, 0
	for i := len(c.smooth) - 1; i >= from; i-- {
		if !holds(c.smooth[i]) {
			continue
		}
		n++
		if float64(n) >= stayShare*float64(len(c.smooth)-i) {
			first = i
		}
	}
	if !holds(c.end()) {
		return -1
	}
	return first
}

// What a gain must be to matter: a twentieth of the scale, and more than noise makes of two levels.
const (
	gainShare  = 0.05
	gainNoises = 3
)

func (c *course) matters() float64 { return max(gainShare*c.scale, c.ofNoise()) }

// ofNoise is more than noise makes of the difference of two levels.
func (c *course) ofNoise() float64 { return gainNoises * c.noise * math.Sqrt(2/float64(c.window)) }

// rareGain is the chance below which a trend is taken for one.
const rareGain = 0.01

// change returns by how much the course changes from an index to the end: between levels.
func (c *course) change(from int) float64 {
	before := c.smooth[min(from, len(c.smooth)-1)]
	if from < c.window {
		before = c.startFrom(from) // the smooth course is that of many later values there
	}
	return c.endFrom(from) - before
}

// gains reports whether the course gains from an index on: by what matters, or, where it was close to nothing, by half as much again and
// more than its noise.
func (c *course) gains(from int) bool {
	by := c.change(from)
	if by >= c.matters() {
		return true
	}
	t := TrendOf(c.values[from:])
	if t.Z <= 0 || t.P > rareGain {
		return false
	}
	level := c.smooth[from]
	return t.Change >= c.matters() || level > 0 && t.Change >= max(level/2, c.noise)
}

// falls reports whether the course falls from an index on: by what matters, or, where it was close to nothing, by a third.
func (c *course) falls(from int) bool {
	by := -c.change(from)
	if by >= c.matters() {
		return true
	}
	before := c.values[max(0, from-c.window):max(from, min(c.window, len(c.values)))]
	p, higher := Differ(before, c.values[max(from, len(c.values)-c.window):])
	return !higher && p <= rareGain && by >= math.Abs(c.smooth[from])/3
}

// restShare is how much of a run must be without a gain: a steady rise has a tenth of its gain in its last tenth.
const restShare = 0.2

// stalls returns the first index from which the course no longer gains, and whether enough of it follows to say so.
func (c *course) stalls() (from int, ok bool) {
	n := len(c.values)
	last := int((1 - restShare) * float64(n))
	for from = 0; from <= last; from += max(1, n/100) {
		if !c.gains(from) {
			return from, true
		}
	}
	return 0, false
}

func (c *course) evidence(name string, share bool, before, after [2]int) diagnosis.Evidence {
	e := diagnosis.Evidence{Name: name, Share: share, Of: "values", AfterSamples: (after[1] - after[0]) * c.each}
	e.After, e.AfterFrom, e.AfterTo = diagnosis.Median(c.values[after[0]:after[1]]), c.steps[after[0]], c.steps[after[1]-1]
	if before[1] > before[0] {
		e.BeforeSamples = (before[1] - before[0]) * c.each
		e.Before, e.BeforeFrom, e.BeforeTo = diagnosis.Median(c.values[before[0]:before[1]]), c.steps[before[0]], c.steps[before[1]-1]
	}
	return e
}

// ends is the evidence of the first window and the last one, or of those before and after an index. What is so from the beginning has
// nothing before it.
func (c *course) ends(name string, share bool, around int) diagnosis.Evidence {
	n := len(c.values)
	before, after := [2]int{max(0, around-c.window), around}, [2]int{max(around, n-c.window), n}
	if before[1] > after[0] {
		before = [2]int{}
	}
	return c.evidence(name, share, before, after)
}

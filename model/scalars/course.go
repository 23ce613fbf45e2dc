package scalars

import (
	"math"
	"slices"

	"vantage/model/diagnosis"
)

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

func newCourse(s *Series) *course {
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
func (c *course) start() float64 {
	return diagnosis.Median(c.values[:min(max(3, c.window/4), len(c.values))])
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

func (c *course) matters() float64 {
	return max(gainShare*c.scale, gainNoises*c.noise*math.Sqrt(2/float64(c.window)))
}

// rareGain is the chance below which a trend is taken for one.
const rareGain = 0.01

// change returns by how much the course changes from an index to the end: between levels.
func (c *course) change(from int) float64 {
	before := c.smooth[min(from, len(c.smooth)-1)]
	if from < c.window {
		before = c.start()
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
	before, after := [2]int{0, min(c.window, n)}, [2]int{max(around, n-c.window), n}
	if around > c.window {
		before = [2]int{around - c.window, around}
	}
	if before[1] > after[0] || around == 0 {
		before = [2]int{}
	}
	return c.evidence(name, share, before, after)
}

package report

import (
	"math"
	"slices"

	"vantage/model/units"
)

// plotAxis is the upright axis of a chart.
type plotAxis struct {
	lo, hi float64
	step   float64
	ticks  []float64 // round values on the axis, ascending
}

// newPlotAxis returns an axis that holds lo and hi, which are finite, and ends at round values. What lies close to 0
// begins there.
func newPlotAxis(lo, hi float64) plotAxis {
	if lo > 0 && lo < hi/4 {
		lo = 0
	}
	a := plotAxis{lo: lo, hi: hi}
	if !(hi-lo > 0 && hi-lo < math.MaxFloat64/4) { // the difference of two is beyond numbers, or nothing
		return a
	}
	step := roundTick(hi-lo, 4)
	if !(step > 0) { // the values are too small for a round one
		return a
	}
	a.step = step
	first, last := math.Floor(lo/a.step+1e-9), math.Ceil(hi/a.step-1e-9)
	a.lo, a.hi = first*a.step, last*a.step
	for n := first; n <= last && len(a.ticks) <= 8; n++ {
		a.ticks = append(a.ticks, n*a.step)
	}
	return a
}

// roundTick returns 1, 2 or 5 times a power of ten, so that a span has about n of it.
func roundTick(span float64, n int) float64 {
	if !(span > 0) {
		return 1
	}
	rough := span / float64(n)
	unit := math.Pow(10, math.Floor(math.Log10(rough))) // 0 if that is too small for a number
	for _, part := range []float64{1, 2, 5} {
		if rough <= part*unit*(1+1e-9) {
			return part * unit
		}
	}
	return 10 * unit
}

// y returns where a value is drawn.
func (a plotAxis) y(v float64) float64 {
	if a.step == 0 {
		return (plotTop + plotBottom) / 2
	}
	return plotBottom - (v-a.lo)/(a.hi-a.lo)*(plotBottom-plotTop)
}

// labels returns the ticks as text: with the decimals of the step or, where they are large or tiny, in short, unless
// two would be the same.
func (a plotAxis) labels() []string {
	decimals := max(0, -int(math.Floor(math.Log10(a.step)+1e-9)))
	short, full := make([]string, len(a.ticks)), make([]string, len(a.ticks))
	for i, v := range a.ticks {
		short[i], full[i] = units.Brief(v), units.Fixed(v, min(decimals, 15))
	}
	isReadable := max(-a.lo, a.hi) < 1000 && a.hi-a.lo >= 1e-3
	if isReadable || len(slices.Compact(slices.Clone(short))) < len(short) {
		return full
	}
	return short
}

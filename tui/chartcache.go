package tui

import (
	"math"

	"vantage/model"
	"vantage/tui/chart"
	"vantage/tui/layout"
)

// measured is what a look at all samples of the step gives: it is taken once for each
// change of what is shown, and every frame draws from it.
type measured struct {
	of       occasion
	axis     chart.Axis // of the strips
	spread   distribution
	chosen   bool            // spread is on the screen, not the advantages
	up, down chart.Histogram // above and below the axis
	largest  float64         // processed |A| of the groups in sight
}

// occasion is all that a measure depends on.
type occasion struct {
	analysis, base *model.Analysis
	shown          *bool // the first sample's: a filter makes a new list
	figure         string
	width          int
}

// measure returns what is known for charts of a width.
func (a App) measure(width int) measured {
	x := a.result.analysis
	of := occasion{analysis: x, base: a.against(), figure: a.place.spread.figure, width: width}
	if len(a.result.shown) > 0 {
		of.shown = &a.result.shown[0]
	}
	if of == a.result.measured.of {
		return a.result.measured
	}
	m := measured{of: of, axis: chart.SymmetricAxis(max(x.Before, x.After)), largest: a.largest()}
	if m.spread, m.chosen = a.distribution(); m.chosen {
		return a.measureChosen(m)
	}
	m.spread.above = x.Original
	axis, above := m.axis, a.shownOf(nil)
	if of.base != nil {
		axis = chart.SymmetricAxis(max(of.base.After, x.After))
		m.spread.above, above = of.base.ProcessedKept(), a.shownOf(of.base.Keep.Between(0, x.Rows))
	}
	if m.up = a.result.measured.up; !a.result.measured.sameAbove(m) {
		m.up = chart.Bin(axis, width, m.spread.above, above)
	}
	m.down = a.processed(m)
	return m
}

// measureChosen bins the figure that was chosen.
func (a App) measureChosen(m measured) measured {
	axis, above := rangeOf(m.spread.above), a.shownOf(nil)
	if m.spread.everywhere {
		above = nil
	}
	m.up = chart.BinWithZeros(axis, m.of.width, m.spread.above, above)
	m.down = chart.BinWithZeros(axis, m.of.width, m.spread.below, a.shownOf(m.spread.use))
	return m
}

// processed bins the advantages of what is kept, by the shortest way.
func (a App) processed(m measured) chart.Histogram {
	x := a.result.analysis
	axis, width := m.up.Axis, m.of.width
	anew, differ := x.Anew()
	switch {
	case m.of.base == nil && !x.Settings.Filtering():
		return m.up
	case m.of.shown == nil && differ && x.Kept > 0:
		return chart.BinValues(axis, width, anew).SubtractZeros(x.Rows - x.Kept) // those that are dropped
	case m.of.shown == nil && !differ && m.of.base == nil:
		return m.up.Masked(x.Original, x.Keep, x.Kept)
	}
	return chart.Bin(axis, width, x.ProcessedKept(), a.shownOf(x.Keep.Between(0, x.Rows)))
}

// sameColumn reports whether two columns are one.
func sameColumn(a, b []float64) bool { return len(a) == len(b) && len(a) > 0 && &a[0] == &b[0] }

// sameAbove reports whether what is drawn above the axis is what was: a key that changes
// only the filter leaves it.
func (m measured) sameAbove(next measured) bool {
	return !m.chosen && !next.chosen && m.of.base == nil && next.of.base == nil &&
		m.of.width == next.of.width && m.of.shown == next.of.shown && m.axis == next.axis && sameColumn(m.spread.above, next.spread.above)
}

// rangeOf is an axis from the least to the greatest value.
func rangeOf(values []float64) chart.Axis {
	lo, hi := chart.Range(values)
	if lo >= hi {
		lo, hi = lo-0.5, hi+0.5
	}
	return chart.Axis{Lo: lo, Hi: hi}
}

func (a App) largest() float64 {
	if a.result.shown == nil {
		return a.result.analysis.After
	}
	largest := 0.0
	x := a.result.analysis
	for i, v := range x.ProcessedKept() {
		if m := math.Abs(v); m > largest && a.result.shown[i] && x.Keep.At(i) {
			largest = m
		}
	}
	return largest
}

// measureNow keeps what the screen is about to draw from.
func (a App) measureNow() App {
	if a.result.analysis != nil {
		a.result.measured = a.measure(a.chartWidth())
	}
	return a
}

// chartWidth is that of the pane of distributions.
func (a App) chartWidth() int { return oddWidth(a.screen().Panes[layout.Advantages].Inner().W) }

package tui

import (
	"math"

	"vantage/model"
	"vantage/tui/chart"
	"vantage/tui/layout"
)

// chartCache is what a look at all samples of the step gives: it is taken once for each
// change of what is shown, and every frame draws from it.
type chartCache struct {
	key          chartKey
	axis         chart.Axis // of the strips
	distribution distribution
	hasFigure    bool            // spread is on the screen, not the advantages
	upper, lower chart.Histogram // above and below the axis
	maxAbs       float64         // processed |A| of the groups in sight
}

// chartKey is all that a measure depends on.
type chartKey struct {
	analysis, base *model.Analysis
	shown          *bool // the first sample's: a filter makes a new list
	figure         string
	width          int
}

// chartsFor returns what is known for charts of a width.
func (a App) chartsFor(width int) chartCache {
	x := a.result.analysis
	of := chartKey{analysis: x, base: a.baselineAnalysis(), figure: a.position.distribution.figure, width: width}
	if len(a.result.shownSamples) > 0 {
		of.shown = &a.result.shownSamples[0]
	}
	if of == a.result.charts.key {
		return a.result.charts
	}
	m := chartCache{key: of, axis: chart.SymmetricAxis(max(x.Before, x.After)), maxAbs: a.maxShownAdvantage()}
	if m.distribution, m.hasFigure = a.chosenDistribution(); m.hasFigure {
		return a.figureCharts(m)
	}
	m.distribution.above = x.Original
	axis, above := m.axis, a.onlyShown(nil)
	if of.base != nil {
		axis = chart.SymmetricAxis(max(of.base.After, x.After))
		m.distribution.above, above = of.base.ProcessedKept(), a.onlyShown(of.base.Keep.Between(0, x.Rows))
	}
	if m.upper = a.result.charts.upper; !a.result.charts.sameUpper(m) {
		m.upper = chart.Bin(axis, width, m.distribution.above, above)
	}
	m.lower = a.lowerHistogram(m)
	return m
}

// figureCharts bins the figure that was chosen.
func (a App) figureCharts(m chartCache) chartCache {
	axis, above := valueAxis(m.distribution.above), a.onlyShown(nil)
	if m.distribution.perGroup {
		above = nil
	}
	m.upper = chart.BinWithZeros(axis, m.key.width, m.distribution.above, above)
	m.lower = chart.BinWithZeros(axis, m.key.width, m.distribution.below, a.onlyShown(m.distribution.keep))
	return m
}

// lowerHistogram bins the advantages of what is kept, by the shortest way.
func (a App) lowerHistogram(m chartCache) chart.Histogram {
	x := a.result.analysis
	axis, width := m.upper.Axis, m.key.width
	anew, differ := x.Anew()
	switch {
	case m.key.base == nil && !x.Settings.Filtering():
		return m.upper
	case m.key.shown == nil && differ && x.Kept > 0:
		return chart.BinValues(axis, width, anew).SubtractZeros(x.Rows - x.Kept) // those that are dropped
	case m.key.shown == nil && !differ && m.key.base == nil:
		return m.upper.Masked(x.Original, x.Keep, x.Kept)
	}
	return chart.Bin(axis, width, x.ProcessedKept(), a.onlyShown(x.Keep.Between(0, x.Rows)))
}

// sameColumn reports whether two columns are one.
func sameColumn(a, b []float64) bool { return len(a) == len(b) && len(a) > 0 && &a[0] == &b[0] }

// sameUpper reports whether what is drawn above the axis is what was: a key that changes
// only the filter leaves it.
func (m chartCache) sameUpper(next chartCache) bool {
	return !m.hasFigure && !next.hasFigure && m.key.base == nil && next.key.base == nil &&
		m.key.width == next.key.width && m.key.shown == next.key.shown && m.axis == next.axis && sameColumn(m.distribution.above, next.distribution.above)
}

// valueAxis is an axis from the least to the greatest value.
func valueAxis(values []float64) chart.Axis {
	lo, hi := chart.Range(values)
	if lo >= hi {
		lo, hi = lo-0.5, hi+0.5
	}
	return chart.Axis{Lo: lo, Hi: hi}
}

func (a App) maxShownAdvantage() float64 {
	if a.result.shownSamples == nil {
		return a.result.analysis.After
	}
	largest := 0.0
	x := a.result.analysis
	for i, v := range x.ProcessedKept() {
		if m := math.Abs(v); m > largest && a.result.shownSamples[i] && x.Keep.At(i) {
			largest = m
		}
	}
	return largest
}

// updateChartCache keeps what the screen is about to draw from.
func (a App) updateChartCache() App {
	if a.result.analysis != nil {
		a.result.charts = a.chartsFor(a.chartWidth())
	}
	return a
}

// chartWidth is that of the pane of distributions.
func (a App) chartWidth() int { return oddWidth(a.screen().Panes[layout.Advantages].Inner().W) }

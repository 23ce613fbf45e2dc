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
	m := chartCache{key: of, axis: chart.SymmetricAxis(max(maxAbs(x.Original), maxAbs(x.Processed))), maxAbs: a.maxShownAdvantage()}
	if m.distribution, m.hasFigure = a.chosenDistribution(); m.hasFigure {
		return a.figureCharts(m)
	}
	axis, above := m.axis, a.onlyShown(nil)
	m.distribution.above = x.Original
	if of.base != nil {
		axis = chart.SymmetricAxis(max(maxAbs(of.base.Processed), maxAbs(x.Processed)))
		m.distribution.above, above = of.base.Processed, a.onlyShown(of.base.Keep)
	}
	m.upper = chart.Bin(axis, width, m.distribution.above, above)
	m.lower = chart.Bin(axis, width, x.Processed, a.onlyShown(x.Keep))
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

// valueAxis is an axis from the least to the greatest value.
func valueAxis(values []float64) chart.Axis {
	lo, hi := chart.Range(values)
	if lo >= hi {
		lo, hi = lo-0.5, hi+0.5
	}
	return chart.Axis{Lo: lo, Hi: hi}
}

// maxAbs is the largest finite |x|, 0 if there is none.
func maxAbs(values []float64) float64 {
	largest := 0.0
	for _, x := range values {
		if size := math.Abs(x); size > largest && size <= math.MaxFloat64 {
			largest = size
		}
	}
	return largest
}

// maxShownAdvantage is the largest processed |A| of the groups in sight.
func (a App) maxShownAdvantage() float64 {
	x := a.result.analysis
	if a.result.shownSamples == nil {
		return maxAbs(x.Processed)
	}
	largest := 0.0
	for i, v := range x.Processed {
		if m := math.Abs(v); m > largest && a.result.shownSamples[i] && x.Keep[i] {
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

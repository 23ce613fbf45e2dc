package tui

import (
	"math"
	"slices"

	"vantage/model/analysis"
	"vantage/tui/chart"
	"vantage/tui/layout"
)

// chartCache is what charts need from all samples of the step: computed once for each
// change of what is shown, and drawn from by every frame.
type chartCache struct {
	key          chartKey
	axis         chart.Axis   // of the dot plots
	distribution distribution // its name is empty for the advantages
	hasFigure    bool         // the distribution is another one than that of the advantages
	upper, lower chart.Histogram
	whole        bool    // all values are whole numbers, and bins have whole bounds
	maxAbs       float64 // the largest processed |A| of the groups shown
}

// chartKey is all that a chartCache depends on.
type chartKey struct {
	analysis, base *analysis.Analysis
	shown          *bool // the first element of shownSamples: a filter makes a new slice
	figure         string
	width          int
}

// chartsFor returns the cache if it is for charts of that width, else a new one.
func (a App) chartsFor(width int) chartCache {
	x := a.result.analysis
	key := chartKey{analysis: x, base: a.baselineAnalysis(), figure: a.panes.distribution.figure, width: width}
	if len(a.result.shownSamples) > 0 {
		key.shown = &a.result.shownSamples[0]
	}
	if key == a.result.charts.key {
		return a.result.charts
	}
	m := chartCache{key: key, axis: chart.SymmetricAxis(max(maxAbs(x.Original), maxAbs(x.Processed))), maxAbs: a.maxShownAdvantage()}
	if m.distribution, m.hasFigure = a.chosenDistribution(); m.hasFigure {
		return a.figureCharts(m)
	}
	axis, above := m.axis, a.onlyShown(nil)
	m.distribution = distribution{above: x.Original, below: x.Processed, keep: x.Keep, field: "sample.adv", fieldBelow: "sample.new"}
	if key.base != nil {
		axis = chart.SymmetricAxis(max(maxAbs(key.base.Processed), maxAbs(x.Processed)))
		m.distribution.above, m.distribution.field = key.base.Processed, "" // no field of a filter has the baseline's
		above = a.onlyShown(key.base.Keep)
	}
	m.upper = chart.Bin(axis, width, m.distribution.above, above)
	m.lower = chart.Bin(axis, width, x.Processed, a.onlyShown(x.Keep))
	return m
}

// figureCharts adds the histograms of the chosen figure.
func (e env) figureCharts(m chartCache) chartCache {
	above := e.onlyShown(nil)
	if m.distribution.perGroup {
		above = nil
	}
	axis, bins, whole := chart.WholeAxis(append(slices.Clip(m.distribution.above), m.distribution.reach...), m.key.width)
	if m.whole = whole; !whole {
		axis, bins = valueAxis(m.distribution.above), m.key.width
	}
	m.upper = chart.BinWithZeros(axis, bins, m.distribution.above, above)
	if m.distribution.perGroup {
		return m
	}
	m.lower = chart.BinWithZeros(axis, bins, m.distribution.below, e.onlyShown(m.distribution.keep))
	return m
}

// valueAxis returns an axis from the smallest to the largest value.
func valueAxis(values []float64) chart.Axis {
	lo, hi := chart.Range(values)
	if lo >= hi {
		lo, hi = lo-0.5, hi+0.5
	}
	return chart.Axis{Lo: lo, Hi: hi}
}

// maxAbs returns the largest finite |x|, 0 if there is none.
func maxAbs(values []float64) float64 {
	largest := 0.0
	for _, x := range values {
		if size := math.Abs(x); size > largest && size <= math.MaxFloat64 {
			largest = size
		}
	}
	return largest
}

// maxShownAdvantage returns the largest processed |A| of the groups shown.
func (e env) maxShownAdvantage() float64 {
	x := e.result.analysis
	if e.result.shownSamples == nil {
		return maxAbs(x.Processed)
	}
	largest := 0.0
	for i, v := range x.Processed {
		if m := math.Abs(v); m > largest && e.result.shownSamples[i] && x.Keep[i] {
			largest = m
		}
	}
	return largest
}

// updateChartCache computes what the next frame draws from, unless it is there.
func (a App) updateChartCache() App {
	if a.result.analysis != nil {
		a.result.charts = a.chartsFor(a.chartWidth())
	}
	return a
}

// chartWidth returns the width of the histograms in the pane of distributions.
func (a App) chartWidth() int { return oddWidth(a.screen().Panes[layout.Advantages].Inner().W) }

package tui

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/chart"
	"vantage/tui/layout"
)

// heightForChartText is the height from which there is text below the chart.
const heightForChartText = 6

// heightForSummary is the height from which there is a line of more figures.
const heightForSummary = 9

// paneAdvantages draws a mirrored histogram over one axis: original advantages upwards,
// processed ones of kept samples downwards; with a baseline, its processed ones upwards.
func (a App) paneAdvantages(w, h int) paneContent {
	width := oddWidth(w)
	m := a.chartsFor(width)
	if m.hasFigure {
		return a.paneDistribution(m, w, h)
	}
	name, below, title := "original   ", "processed  ", "original over processed"
	if m.key.base != nil {
		name, below, title = "A baseline ", "B candidate", "processed: baseline (A) over candidate (B)"
	}
	if w < widthForLongTitle {
		title = ""
		if m.key.base != nil {
			title = "A over B"
		}
	}
	if h < heightForChartText {
		return paneContent{title: strings.TrimSpace("advantages" + a.scaleInTitle() + "  " + title), lines: append([]string{" " + a.meansLine(m, w-1)}, a.mirrorLines(m.upper, m.lower, width, h-1)...)}
	}
	lines := []string{" " + a.momentsLine(name, m.upper, true, w-1)}
	textLines := 3 // lines around the chart
	if h >= heightForSummary {
		textLines++
	}
	lines = append(lines, a.mirrorLines(m.upper, m.lower, width, h-textLines)...)
	lines = append(lines,
		" "+a.display.theme.Paint(themes.Dim, axisRuler(m.upper.Axis, width)),
		" "+a.momentsLine(below, m.lower, true, w-1))
	if h >= heightForSummary {
		lines = append(lines, " "+a.summaryLine(m.maxAbs, w-1))
	}
	note := a.binNote(m)
	if note == "" {
		verdict := a.matchVerdict()
		note = firstFitting(w-4, verdict, strings.Replace(verdict, "log = ", "", 1))
	}
	return paneContent{title: a.figureTitle("advantages", title, w), note: note, lines: lines}
}

// meansLine returns the means and counts above and below the axis.
func (e env) meansLine(m chartCache, w int) string {
	n, mean, _ := m.upper.Moments()
	nLower, meanLower, _ := m.lower.Moments()
	upper, lower := "orig ", "  proc "
	if m.key.base != nil {
		upper, lower = "A ", "  B "
	}
	means := e.display.theme.Paint(themes.Dim, "mean ") + upper + units.Signed(mean) + lower + units.Signed(meanLower)
	return cells.JoinFitting(w, "  ", means, fmt.Sprintf("n %d, %d", n, nLower))
}

// figureTitle names a figure and says of which groups and steps it is, then what is above and below the
// axis, if there is room for that.
func (a App) figureTitle(name, sides string, w int) string {
	name = a.withScopeWords(a.withShownCount(name)+a.scaleInTitle(), w)
	return firstFitting(w-6, name+"  "+sides, name)
}

// withShownCount adds to a title how many groups the filter shows.
func (a App) withShownCount(name string) string {
	if of := a.shownCount(); of != "" {
		return name + " " + of
	}
	return name
}

// widthForLongTitle is the width from which the title says what is above and below.
const widthForLongTitle = 36

// mirrorLines draws one histogram over another in h rows.
func (a App) mirrorLines(up, down chart.Histogram, width, h int) []string {
	var lines []string
	for i, line := range chart.Mirror(a.display.theme, a.display.glyphs, a.scaled(up), a.scaled(down), width, max(1, h)) {
		below := 0
		if i > (max(1, h)-1)/2 && len(down.Counts) > 0 {
			below = 1
		}
		lines = append(lines, " "+a.mark(onBin, below, line))
	}
	return lines
}

// momentsLine returns count, mean and std of the values of a histogram that are numbers,
// and of advantages (zeros) how many are 0, which the chart does not draw.
func (e env) momentsLine(name string, h chart.Histogram, zeros bool, w int) string {
	n, mean, std := h.Moments()
	t := e.display.theme
	dim := func(s string) string { return t.Paint(themes.Dim, s) }
	pieces := []string{t.Paint(themes.Title, name) + cells.FitRight(units.Count(n), 6)}
	if n > 0 {
		text := units.Fixed(mean, 2)
		if zeros {
			text = units.Signed(mean)
		}
		pieces[0] += dim(" mean ") + text
	}
	if n > 1 {
		pieces = append(pieces, dim("std ")+units.Fixed(std, 2))
	}
	if zeros && h.Zeros > 0 {
		pieces = append(pieces, dim("at 0 ")+units.Count(h.Zeros))
	}
	return cells.JoinFitting(w, " ", pieces...)
}

// namedFigure is a figure with its name.
type namedFigure struct{ name, value string }

// summaryFigures returns figures of some groups that the histogram does not show.
func (e env) summaryFigures(x *analysis.StepFigures, largest float64) []namedFigure {
	return []namedFigure{
		{e.nonzeroName(), units.Fraction(x.Nonzero, x.Rows)},
		{"flips", units.Count(x.Flips.Total())},
		{"max |A|", units.Fixed(largest, 2)},
		{"Σ|A|", units.Times(x.Metric("vantage/abs_advantage_ratio"))},
		{"ESS", fmt.Sprintf("%s of %s", units.Short(math.Round(x.Metric("vantage/effective_samples"))), units.Count(x.Nonzero))},
	}
}

// summaryLine returns the summaryFigures of the groups shown that fit.
func (a App) summaryLine(largest float64, w int) string {
	x, t := a.shownFigures(), a.display.theme
	if x == nil {
		return t.Paint(themes.Dim, "…")
	}
	line := ""
	for _, part := range a.summaryFigures(x, largest) {
		piece := fmt.Sprintf("%s %s", t.Paint(themes.Dim, part.name), part.value)
		if line != "" {
			piece = "  " + piece
		}
		if cells.Width(line)+cells.Width(piece) <= w {
			line += piece
		}
	}
	return line
}

// distributionState is what the pane of distributions shows.
type distributionState struct {
	figure   string // the name of a distribution; "" is the advantages
	logScale bool
	bin      int // the bin whose counts are shown, from the left
	binShown bool
	binTerm  string // the term of the filter that a click on a bin has added
}

// distribution is the values of a figure: of all samples above the axis, of kept ones
// below it.
type distribution struct {
	name     string
	above    []float64
	below    []float64
	keep     []bool    // which values below are drawn
	perGroup bool      // a value for each group shown, not for each sample
	reach    []float64 // values that the axis has room for, though none may be there

	field, fieldBelow string // of a query, for the values above and below; "": there is none
}

// distributions returns those that the step has values for, the advantages first.
func (e env) distributions() []distribution {
	x := e.result.analysis
	kept := x.Keep
	all := []distribution{
		{name: "advantages", above: x.Original, below: x.Processed, keep: kept, field: "sample.adv", fieldBelow: "sample.new"},
		{name: "rewards", above: x.LoggedRewards, below: x.LoggedRewards, keep: kept, field: "sample.reward", fieldBelow: "sample.reward"},
	}
	lengths, known := make([]float64, x.Rows), false
	for i, l := range x.Lengths {
		lengths[i] = float64(l)
		if l < 0 {
			lengths[i] = math.NaN()
		}
		known = known || l >= 0
	}
	if known {
		all = append(all, distribution{name: "lengths, " + e.snap.Run.LengthUnit.String(), above: lengths, below: lengths, keep: kept, field: "sample.length", fieldBelow: "sample.length"})
	}
	for k, name := range e.snap.Run.ComponentNames {
		if values := e.componentValues(k); values != nil {
			all = append(all, distribution{name: sanitize.Line(name), above: values, below: values, keep: kept})
		}
	}
	if solved := e.solvedPerGroup(); len(solved.above) > 0 {
		all = append(all, solved)
	}
	return all
}

// componentValues returns what reward function k gave to each sample on the screen, NaN in steps where it
// gave nothing; nil if it did in none.
func (e env) componentValues(k int) []float64 {
	if model.HoldsNames(e.snap.Run.ComponentNames[k]) {
		return nil
	}
	var values []float64
	at := 0
	for _, x := range e.result.analysis.Parts() {
		i, found := e.snap.Find(x.Step)
		if found && k < len(e.snap.Steps[i].Components) && len(e.snap.Steps[i].Components[k]) >= x.Rows {
			if values == nil {
				values = slices.Repeat([]float64{math.NaN()}, e.result.analysis.Rows)
			}
			for j, row := range x.InputRow {
				values[at+j] = e.snap.Steps[i].Components[k][row]
			}
		}
		at += x.Rows
	}
	return values
}

// isFigure reports whether d is the chosen distribution.
func (s distributionState) isFigure(d distribution) bool { return d.name == s.figure }

// chosenDistribution returns the distribution on the screen, or false if that is of the
// advantages, as it is where the step has no values of the chosen one.
func (a App) chosenDistribution() (distribution, bool) {
	if a.panes.distribution.figure == "" {
		return distribution{}, false
	}
	all := a.distributions()
	i := slices.IndexFunc(all, a.panes.distribution.isFigure)
	return all[max(0, i)], i > 0
}

// solvedPerGroup returns how many samples of each group shown are solved: of those whose run's rewards
// say it.
func (e env) solvedPerGroup() distribution {
	var counts []float64
	largest := 0
	for _, g := range e.result.rows {
		if group := &e.result.analysis.Table[g]; group.HasSolved {
			counts = append(counts, float64(group.Solved))
			largest = max(largest, group.Size())
		}
	}
	return distribution{name: "groups by samples solved", above: counts, perGroup: true, reach: []float64{0, float64(largest)}, field: "solved"}
}

func (a App) nextFigure() App {
	if a.result.analysis == nil {
		return a
	}
	all := a.distributions()
	next := (max(0, slices.IndexFunc(all, a.panes.distribution.isFigure)) + 1) % len(all)
	a.panes.distribution.figure = ""
	if next > 0 {
		a.panes.distribution.figure = all[next].name
	}
	a.panes.frontPane = layout.Advantages
	a.panes.fullScreen = a.panes.fullScreen && a.panes.focus == layout.Advantages
	return a
}

func (a App) toggleLogScale() App {
	a.panes.distribution.logScale = !a.panes.distribution.logScale
	return a
}

// moveBin shows the counts of another bin, at first those of the middle one.
func (a App) moveBin(by int) App {
	if a.result.analysis == nil {
		return a
	}
	bins := len(a.chartsFor(a.chartWidth()).upper.Counts)
	if !a.panes.distribution.binShown {
		a.panes.distribution.binShown, a.panes.distribution.bin = true, bins/2
		return a
	}
	a.panes.distribution.bin = clampIndex(a.panes.distribution.bin+by, bins)
	return a
}

// oddWidth returns the width of a chart in w cells with margins: odd, so that zero has a
// column.
func oddWidth(w int) int {
	w -= 2
	if w%2 == 0 {
		w--
	}
	return max(1, w)
}

// onlyShown narrows which samples are drawn to the groups that the filter shows; nil
// stands for all samples.
func (e env) onlyShown(drawn []bool) []bool {
	if e.result.shownSamples == nil {
		return drawn
	}
	if drawn == nil {
		return e.result.shownSamples
	}
	both := make([]bool, len(drawn))
	for i := range both {
		both[i] = drawn[i] && e.result.shownSamples[i]
	}
	return both
}

// paneDistribution draws a figure other than the advantages: all samples above the axis,
// kept ones below.
func (a App) paneDistribution(m chartCache, w, h int) paneContent {
	t, width, name, hasLower := a.display.theme, oddWidth(w), m.distribution.name, m.distribution.below != nil
	lines, note := []string{" " + a.momentsLine("all ", m.upper, false, w-1)}, a.binNote(m)
	if h < heightForChartText {
		return paneContent{title: name + a.scaleInTitle(), note: note, lines: append(lines, a.mirrorLines(m.upper, m.lower, width, h-1)...)}
	}
	textLines := 2
	if hasLower {
		textLines++
	}
	lines = append(lines, a.mirrorLines(m.upper, m.lower, width, h-textLines)...)
	lines = append(lines, " "+t.Paint(themes.Dim, m.valueLabels(width)))
	sides := ""
	if hasLower {
		lines = append(lines, " "+a.momentsLine("kept", m.lower, false, w-1))
		sides = "all over kept"
	}
	return paneContent{title: strings.TrimSpace(a.figureTitle(name, sides, w)), note: note, lines: lines}
}

// valueLabels returns the line below the bars of a figure: the ends of the axis, or whole numbers under their bars.
func (m chartCache) valueLabels(width int) string {
	if m.whole {
		return m.upper.Axis.BarLabels(len(m.upper.Counts), width)
	}
	return cells.Justify(units.Short(m.upper.Axis.Lo), units.Short(m.upper.Axis.Hi), width)
}

// scaleInTitle says that bars are logarithms of counts.
func (a App) scaleInTitle() string {
	if a.panes.distribution.logScale {
		return " (log)"
	}
	return ""
}

// scaled returns a histogram as it is drawn: of counts, or of their logarithms.
func (a App) scaled(h chart.Histogram) chart.Histogram {
	if a.panes.distribution.logScale {
		return h.Logarithmic()
	}
	return h
}

// binNote returns the counts of the bin that is shown; "" if none is.
func (a App) binNote(m chartCache) string {
	if !a.panes.distribution.binShown {
		return ""
	}
	bins := len(m.upper.Counts)
	at := clampIndex(a.panes.distribution.bin, bins)
	lo, hi := m.upper.Axis.Edges(at, bins)
	if m.whole {
		lo, hi = m.upper.Axis.WholeBounds(at, bins)
	}
	values := units.Short(lo)
	if lo < hi {
		values += " to " + units.Short(hi)
	}
	if m.distribution.perGroup {
		return values + ": " + units.Plural(m.upper.Counts[at], "groups")
	}
	return fmt.Sprintf("%s: %s above, %s below", values, units.Count(m.upper.Counts[at]), units.Count(m.lower.Counts[at]))
}

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

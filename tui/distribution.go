package tui

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/chart"
	"vantage/tui/layout"
)

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

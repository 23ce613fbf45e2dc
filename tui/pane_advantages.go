package tui

import (
	"fmt"
	"math"
	"strings"

	"vantage/model/analysis"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/chart"
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
func (e env) summaryFigures(x *analysis.Summary, largest float64) []namedFigure {
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

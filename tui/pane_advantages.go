package tui

import (
	"fmt"
	"math"

	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/chart"
)

// lowChart is the height below which the chart has the room of the words.
const lowChart = 6

// roomyChart is the height from which the chart leaves room for more figures.
const roomyChart = 9

// paneAdvantages is the mirrored histogram: original advantages upwards,
// processed ones of kept samples downwards, over one axis.
func (a App) paneAdvantages(w, h int) content {
	x := a.result.analysis
	if d, ok := a.distribution(); ok {
		return a.paneSpread(d, w, h)
	}
	width := oddWidth(w)
	axis := a.axis()
	use, kept := a.shownOf(nil), a.shownOf(x.Keep)
	name, above, title := "A original ", x.Original, "original over processed"
	if base := a.against(); base != nil {
		name, above, use, title = "A baseline ", base.Processed, a.shownOf(base.Keep), "baseline over candidate, as processed"
		axis = chart.Symmetric(base.Processed, x.Processed)
	}
	up := chart.Bin(axis, width, above, use)
	down := chart.Bin(axis, width, x.Processed, kept)
	if w < roomyTitle {
		title = "advantages  A over B"
	}
	if h < lowChart {
		n, mean, _ := momentsOf(above, use)
		m, then, _ := momentsOf(x.Processed, kept)
		words := cells.Pack(w-1, "  ", a.look.theme.Paint(themes.Dim, "mean ")+"A "+units.Signed(mean)+"  B "+units.Signed(then), fmt.Sprintf("n %d, %d", n, m))
		return content{title: title, lines: append([]string{" " + words}, a.mirror(up, down, width, h-1)...)}
	}
	lines := []string{" " + a.moments(name, above, use, up.Zeros, w-1)}
	words := 3 // lines around the chart
	if h >= roomyChart {
		words++
	}
	lines = append(lines, a.mirror(up, down, width, h-words)...)
	lines = append(lines,
		" "+a.look.theme.Paint(themes.Dim, ruler(axis, width)),
		" "+a.moments("B processed", x.Processed, kept, down.Zeros, w-1))
	if h >= roomyChart {
		lines = append(lines, " "+a.summary(w-1))
	}
	note := a.binRead(axis, width, up, down)
	if note == "" {
		note = a.verdict()
	}
	return content{title: a.ofShown("advantages") + "  " + title, note: note, lines: lines}
}

// ofShown is the name of what a pane shows, and of how many of the groups.
func (a App) ofShown(name string) string {
	if of := a.shownOfAll(); of != "" {
		return name + " " + of
	}
	return name
}

// roomyTitle is the width from which the title says what A and B are.
const roomyTitle = 36

// mirror draws one histogram over another in h rows, or one.
func (a App) mirror(up, down chart.Histogram, width, h int) []string {
	var lines []string
	for _, line := range chart.Mirror(a.look.theme, a.look.glyphs, a.scaled(up), a.scaled(down), width, max(1, h)) {
		lines = append(lines, " "+line)
	}
	return lines
}

// moments describes the samples for which use is true (nil: all), as far as their
// values are numbers; zeros are counted, not drawn, or -1.
func (a App) moments(name string, values []float64, use []bool, zeros, w int) string {
	n, mean, std := momentsOf(values, use)
	t := a.look.theme
	dim := func(s string) string { return t.Paint(themes.Dim, s) }
	pieces := []string{
		t.Paint(themes.Title, name) + cells.Right(units.Count(n), 6) + dim(" mean ") + units.Signed(mean), dim("std ") + units.Fixed(std, 2),
	}
	if zeros >= 0 {
		pieces = append(pieces, dim("at 0 ")+units.Count(zeros))
	}
	return cells.Pack(w, " ", pieces...)
}

// momentsOf are how many numbers there are, their mean and their std (n−1).
func momentsOf(values []float64, use []bool) (n int, mean, std float64) {
	sum := 0.0
	for i, v := range values {
		if v-v == 0 && (use == nil || use[i]) {
			n++
			sum += v
		}
	}
	mean = sum / float64(n)
	squares := 0.0
	for i, v := range values {
		if v-v == 0 && (use == nil || use[i]) {
			squares += (v - mean) * (v - mean)
		}
	}
	return n, mean, math.Sqrt(squares / float64(n-1))
}

// summary are the figures of the groups in sight that a distribution does not show.
func (a App) summary(w int) string {
	x, t := a.figuresShown(), a.look.theme
	if x == nil {
		return t.Paint(themes.Dim, "…")
	}
	largest := 0.0
	for i, v := range a.result.analysis.Processed {
		if m := math.Abs(v); m > largest && (a.result.shown == nil || a.result.shown[i]) {
			largest = m
		}
	}
	line := ""
	for _, part := range []struct{ name, value string }{
		{"flips", units.Count(x.Flips)},
		{"max |A|", units.Fixed(largest, 2)},
		{"Σ|A|", units.Times(x.Metric("vantage/abs_advantage_ratio"))},
		{"effective samples", units.Short(math.Round(x.Metric("vantage/effective_samples")))},
	} {
		piece := fmt.Sprintf("%s %s  ", t.Paint(themes.Dim, part.name), part.value)
		if cells.Width(line)+cells.Width(piece) <= w+2 {
			line += piece
		}
	}
	return line
}

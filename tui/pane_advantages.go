package tui

import (
	"fmt"
	"math"

	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/chart"
)

// roomyChart is the height from which the chart leaves room for more figures.
const roomyChart = 9

// paneAdvantages is the mirrored histogram: original advantages upwards,
// processed ones of kept samples downwards, over one axis.
func (a App) paneAdvantages(w, h int) content {
	x := a.result.analysis
	all := a.distributions()
	if d := all[a.place.spread.figure%len(all)]; a.place.spread.figure > 0 {
		return a.paneSpread(d, w, h)
	}
	width := oddWidth(w)
	axis := a.axis()
	use, kept := a.shownOf(nil), a.shownOf(x.Keep)
	name, above, title := "A original ", x.Original, "advantages  original over processed"
	if base := a.against(); base != nil {
		name, above, use, title = "A baseline ", base.Processed, a.shownOf(base.Keep), "advantages  baseline over candidate, as processed"
		axis = chart.Symmetric(base.Processed, x.Processed)
	}
	up := chart.Bin(axis, width, above, use)
	down := chart.Bin(axis, width, x.Processed, kept)
	lines := []string{" " + a.moments(name, above, use, up.Zeros, w-1)}
	words := 3 // lines around the chart
	if h >= roomyChart {
		words++
	}
	for _, line := range chart.Mirror(a.look.theme, a.look.glyphs, a.scaled(up), a.scaled(down), width, max(1, h-words)) {
		lines = append(lines, " "+line)
	}
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
	return content{title: title, note: note, lines: lines}
}

// moments describes the samples for which use is true (nil: all), as far as their
// values are numbers; zeros are counted, not drawn, or -1.
func (a App) moments(name string, values []float64, use []bool, zeros, w int) string {
	n, sum := 0, 0.0
	for i, v := range values {
		if v-v == 0 && (use == nil || use[i]) {
			n++
			sum += v
		}
	}
	mean, squares := sum/float64(n), 0.0
	for i, v := range values {
		if v-v == 0 && (use == nil || use[i]) {
			squares += (v - mean) * (v - mean)
		}
	}
	std := math.Sqrt(squares / float64(n-1))
	t := a.look.theme
	dim := func(s string) string { return t.Paint(themes.Dim, s) }
	line := t.Paint(themes.Title, name) + cells.Right(units.Count(n), 6) +
		dim(" mean ") + units.Signed(mean) + dim(" std ") + units.Fixed(std, 2)
	if extra := dim(" at 0 ") + units.Count(zeros); zeros >= 0 && cells.Width(line)+cells.Width(extra) <= w {
		line += extra
	}
	return line
}

// summary are the figures of the step that a distribution does not show.
func (a App) summary(w int) string {
	x, t := a.result.analysis, a.look.theme
	largest := 0.0
	for _, v := range x.Processed {
		if m := math.Abs(v); m > largest {
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

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
	width := oddWidth(w)
	m := a.measure(width)
	if m.chosen {
		return a.paneSpread(m, w, h)
	}
	name, title := "A original ", "original over processed"
	if m.of.base != nil {
		name, title = "A baseline ", "baseline over candidate, as processed"
	}
	if w < roomyTitle {
		title = "advantages  A over B"
	}
	if h < lowChart {
		n, mean, _ := m.up.Moments()
		kept, then, _ := m.down.Moments()
		words := cells.JoinFitting(w-1, "  ", a.look.theme.Paint(themes.Dim, "mean ")+"A "+units.Signed(mean)+"  B "+units.Signed(then), fmt.Sprintf("n %d, %d", n, kept))
		return content{title: title, lines: append([]string{" " + words}, a.mirror(m.up, m.down, width, h-1)...)}
	}
	lines := []string{" " + a.moments(name, m.up, true, w-1)}
	words := 3 // lines around the chart
	if h >= roomyChart {
		words++
	}
	lines = append(lines, a.mirror(m.up, m.down, width, h-words)...)
	lines = append(lines,
		" "+a.look.theme.Paint(themes.Dim, ruler(m.up.Axis, width)),
		" "+a.moments("B processed", m.down, true, w-1))
	if h >= roomyChart {
		lines = append(lines, " "+a.summary(m.largest, w-1))
	}
	note := a.binRead(width, m.up, m.down)
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

// moments describes the values of a histogram that are numbers; zeros are counted where
// they are not drawn.
func (a App) moments(name string, h chart.Histogram, zeros bool, w int) string {
	n, mean, std := h.Moments()
	t := a.look.theme
	dim := func(s string) string { return t.Paint(themes.Dim, s) }
	pieces := []string{t.Paint(themes.Title, name) + cells.FitRight(units.Count(n), 6)}
	if n > 0 {
		pieces[0] += dim(" mean ") + units.Signed(mean)
	}
	if n > 1 {
		pieces = append(pieces, dim("std ")+units.Fixed(std, 2))
	}
	if zeros && h.Zeros > 0 {
		pieces = append(pieces, dim("at 0 ")+units.Count(h.Zeros))
	}
	return cells.JoinFitting(w, " ", pieces...)
}

// summary are the figures of the groups in sight that a distribution does not show.
func (a App) summary(largest float64, w int) string {
	x, t := a.figuresShown(), a.look.theme
	if x == nil {
		return t.Paint(themes.Dim, "…")
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

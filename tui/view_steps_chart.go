package tui

import (
	"fmt"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/chart"
)

// roomyNames is the width from which two figures are called by their full names.
const roomyNames = 76

// stepsChart draws the figure over all steps, and the second one below it.
func (a App) stepsChart(w, h int) content {
	name, second := a.drawnMetric(), a.place.steps.second
	names := a.metricNames()
	c := content{title: " " + a.figureHere(name, w), note: fmt.Sprintf("figure %d/%d", slices.Index(names, name)+1, len(names))}
	if each := chart.ValuesPerDot(len(a.result.trend.Steps), w-valueRoom-1); each > 1 && !a.look.glyphs.ASCII {
		c.note = fmt.Sprintf("means of %d steps · ", each) + c.note
	}
	room := h - 1
	if second != "" {
		c.title += a.look.theme.Paint(themes.Dim, "  below ") + a.figureHere(second, w)
		c.lines = append(a.stepsLine(name, themes.Accent, w, room-room/2), a.stepsLine(second, themes.Positive, w, room/2)...)
	} else {
		c.lines = a.stepsLine(name, themes.Accent, w, room)
	}
	c.lines = append(c.lines, cells.Spaces(valueRoom)+a.stepsRuler(w-valueRoom-1))
	return c
}

// figureHere is a figure at the step on the screen, and by how much it differs from the
// baseline's. In a narrow chart its name goes without what it begins with.
func (a App) figureHere(name string, w int) string {
	value := func(x *model.Analysis) float64 { return x.Metric(name) }
	said := sanitize.Line(name)
	if _, rest, ok := strings.Cut(said, "/"); ok && w < roomyNames {
		said = rest
	}
	return said + " " + a.look.theme.Paint(themes.Accent, units.Short(value(a.result.analysis))) + a.delta(value(a.result.analysis), value)
}

// stepsLine draws a figure over h rows, with its greatest and least value in front.
func (a App) stepsLine(name string, role themes.Role, w, h int) []string {
	values := a.series(name)
	row := trendRow{metric: name}
	for _, known := range trendRows() {
		if known.metric == name {
			row = known
		}
	}
	lo, hi := row.bounds(values)
	lines := chart.Trend(a.look.theme, a.look.glyphs, role, values, lo, hi, w-valueRoom-1, h)
	for i, line := range lines {
		label := ""
		switch i {
		case 0:
			label = units.Short(hi)
		case h - 1:
			label = units.Short(lo)
		}
		lines[i] = a.look.theme.Paint(themes.Dim, cells.FitRight(label, valueRoom-1)+" ") + line
	}
	return lines
}

// stepsRuler marks the step on the screen, and where warnings appear first.
func (a App) stepsRuler(w int) string {
	t, n := a.look.theme, len(a.result.trend.Steps)
	marks := make([]string, max(1, w))
	for i := range marks {
		marks[i] = t.Paint(themes.Track, a.look.glyphs.Horizontal)
	}
	for _, o := range a.result.trend.Onsets() {
		marks[chart.TrendColumn(o.At, n, len(marks))] = t.Paint(themes.Warn, "!")
	}
	if i := a.trendIndex(); i >= 0 {
		marks[chart.TrendColumn(i, n, len(marks))] = t.Paint(themes.Accent, a.look.glyphs.Dot)
	}
	return strings.Join(marks, "")
}

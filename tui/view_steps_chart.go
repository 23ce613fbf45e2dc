package tui

import (
	"fmt"
	"slices"
	"strings"

	"vantage/model/analysis"
	"vantage/model/sanitize"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/chart"
)

// widthForFullNames is the width from which the title has the full names of two metrics.
const widthForFullNames = 76

// rowsBelowPlot are the ruler and the step numbers.
const rowsBelowPlot = 2

// stepsChart draws the metric over all steps, and the second one over it.
func (a App) stepsChart(w, h int) paneContent {
	name, second := a.drawnMetric(), a.steps.second
	names := a.metricNames()
	drawn := a.drawnFigures([]string{name}, second, w, h-rowsBelowPlot)[0]
	shown := drawn.chart
	c := paneContent{title: " " + a.metricHere(name, w), lines: slices.Clone(drawn.rows)}
	if second != "" {
		t, g := a.display.theme, a.display.glyphs
		c.title = " " + t.Paint(themes.Accent, g.Sample(chart.Solid)) + c.title + "  " + t.Paint(themes.Warn, g.Sample(chart.Dashed)) + " " + a.metricHere(second, w)
		if shown.right != (chart.Axis{}) {
			c.title += t.Paint(themes.Dim, " (right)")
		}
	}
	c.title += a.legend()
	c.note = a.chartNote(fmt.Sprintf("figure %d/%d", slices.Index(names, name)+1, len(names)), shown.perDot, w)
	width := shown.plotWidth(w)
	c.lines = append(c.lines, cells.Spaces(valueWidth)+a.stepsRuler(shown.plot.X, width),
		cells.Spaces(valueWidth)+a.display.theme.Paint(themes.Dim, shown.plot.X.StepLabels(width)))
	c.lines = a.markLines(onChart, width, c.lines)
	return c
}

// metricHere returns a metric at the step on the screen with the difference from the
// baseline. In a narrow chart its name is without the first path element.
func (a App) metricHere(name string, w int) string {
	value := func(x *analysis.Analysis) float64 { return x.Metric(name) }
	said := sanitize.Line(name)
	if _, rest, ok := strings.Cut(said, "/"); ok && w < widthForFullNames {
		said = rest
	}
	here := value(a.result.analysis.Last())
	said += " " + a.display.theme.Paint(themes.Accent, metricText(name, here))
	if w < widthForFullNames && a.steps.second != "" {
		return said
	}
	return said + a.stepDelta(here, value)
}

// stepsRuler marks the step on the screen and the steps of first warnings. It is blank where no run has steps.
func (a App) stepsRuler(x chart.Axis, w int) string {
	t := a.display.theme
	marks := make([]string, max(1, w))
	missing := a.missingColumns(x, len(marks))
	for i := range marks {
		marks[i] = t.Paint(themes.Track, a.display.glyphs.Horizontal)
		if missing[i] {
			marks[i] = " "
		}
	}
	mark := func(step int64, role themes.Role, glyph string) {
		if at := float64(step); at >= x.Lo && at <= x.Hi {
			marks[x.PlotColumn(at, len(marks))] = t.Paint(role, glyph)
		}
	}
	for _, o := range a.firstWarnings() {
		mark(o.Step, themes.Warn, "!")
	}
	mark(a.result.analysis.Step, themes.Accent, a.display.glyphs.Dot)
	return strings.Join(marks, "")
}

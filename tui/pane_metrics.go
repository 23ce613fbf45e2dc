package tui

import (
	"fmt"
	"math"
	"strings"

	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/layout"
)

// metricWidth is the least width of a column, without a difference from the baseline.
const metricWidth = 36

// deltaWidth is the width of a difference from the baseline.
const deltaWidth = 10

// paneMetrics lists the metrics of the step, under the trainers' names, in columns.
func (a App) paneMetrics(w, h int) paneContent {
	x := a.shownFigures()
	if x == nil {
		return paneContent{title: "metrics  " + a.shownCount(), lines: []string{" " + a.display.theme.Paint(themes.Dim, "computing the metrics of the groups shown …")}}
	}
	all := x.Metrics
	columns := a.metricColumns(len(all), w, h)
	width := w / columns
	c := paneContent{title: fmt.Sprintf("metrics  %d · %s", len(all), a.scopeWords())}
	if of := a.shownCount(); of != "" {
		c.title += " · " + of + " groups shown"
	}
	if hidden := a.hiddenMetricRows(); hidden > 0 {
		c.note = fmt.Sprintf("%d–%d/%d", a.panes.metricScroll*columns+1, min(len(all), (a.panes.metricScroll+h)*columns), len(all))
	}
	deltaRoom, base := 0, a.baselineFigures()
	if base != nil {
		deltaRoom = deltaWidth
		c.title += " · Δ against " + settingsInWords(a.settings.base.settings)
	}
	for y := range h {
		line := ""
		for x := range columns {
			at := a.panes.metricScroll*columns + x*h + y
			if at >= len(all) {
				break
			}
			name := a.display.theme.Paint(themes.Dim, trimPathPrefix(sanitize.Line(all[at].Name), width-9-deltaRoom))
			value := metricText(all[at].Name, all[at].Value)
			if base != nil {
				value += cells.FitRight(a.paintDelta(all[at].Value-base.Metric(all[at].Name)), deltaWidth)
			}
			line += a.mark(onMetric, at, a.cell(cells.Justify(name, value, width-2), a.panes.focus == layout.Metrics && at == clampIndex(a.panes.metric, len(all))))
		}
		c.lines = append(c.lines, line)
	}
	return c
}

// metricText returns the value of a metric. Where one of ours is not defined it is missing; a trainer's is nan, as
// the trainer logs it.
func metricText(name string, x float64) string {
	if math.IsNaN(x) && strings.HasPrefix(name, "vantage/") {
		return units.Missing
	}
	return units.Short(x)
}

// metricColumns returns in how many columns n metrics are listed in w×h cells: as many as fit, and are needed.
func (e env) metricColumns(n, w, h int) int {
	width := metricWidth
	if e.baselineFigures() != nil {
		width += deltaWidth
	}
	return max(1, min(w/width, (n+h-1)/max(1, h)))
}

// trimPathPrefix cuts a name to w cells, first by its leading path elements, which other
// names share.
func trimPathPrefix(name string, w int) string {
	trimmed := name
	for cells.Width(trimmed) > w {
		_, rest, ok := strings.Cut(strings.TrimPrefix(trimmed, "…/"), "/")
		if !ok {
			return cells.TruncateLeft(trimmed, w)
		}
		trimmed = "…/" + rest
	}
	return trimmed
}

// hiddenMetricRows returns how many rows of metrics do not fit.
func (a App) hiddenMetricRows() int {
	in := a.screen().Panes[layout.Metrics].Inner()
	if a.result.analysis == nil || in.H == 0 || a.shownFigures() == nil {
		return 0
	}
	columns := a.metricColumns(len(a.shownFigures().Metrics), in.W, in.H)
	rows := (len(a.shownFigures().Metrics) + columns - 1) / columns
	return max(0, rows-in.H)
}

// moveMetricCursor moves the cursor of the pane and scrolls it into sight.
func (a App) moveMetricCursor(by int) App {
	in := a.screen().Panes[layout.Metrics].Inner()
	if a.result.analysis == nil || a.shownFigures() == nil || in.H == 0 {
		return a
	}
	a.panes.metric = clampIndex(a.panes.metric+by, len(a.shownFigures().Metrics))
	columns := a.metricColumns(len(a.shownFigures().Metrics), in.W, in.H)
	top := min(a.panes.metricScroll, a.panes.metric/columns)
	least := (a.panes.metric - columns*in.H + columns) / columns // the row at the top while it is in the last cell
	a.panes.metricScroll = min(max(0, top, least), a.hiddenMetricRows())
	return a
}

// drawMetric draws the metric under the cursor over all steps.
func (a App) drawMetric() App {
	x := a.shownFigures()
	if x == nil || len(x.Metrics) == 0 {
		return a
	}
	return a.drawFigure(x.Metrics[clampIndex(a.panes.metric, len(x.Metrics))].Name)
}

package overview

import (
	"fmt"
	"slices"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/report"
	"vantage/model/sanitize"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/env"
	"vantage/tui/layout"
	"vantage/tui/pane"
	"vantage/tui/trend"
)

// weightedBy says of the spread of advantages what weighs them: that of the pane beside it is of samples.
func weightedBy(e env.Env, name string) string {
	if x := e.Result.Analysis; name != "critic/advantages_processed/std" ||
		!slices.ContainsFunc(x.Lengths, func(l int32) bool { return l >= 0 }) {
		return ""
	}
	return " by " + e.Snap.Run.LengthUnit.String()
}

// metricWidth is the least width of a column, without a difference from the baseline.
const metricWidth = 36

// Metrics lists the metrics of the step, under the trainers' names, in columns.
func (p Panes) Metrics(e env.Env, w, h int) pane.Content {
	x := e.ShownFigures()
	if x == nil {
		return pane.Content{
			Title: "metrics  " + e.ShownCount(),
			Lines: []string{" " + e.Display.Theme.Paint(themes.Dim, "computing the metrics of the groups shown …")},
		}
	}
	all, t := trend.List(x.Metrics), e.Display.Theme
	columns, hidden := MetricLayout(e, len(all), w, h)
	width := w / columns
	c := pane.Content{Title: fmt.Sprintf("metrics  %d · %s", len(x.Metrics), e.ScopeWords())}
	if of := e.ShownCount(); of != "" {
		c.Title += " · " + of + " groups shown"
	}
	if hidden > 0 {
		c.Note = fmt.Sprintf("%d–%d/%d", p.MetricScroll*columns+1, min(len(all), (p.MetricScroll+h)*columns), len(all))
	}
	deltaRoom, base := 0, e.BaselineFigures()
	if base != nil {
		deltaRoom = trend.DeltaWidth
		c.Title += " · Δ against " + env.SettingsInWords(e.Settings.Base.Settings)
	}
	for y := range h {
		line := ""
		for column := range columns {
			at := p.MetricScroll*columns + column*h + y
			if at >= len(all) {
				break
			}
			of := all[at].Metric
			value := trend.MetricText(of.Name, of.Value) + trend.WithoutNaN(x, of.Name)
			weighted := weightedBy(e, of.Name)
			room := width - max(9, cells.Width(value)+3) - deltaRoom - cells.Width(weighted)
			name := t.Paint(themes.Dim, trend.TrimPath(sanitize.Line(all[at].Name), room)+weighted)
			if base != nil {
				value += cells.FitRight(e.Display.PaintDelta(of.Value-base.Metric(of.Name)), trend.DeltaWidth)
			}
			line += e.Display.Mark(
				pane.OnMetric, at,
				e.Display.Cell(cells.Justify(name, value, width-2), p.Focus == layout.Metrics && at == pane.ClampIndex(p.Metric, len(all))),
			)
		}
		c.Lines = append(c.Lines, line)
	}
	return c
}

// MetricLayout returns in how many columns n metrics are listed in w×h cells, as many as fit and are needed, and how many rows are
// out of sight.
func MetricLayout(e env.Env, n, w, h int) (columns, hidden int) {
	width := metricWidth
	if e.BaselineFigures() != nil {
		width += trend.DeltaWidth
	}
	columns = max(1, min(w/width, (n+h-1)/max(1, h)))
	return columns, max(0, (n+columns-1)/columns-h)
}

// MoveMetric moves the cursor among the metrics, and scrolls them.
func (p *Panes) MoveMetric(e env.Env, by int) {
	x, in := e.ShownFigures(), p.Screen(e).Panes[layout.Metrics].Inner()
	if x == nil || in.H == 0 {
		return
	}
	n := len(trend.List(x.Metrics))
	p.Metric = pane.ClampIndex(p.Metric+by, n)
	columns, hidden := MetricLayout(e, n, in.W, in.H)
	top := min(p.MetricScroll, p.Metric/columns)
	least := (p.Metric - columns*in.H + columns) / columns // the row at the top while it is in the last cell
	p.MetricScroll = min(max(0, top, least), hidden)
}

// MetricUnderCursor returns the name of the metric that the cursor is on; "" while there is none.
func (p Panes) MetricUnderCursor(e env.Env) string {
	x := e.ShownFigures()
	if x == nil || len(x.Metrics) == 0 {
		return ""
	}
	rows := trend.List(x.Metrics)
	return rows[pane.ClampIndex(p.Metric, len(rows))].Metric.Name
}

func exportedMetrics(e env.Env) report.Table {
	s := report.Table{Title: "metrics", Columns: []string{"metric", "value"}}
	if e.Result.Analysis == nil || e.ShownFigures() == nil {
		return s
	}
	s.Title = fmt.Sprintf("metrics of %s %s", e.ScopeWords(), e.ShownCount())
	s.Rows = model.Mapped(e.ShownFigures().Metrics, func(m analysis.Metric) []any { return []any{m.Name, m.Value} })
	return s
}

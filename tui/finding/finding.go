// Package finding draws what was found of the run: its text, and its figure over the steps. The run at a glance lists all, a view
// has one.
package finding

import (
	"fmt"
	"slices"

	"vantage/model/diagnosis"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/chart"
	"vantage/tui/env"
	"vantage/tui/pane"
	"vantage/tui/trend"
)

// HealthWord is the state of the run in a word for the header: in full, and where there is no room for that.
func HealthWord(e env.Env) (full, short string) {
	t, d := e.Display.Theme, e.Diagnosis()
	switch {
	case d == nil:
		return "", ""
	case d.Alarms() > 0:
		return t.Paint(themes.Bad, "! "+d.HealthText()), t.Paint(themes.Bad, "! "+d.Findings[0].Kind.Words())
	}
	role := map[string]themes.Role{
		diagnosis.Healthy: themes.Good, diagnosis.Watched: themes.Warn, diagnosis.Unknown: themes.Dim,
	}[d.Health()]
	return t.Paint(role, d.HealthText()), t.Paint(role, d.Health())
}

// SeverityMark returns the sign of a severity.
func SeverityMark(e env.Env, s diagnosis.Severity) string {
	switch s {
	case diagnosis.Alarm:
		return e.Display.Theme.Paint(themes.Bad, "!")
	case diagnosis.Over:
		return e.Display.Theme.Paint(themes.Dim, "~")
	case diagnosis.Watch:
	}
	return e.Display.Theme.Paint(themes.Warn, "~")
}

// quotedLines is how many lines of an answer are shown.
const quotedLines = 2

// Text says what was found, behind a name, in lines of w cells: in full, or a line of it and one of its evidence.
func Text(e env.Env, f *diagnosis.Finding, name string, w int, full bool) []string {
	t := e.Display.Theme
	dim := func(text string) []string { return e.Display.Wrapped("", themes.Dim, sanitize.Line(text), w) }
	if !full {
		lines := []string{cells.Truncate(name+sanitize.Line(f.Title), w)}
		if len(f.Evidence) > 0 {
			lines = append(lines, t.Paint(themes.Dim, cells.Truncate(sanitize.Line(f.Evidence[0].String()), w)))
		}
		return lines
	}
	lines := cells.Wrap(name+sanitize.Line(f.Title), w)
	for _, evidence := range f.Evidence {
		lines = append(lines, dim(evidence.String())...)
	}
	if cost := f.Cost.String(); cost != "" {
		lines = append(lines, dim("generated since then: "+cost)...)
	}
	if f.Advice != "" {
		lines = append(lines, cells.Wrap("→ "+sanitize.Line(f.Advice), w)...)
	}
	if f.After.Text != "" {
		for _, answer := range []string{"before, " + f.Before.String(), "after, " + f.After.String()} {
			lines = append(lines, e.Display.CutLines(dim(answer), quotedLines, w)...)
		}
	}
	for _, title := range f.Follows {
		lines = append(lines, dim("and so: "+title)...)
	}
	return lines
}

// Chart draws the figure of a finding over the steps, in another colour while it lasts. The onset is on the ruler below.
func Chart(e env.Env, f *diagnosis.Finding, w, h int) pane.Content {
	t, d := e.Display.Theme, e.Diagnosis()
	c := pane.Content{Title: " " + sanitize.Line(f.Series.Name)}
	n := min(len(f.Series.Values), len(d.Numbers))
	if n == 0 || e.Result.Trend == nil || h <= trend.RowsBelowPlot {
		return c
	}
	if at, found := slices.BinarySearch(d.Numbers[:n], e.Result.Analysis.Last().Step); found {
		c.Title += "  " + t.Paint(themes.Accent, units.Short(f.Series.Values[at]))
		c.Title = pane.WithRoom(c.Title, t.Paint(themes.Dim, fmt.Sprintf(" at step %d", d.Numbers[at])), w)
	}
	numbers := make([]float64, n)
	for i := range n {
		numbers[i] = float64(d.Numbers[i])
	}
	lo, hi := trend.Row{}.Bounds(f.Series.Values[:n])
	y := chart.Axis{Lo: lo, Hi: hi}.Widened()
	role := themes.Bad
	if f.Severity == diagnosis.Watch {
		role = themes.Warn
	}
	shown := trend.StepChart{Width: w - trend.ValueWidth - 1, Plot: chart.Plot{X: trend.StepAxis(e), Lines: []chart.Line{
		{X: numbers, Y: f.Series.Values[:n], Axis: y, Role: themes.Accent, Part: trend.PartOf(f, role)},
		{X: []float64{float64(f.Since), float64(f.Since)}, Y: []float64{y.Lo, y.Hi}, Axis: y, Role: themes.Track, Stroke: chart.Dotted},
	}}}
	labels := y.RowLabels(h - trend.RowsBelowPlot)
	for i, row := range shown.Plot.Draw(t, e.Display.Glyphs, shown.Width, h-trend.RowsBelowPlot) {
		c.Lines = append(c.Lines, trend.AxisLabel(e, labels[i], trend.ValueWidth)+row)
	}
	c.Lines = e.Display.MarkLines(
		pane.OnChart, shown.Width, append(c.Lines, trend.Ruler(e, shown, func(mark trend.RulerMark) { mark(f.Since, role, "!") })...),
	)
	c.Note = fmt.Sprintf("! onset at step %d", f.Since)
	return c
}

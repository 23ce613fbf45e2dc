package steps

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"vantage/model/analysis"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/chart"
	"vantage/tui/env"
	"vantage/tui/pane"
	"vantage/tui/trend"
	"vantage/tui/view"
)

// widthForFullNames is the width from which the title has the full names of two metrics.
const widthForFullNames = 76

func (s View) chart(e env.Env, w, h int) pane.Content {
	name, second := s.DrawnMetric(e), s.Second
	names := trend.MetricNames(e)
	shown := s.DrawFigures(e, []string{name}, second, w, h-trend.RowsBelowPlot).Charts[0]
	c := pane.Content{Title: " " + s.metricHere(e, name, w), Lines: slices.Clone(shown.Rows)}
	if second != "" {
		t, g := e.Display.Theme, e.Display.Glyphs
		c.Title = " " + t.Paint(themes.Accent, g.Sample(chart.Solid)) + c.Title +
			"  " + t.Paint(themes.Warn, g.Sample(chart.Dashed)) + " " + s.metricHere(e, second, w)
		if shown.Right {
			c.Title += t.Paint(themes.Dim, " (right)")
		}
	}
	c.Title += runLegend(e)
	c.Note = s.chartNote(e, fmt.Sprintf("metric %d/%d", slices.Index(names, name)+1, len(names)), shown.MeanOf, w)
	c.Lines = e.Display.MarkLines(pane.OnChart, shown.Width, append(c.Lines, trend.ChartAxis(e, shown)...))
	return c
}

// metricHere returns a metric at the step on the screen with the difference from the
// baseline. In a narrow chart its name is without the first path element.
func (s View) metricHere(e env.Env, name string, w int) string {
	said := sanitize.Line(name)
	if _, rest, ok := strings.Cut(said, "/"); ok && w < widthForFullNames {
		said = rest
	}
	here := e.Result.Analysis.Last().Metric(name)
	said += " " + e.Display.Theme.Paint(themes.Accent, trend.MetricText(name, here)+trend.WithoutNaN(&e.Result.Analysis.Last().StepFigures,
		name))
	if w < widthForFullNames && s.Second != "" {
		return said
	}
	return said + e.StepDelta(here, func(x *analysis.Analysis) float64 { return x.Metric(name) })
}

// NewChart draws a metric into w columns and h rows, and a second one over it unless that is "".
func (s View) NewChart(e env.Env, name, second string, w, h int) trend.StepChart {
	c := trend.StepChart{Plot: chart.Plot{X: s.WindowAxis(e)}, Width: w - trend.ValueWidth - 1}
	row, runs := trend.RowOfMetric(name), trend.DrawnRuns(e)
	runs[0].Part = trend.Alarmed(e, row)
	left := trend.LinesOf(row, c.Plot.X, runs, s.smoothing, c.Width)
	labels, rightLabels := left.Axis.RowLabels(h), make([]string, max(0, h))
	lines, smooth := left.Lines, left.Smooth
	if second != "" {
		over := trend.LinesOf(
			trend.RowOfMetric(second), c.Plot.X, []trend.DrawnRun{{Trend: e.Result.Trend, Role: themes.Warn, Stroke: chart.Dashed}},
			s.smoothing, c.Width,
		)
		lines, smooth = append(lines, over.Lines...), append(smooth, over.Smooth...)
		if c.Right = over.Axis != left.Axis; c.Right {
			c.Width -= trend.ValueWidth - 1
			rightLabels = over.Axis.RowLabels(h)
		}
	}
	c.Width = max(1, c.Width)
	n := len(lines[0].Within(c.Plot.X).X)
	c.MeanOf = chart.Averaged(n, c.Width)
	if len(smooth) > 0 {
		c.MeanOf = chart.PointsPerDot(n, c.Width)
	}
	c.Plot.Lines = slices.Concat(smooth, lines)
	t := e.Display.Theme
	if !slices.ContainsFunc(lines, func(l chart.Line) bool { return slices.ContainsFunc(l.Within(c.Plot.X).Y, units.IsFinite[float64]) }) {
		c.Rows = make([]string, max(0, h))
		for i := range c.Rows {
			c.Rows[i] = cells.Spaces(w)
		}
		if h > 0 {
			c.Rows[h/2] = cells.Fit(cells.Spaces(trend.ValueWidth)+t.Paint(themes.Dim, nothingDrawn(name)), w)
		}
		return c
	}
	c.Rows = c.Plot.Draw(t, e.Display.Glyphs, c.Width, h)
	for i, row := range c.Rows {
		c.Rows[i] = trend.AxisLabel(e, labels[i], trend.ValueWidth) + row + " " + t.Paint(themes.Warn, rightLabels[i])
	}
	return c
}

// nothingDrawn says why a metric has no line.
func nothingDrawn(name string) string {
	if trend.MetricText(name, math.NaN()) == units.Missing {
		return "not defined at any of these steps"
	}
	return "NaN at each of these steps"
}

// runLegend names the lines of the runs, if there are several.
func runLegend(e env.Env) string {
	runs := trend.DrawnRuns(e)
	if len(runs) < 2 {
		return ""
	}
	t, line := e.Display.Theme, ""
	for _, run := range runs {
		line += "  " + t.Paint(run.Role, e.Display.Glyphs.Sample(run.Stroke)) + " " + t.Paint(themes.Dim, run.Name)
	}
	return line
}

// chartNote returns the note of a chart in a box of w cells: first, and what is drawn otherwise than as it is, as far as
// there is room: a part of the steps, steps that are missing, averages, means of several steps.
func (s View) chartNote(e env.Env, first string, meanOf, w int) string {
	notes := []string{first}
	if s.Window != (StepWindow{}) {
		x, all := s.WindowAxis(e), trend.AxisOfAllSteps(e)
		notes = append(notes, fmt.Sprintf("steps %.0f–%.0f of %.0f–%.0f", x.Lo, x.Hi, all.Lo, all.Hi))
	}
	if text := trend.GapsText(e); text != "" {
		notes = append(notes, text)
	}
	if s.smoothing > 0 {
		notes = append(notes, fmt.Sprintf("moving average %g", s.smoothing))
	}
	if meanOf > 1 && s.smoothing > 0 {
		notes = append(notes, fmt.Sprintf("means of %d steps", meanOf))
	} else if text := trend.MeansText(e, meanOf); text != "" {
		notes = append(notes, text)
	}
	return cells.JoinFitting(w-4, " · ", notes...)
}

// StepWindow is the steps that charts over the steps show.
type StepWindow struct {
	from, to int64
	Last     int64 // so many steps up to the newest instead of from and to
}

// minWindow is the smallest window that keys make, from its first step to its last.
const minWindow = 4

// WindowAxis returns the axis of the steps that charts show.
func (s View) WindowAxis(e env.Env) chart.Axis {
	all, w := trend.AxisOfAllSteps(e), s.Window
	switch {
	case w == StepWindow{}:
		return all
	case w.Last > 0:
		return chart.Axis{Lo: max(all.Lo, all.Hi-float64(w.Last-1)), Hi: all.Hi}
	}
	return chart.Axis{Lo: float64(w.from), Hi: float64(w.to)}
}

// ShowWindow shows some steps: at least a few, none beyond the runs, and if all would be shown, also those to come.
func (s *View) ShowWindow(e env.Env, from, to float64) view.Want {
	all := trend.AxisOfAllSteps(e)
	span := math.Min(math.Max(math.Round(to-from), minWindow), all.Hi-all.Lo)
	from = math.Round(from/2 + to/2 - span/2)
	from = math.Max(all.Lo, math.Min(from, all.Hi-span))
	to = from + span
	s.Window = StepWindow{from: int64(from), to: int64(to)}
	if from <= all.Lo && to >= all.Hi {
		s.Window = StepWindow{}
	}
	return nil
}

// zoom shows half as many steps (by > 0) or twice as many, around the one on the screen if it is among them.
func (s *View) zoom(e env.Env, by int) view.Want {
	if e.Result.Trend == nil {
		return nil
	}
	x := s.WindowAxis(e)
	middle, half := x.Lo/2+x.Hi/2, (x.Hi-x.Lo)/4
	if here := float64(e.Place.Step); here >= x.Lo && here <= x.Hi {
		middle = here
	}
	if by < 0 {
		half *= 4
	}
	return s.ShowWindow(e, middle-half, middle+half)
}

// pan shows the steps half a window later (by > 0) or earlier.
func (s *View) pan(e env.Env, by int) view.Want {
	if e.Result.Trend == nil {
		return nil
	}
	x, all := s.WindowAxis(e), trend.AxisOfAllSteps(e)
	shift := float64(by) * math.Max(1, math.Round((x.Hi-x.Lo)/2))
	switch {
	case s.Window == StepWindow{}:
		return view.Say("all steps are shown: x shows fewer")
	case by > 0 && x.Hi >= all.Hi || by < 0 && x.Lo <= all.Lo:
		return view.Say("no step beyond these")
	}
	return s.ShowWindow(e, x.Lo+shift, x.Hi+shift)
}

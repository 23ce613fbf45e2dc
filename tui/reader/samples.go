package reader

import (
	"fmt"

	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/tui/env"
	"vantage/tui/pane"
	"vantage/tui/samples"
)

func (r Group) table(e env.Env, w, h int) pane.Content {
	g := e.SelectedGroup()
	figures, hidden := samples.FittingColumns(e, g, w)
	lines := max(1, h-3)
	if samples, text := r.parts(e); samples.Y != text.Y { // below each other: lines are few
		lines = 1
	}
	c := pane.Content{Lines: append(samples.FateLines(e, g, w-2, lines), samples.SampleHeader(e, figures))}
	order := e.RankedSamples(g)
	e.Display.AddRows(
		&c, pane.OnRow, r.Sample, len(order), w, h, func(row int) string { return samples.SampleRow(e, figures, row, order[row]) },
	)
	c.Note = "sample " + c.Note
	if hidden > 0 {
		c.Note = fmt.Sprintf("%s not shown · %s", units.Plural(hidden, "components"), c.Note)
	}
	which, prompt := fmt.Sprintf("group %d/%d", e.Place.Row+1, len(e.Result.Rows)), "  "+sanitize.Line(g.Preview)
	if prompt == "  " { // its name may be another number
		which, prompt = fmt.Sprintf("group %s, %d of %d", sanitize.Line(g.Name), e.Place.Row+1, len(e.Result.Rows)), ""
	}
	title := e.Display.PaneTitle(which, !r.InText)
	if e.IsWide() {
		title += fmt.Sprintf(" · step %d", g.Step)
	}
	c.Target = pane.Target{Kind: pane.OnReading, N: 0}
	c.Title = " " + title + prompt
	return c
}

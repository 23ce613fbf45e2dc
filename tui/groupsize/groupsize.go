// Package groupsize is the view of what other sizes of groups would do.
package groupsize

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/figures"
	"vantage/model/plan"
	"vantage/model/report"
	"vantage/model/sanitize"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/chart"
	"vantage/tui/env"
	"vantage/tui/glossary"
	"vantage/tui/job"
	"vantage/tui/layout"
	"vantage/tui/pane"
	"vantage/tui/view"
)

// View is the state of the view of what other sizes of groups would do.
type View struct {
	job     job.Job[groupSizeKey, *plan.GroupSizes]
	topLine int // the first in sight
}

// groupSizeKey is all that the estimates depend on.
type groupSizeKey struct {
	revision int
	set      model.Settings // without a filter, which changes nothing
}

// Work requests the estimates while their view is open.
func (g *View) Work(e env.Env, open bool, c *job.Queue, msg tea.Msg) {
	g.job.Take(c, msg)
	key := groupSizeKey{e.Snap.Revision, e.Settings.Now}
	key.set.KeepPos, key.set.KeepNeg, key.set.Recompute = 1, 1, false
	if !open || e.Snap.Rows == 0 || !g.job.Lacks(key, job.InTurn) {
		return
	}
	snap := e.Snap
	g.job.Start(c, key, job.Once(func(ctx context.Context) (*plan.GroupSizes, error) {
		return plan.EstimateSizes(ctx, snap, key.set, plan.DefaultSizes(), nil)
	}))
}

// Rows makes the text a list.
func (g *View) Rows(e env.Env) (*int, int) {
	return &g.topLine, e.Display.FirstLines(len(g.lines(e, e.Display.W-4)))
}

// OnOpen goes to the top.
func (g *View) OnOpen(env.Env) { g.topLine = 0 }

// Explains returns those of the table.
func (*View) Explains(env.Env) glossary.List {
	return glossary.List{}.At(figures.Sizes, "size", "dead", "range", "all wrong", "all correct", "cost", "a")
}

// Keys of the view.
func (*View) Keys() view.Section {
	return view.Section{Name: "group size", Bindings: append(view.ListKeys("j k scroll"),
		view.Binding{Keys: []string{"esc"}, Label: "Esc", Hint: "Esc back", Doc: "back", Do: view.Ask(view.Escape{})})}
}

// Draw draws the estimates.
func (g *View) Draw(e env.Env, w, h int) []string {
	lines := g.lines(e, w-4)
	c := pane.Content{Title: " group size — what groups of other sizes of the same prompts would do"}.ScrolledTo(g.topLine, lines, h)
	return e.Display.Box(layout.Rect{W: w, H: h}, true, c)
}

// messageWidth is that of the text in place of the table.
const messageWidth = 50

// leastSizeBar is how many cells a bar has beside a row of the table, if there is one.
const leastSizeBar = 16

func (g View) lines(e env.Env, w int) []string {
	r := g.job.Value
	if r == nil {
		text := "estimating from the solve rates of all groups …"
		if g.job.Err != nil {
			text = sanitize.Line(g.job.Err.Error())
		}
		return append([]string{""}, e.Display.Wrapped("  ", themes.Dim, text, min(w-2, messageWidth))...)
	}
	var lines []string
	for i, line := range report.GroupSizeTable(r, w) {
		room := w - cells.Width(line) - 6 // for a bar for the share of the groups that are dead
		switch {
		case i == 0 && room < leastSizeBar:
			line = e.Display.Theme.Paint(themes.Dim, line)
		case i == 0:
			line = e.Display.Theme.Paint(themes.Dim, line+"    dead")
		case room >= leastSizeBar:
			line += "    " + chart.Meter(e.Display.Theme, e.Display.Glyphs, themes.Bad, r.Sizes[i-1].Dead(), room)
		}
		lines = append(lines, " "+line)
	}
	lines = append(lines, "")
	for _, f := range report.GroupSizeFacts(report.GroupSize{GroupSizes: r, Rewards: e.Rewards()}) {
		lines = append(lines, e.Display.LabelledLines(f.Label, f.Text, w)...)
	}
	return lines
}

// Exported returns the sizes.
func (g *View) Exported(env.Env) report.Table {
	if g.job.Value == nil {
		return report.SizesTable(nil)
	}
	return report.SizesTable(g.job.Value.Sizes)
}

package tui

import (
	"fmt"
	"slices"

	"vantage/model/analysis"
	"vantage/tui/env"
	"vantage/tui/layout"
)

func (a App) goTo(to env.Destination) App {
	i, found := a.env.Snap.Find(to.Step)
	if !found {
		return a.says(fmt.Sprintf("step %d is not in the log, or was removed", to.Step))
	}
	a = a.showGroups()
	a.views.destination, a.views.sampleReader.ResumeFollow = &to, false // the newest step is not followed again
	return a.showStep(i)
}

// arrive puts the cursor on what is to be gone to, if its step is on the screen.
func (a App) arrive() App {
	to := a.views.destination
	if to == nil || a.work.analysis.Busy() || a.env.Result.Analysis.Of(to.Step) == nil {
		return a
	}
	a.views.destination = nil
	if to.ByFate {
		table := a.env.Result.Analysis.Table
		a.views.panes.TopRow = 0
		isMeant := func(g int) bool { return table[g].Fate == to.Fate && table[g].Step == to.Step }
		a.env.Place.Row = max(0, slices.IndexFunc(a.env.Result.Rows, isMeant))
		return a.clampCursor()
	}
	if to.Group == "" && to.Row == 0 {
		return a.focusPane(layout.Steps)
	}
	g, ok := groupOf(a.env, *to)
	if !ok {
		return a.says(fmt.Sprintf("step %d no longer has the group", to.Step))
	}
	row := slices.Index(a.env.Result.Rows, g)
	if row < 0 {
		return a.says("the filter hides the group: / changes the filter, u undoes it")
	}
	a.env.Place.Row = row
	if to.Row > 0 {
		x := a.env.Result.Analysis
		to.Sample = 1 + slices.Index(x.InputRow[x.Table[g].Start:x.Table[g].End], int32(to.Row-1))
	}
	if to.Sample > 0 {
		a = a.openSample(to.Sample)
	}
	return a.clampCursor()
}

// groupOf finds the group of a destination in the step on the screen, by a row of it or by its name, else by its prompt.
func groupOf(e env.Env, to env.Destination) (int, bool) {
	x := e.Result.Analysis
	byName := func(g analysis.Group) bool {
		return g.Step == to.Step && (g.Name == to.Group || to.Prompt != "" && g.Name == to.Prompt)
	}
	byPrompt := func(g analysis.Group) bool {
		if to.Prompt == "" || g.Step != to.Step {
			return false
		}
		step, ok := e.AnalyzedStep(g.Step)
		return ok && e.Snap.PromptName(&step, int(x.InputRow[g.Start])) == to.Prompt
	}
	if to.Row > 0 {
		g := slices.IndexFunc(x.Table, func(g analysis.Group) bool {
			return g.Step == to.Step && slices.Contains(x.InputRow[g.Start:g.End], int32(to.Row-1))
		})
		return g, g >= 0
	}
	g := slices.IndexFunc(x.Table, byName)
	if g < 0 {
		g = slices.IndexFunc(x.Table, byPrompt)
	}
	return g, g >= 0
}

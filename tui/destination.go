package tui

import (
	"fmt"
	"slices"

	"vantage/model/analysis"
	"vantage/tui/layout"
)

// destination is a step, a group of it or a sample of that, where the cursor is to go.
type destination struct {
	step   int64
	group  string // its name; "" for the step
	prompt string // its hash, which finds the group under another grouping
	sample int    // row of the group in the order of the log, from 1; 0 for the group
}

func (a App) goTo(to destination) App {
	i, found := a.env.snap.Find(to.step)
	if !found {
		return a.says(fmt.Sprintf("step %d is not in the log, or was removed", to.step))
	}
	a = a.showGroups()
	a.views.destination, a.views.sampleReader.resumeFollow = &to, false // the newest step is not followed again
	return a.showStep(i)
}

// arrive puts the cursor on what is to be gone to, if its step is on the screen.
func (a App) arrive() App {
	to := a.views.destination
	if to == nil || a.work.analysis.busy() || a.env.result.analysis.Of(to.step) == nil {
		return a
	}
	a.views.destination = nil
	if to.group == "" {
		return a.focusPane(layout.Steps)
	}
	g, ok := a.env.groupOf(*to)
	if !ok {
		return a.says(fmt.Sprintf("step %d no longer has the group", to.step))
	}
	row := slices.Index(a.env.result.rows, g)
	if row < 0 {
		return a.says("the filter hides the group: / changes the filter, u undoes it")
	}
	a.env.place.row = row
	if to.sample > 0 {
		a = a.openSample(to.sample)
	}
	return a.clampCursor()
}

// groupOf finds the group of a destination in the step on the screen, by its name, else by its prompt.
func (e env) groupOf(to destination) (int, bool) {
	x := e.result.analysis
	byName := func(g analysis.Group) bool {
		return g.Step == to.step && (g.Name == to.group || to.prompt != "" && g.Name == to.prompt)
	}
	byPrompt := func(g analysis.Group) bool {
		if to.prompt == "" || g.Step != to.step {
			return false
		}
		step, ok := e.analyzedStep(g.Step)
		return ok && e.snap.PromptName(&step, int(x.InputRow[g.Start])) == to.prompt
	}
	g := slices.IndexFunc(x.Table, byName)
	if g < 0 {
		g = slices.IndexFunc(x.Table, byPrompt)
	}
	return g, g >= 0
}

// openSample opens the group under the cursor at a sample, given by its row in the log.
func (a App) openSample(sample int) App {
	g := a.env.selectedGroup()
	if sample > g.Size() {
		return a.says(fmt.Sprintf("the group no longer has a row %d", sample))
	}
	a = a.openGroup()
	a.views.sampleReader.group, a.views.sampleReader.sample = keyOf(g), slices.Index(a.env.rankedSamples(g), g.Start+sample-1)
	return a
}

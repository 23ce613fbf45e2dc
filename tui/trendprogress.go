package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"vantage/model/units"
)

// firstSteps is how many samples the first part of the trend has at least: computed
// before a person notices. Each part has twice as many as the one before, so that the
// screen is drawn a few times, not once for each step.
const firstSteps = 1 << 16

// firstPart is how many samples to compute first. Where all steps are on the screen
// under these settings only new ones are missing: they come at once, since a log that
// is being read may not have the screen drawn more than twice a second.
func (a App) firstPart() int {
	if t := a.result.trend; t != nil && t.Complete() && t.Settings == a.set.now.Effective() {
		return a.snap.Rows
	}
	return firstSteps
}

// fill asks for more steps, newest first.
func (a App) fill(samples int) (App, tea.Cmd) {
	a.work.cancel() // what was asked for before has come
	var ctx context.Context
	ctx, a.work.cancel = context.WithCancel(a.ctx)
	return a, follow(ctx, a.work.revision, a.snap, a.set, a.result, samples)
}

// filling says how many of the steps are computed: "312/1000 steps".
func (a App) filling() string {
	t := a.result.trend
	return units.Count(len(t.Steps)-t.Pending) + "/" + units.Count(len(t.Steps)) + " steps"
}

package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"vantage/model/units"
)

// firstTrendSamples is how many samples the first part of the trend has at least: computed
// before a person notices. Each part has twice as many as the one before, so that the
// screen is drawn a few times, not once for each step.
const firstTrendSamples = 1 << 16

// firstTrendPart is how many samples to compute first. Where all steps are on the screen
// under these settings only new ones are missing: they come at once, since a log that
// is being read may not have the screen drawn more than twice a second.
func (a App) firstTrendPart() int {
	if t := a.result.trend; t != nil && t.Complete() && t.Settings == a.settings.now.Effective() {
		return a.snap.Rows
	}
	return firstTrendSamples
}

// continueTrend asks for more steps, newest first.
func (a App) continueTrend(samples int) (App, tea.Cmd) {
	a.work.cancel() // what was asked for before has come
	var ctx context.Context
	ctx, a.work.cancel = context.WithCancel(a.ctx)
	return a, computeTrend(ctx, a.work.revision, a.snap, a.settings, a.result, samples)
}

// trendProgress says how many of the steps are computed: "312/1000 steps".
func (a App) trendProgress() string {
	t := a.result.trend
	return units.Count(len(t.Steps)-t.Pending) + "/" + units.Count(len(t.Steps)) + " steps"
}

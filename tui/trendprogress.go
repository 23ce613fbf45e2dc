package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"vantage/model/units"
)

// firstTrendSamples is how many samples the first part of the trend has at least: few
// enough to be computed before a person notices. Each part has twice as many as the one
// before, so that the screen is drawn a few times, not once a step.
const firstTrendSamples = 1 << 16

// firstTrendPart returns how many samples to compute first. If the trend on the screen is
// complete under these settings, only new steps are missing: they are computed in one
// part, so that a growing log has the screen drawn no more than twice a second.
func (a App) firstTrendPart() int {
	if t := a.result.trend; t != nil && t.Complete() && t.Settings == a.settings.now.Effective() {
		return a.snap.Rows
	}
	return firstTrendSamples
}

// continueTrend requests the newest steps up to so many samples.
func (a App) continueTrend(samples int) (App, tea.Cmd) {
	a.work.cancel() // the part before has come: this releases its context
	var ctx context.Context
	ctx, a.work.cancel = context.WithCancel(a.ctx)
	return a, computeTrend(ctx, a.work.revision, a.snap, a.settings, a.result, samples)
}

// trendProgress returns how many of the steps are computed: "312/1000 steps".
func (a App) trendProgress() string {
	t := a.result.trend
	return units.Count(len(t.Steps)-t.Pending) + "/" + units.Count(len(t.Steps)) + " steps"
}

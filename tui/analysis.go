package tui

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/tui/env"
	"vantage/tui/job"
	"vantage/tui/overview"
	"vantage/tui/view"
)

// background is what keeps the screen up with the log and the settings: the analysis of the steps on the screen, then the trend
// over all steps.
type background struct {
	analysis  job.Job[analysisKey, env.Analysed]
	trend     job.Job[int, env.Trends] // by the number of the analysis that it follows
	snapshots int                      // that were taken of the store
	stale     bool                     // rows came that the latest one does not have
	throttled bool                     // the last refresh was less than refreshInterval ago
}

// analysisKey is all that the steps on the screen depend on.
type analysisKey struct {
	snapshot, step int // number of the one, index in it of the other
	scope          env.Scope
	now            model.Settings
	base           env.Baseline
}

// refreshInterval is the least time between two refreshes from new rows: however fast a log grows, the screen is drawn at most
// twice a second.
const refreshInterval = 500 * time.Millisecond

// throttleEndedMsg ends the pause after a refresh.
type throttleEndedMsg struct{}

func (throttleEndedMsg) on(a App) App {
	a.work.throttled = false
	return a
}

// updateAnalysis takes the analysis, or a part of the trend, and requests what the screen lacks of both.
func (a App) updateAnalysis(msg tea.Msg) App {
	isAnalysis := a.work.analysis.Take(&a.commands, msg)
	if isAnalysis {
		a = a.onAnalysis(a.work.analysis.Value, a.work.analysis.Err)
	}
	if a.work.trend.Take(&a.commands, msg) && a.work.trend.Err == nil {
		a.env.Result.Trend, a.env.Result.BaseTrend = a.work.trend.Value.Trend, a.work.trend.Value.Base
	}
	if isAnalysis && a.work.analysis.Err == nil {
		a = a.startTrend(firstTrendPart(a.env))
	}
	// New rows wait for what is under way, which is never cancelled for them, and for a moment after the last refresh.
	refreshes := a.work.stale && !a.work.analysis.Busy() && !a.work.trend.Busy() && !a.work.throttled
	if refreshes {
		a = a.takeSnapshot()
	}
	a = a.requestAnalysis().arrive().updateMatch(msg)
	if refreshes {
		a = a.starts(tea.Tick(refreshInterval, func(time.Time) tea.Msg { return throttleEndedMsg{} })).onClock(a.env.SourceState.LastChunk)
	}
	return a
}

func (a App) takeSnapshot() App {
	a.work.stale, a.work.throttled = false, true
	a.work.snapshots++
	before := a.env.Snap.Run.Progress
	a.env.Snap = a.store.Snapshot()
	if p := &a.env.Snap.Run.Progress; p.LastWrite.Equal(before.LastWrite) { // else the newest row is another
		p.RowTime = before.RowTime
	}
	a.env.SourceState.Rate = a.env.SourceState.Rate.Updated(a.env.SourceState.LastChunk, a.env.Snap.Run.Progress)
	if a.env.Place.Follow && len(a.env.Snap.Steps) > 0 {
		a.env.Place.Step = a.env.NewestStep()
	}
	if len(a.env.Snap.Steps) == 0 {
		a.env.Result = env.Result{}
	}
	return a.startAtTrainer().chooseFirstView()
}

func (a App) analysisKey() analysisKey {
	return analysisKey{a.work.snapshots, a.env.StepIndex(), a.env.Place.Scope.Scope, a.env.Settings.Now, a.env.Settings.Base}
}

// requestAnalysis requests the steps on the screen under the settings, and cancels what was under way for others.
func (a App) requestAnalysis() App {
	if len(a.env.Snap.Steps) == 0 || a.analysisKey() == a.work.analysis.Key {
		return a
	}
	a.work.trend.Stop()
	a.work.analysis.Start(
		&a.commands, a.analysisKey(), analyze(a.env.Snap, a.env.StepIndex(), a.env.Place.Scope, a.env.Settings.State, a.env.Result),
	)
	return a
}

// analyze computes the steps of the scope that ends at index end of a snapshot, under the baseline too if there is one, and
// reuses what it can of the analyses on the screen.
func analyze(snap model.Snapshot, end int, state env.ScopeState, set env.State, known env.Result) job.Work[env.Analysed] {
	return job.Once(func(ctx context.Context) (x env.Analysed, err error) {
		x.Scope = state
		if x.Analysis, err = state.Analyze(ctx, snap, end, set.Now, known.Analysis); err == nil {
			x.Scope, x.Analysis, err = state.Decide(ctx, snap, end, set.Now, x.Analysis)
		}
		if err != nil {
			return x, err
		}
		_, x.Every = x.Scope.Indexes(snap, end)
		if !set.Base.On {
			return x, nil
		}
		before := known.Base
		if before == nil {
			before = x.Analysis
		}
		x.Base, err = x.Scope.Analyze(ctx, snap, end, set.Base.Settings, before)
		return x, err
	})
}

// onAnalysis shows the steps. The cursor stays on its group, or at the top, where the worst group is, if it was not moved from
// there.
func (a App) onAnalysis(x env.Analysed, err error) App {
	if err != nil {
		a.env.Result = env.Result{Err: err}
		return a
	}
	selected := env.GroupKey{}
	if g := a.env.SelectedGroup(); g != nil &&
		(a.env.Place.Row > 0 || a.position.readingGroup() || slices.Contains(a.position.backStack, view.Group)) {
		selected = env.KeyOf(g)
	}
	a.env.Result.Base, a.env.Result.Analysis, a.env.Result.Err, a.env.Result.SharedPrompt = x.Base, x.Analysis, nil,
		env.SharedPrompt(x.Analysis.Table)
	a.env.Place.Step = x.Analysis.Step
	a = a.arrangeRows(selected)
	a.views.panes.Warning = min(a.views.panes.Warning, max(0, len(overview.WarningLines(a.env))-1))
	a = a.clampCursor().takeScope(x.Scope, x.Every)
	a.work.analysis.Key = a.analysisKey() // the scope may have been decided
	return a
}

// firstTrendPart returns how many samples to compute first. If the trend on the screen is complete under these settings, only
// new steps are missing: they are computed in one part, so that a growing log has the screen drawn no more than twice a second.
func firstTrendPart(e env.Env) int {
	if t := e.Result.Trend; t != nil && t.Complete() && t.Settings == e.Settings.Now.Effective() {
		return e.Snap.Rows
	}
	return env.FirstTrendSamples
}

// startTrend requests the trend, first of the newest steps up to so many samples. It reuses the steps that have not changed
// since the trend before, and those on the screen.
func (a App) startTrend(samples int) App {
	known := env.Trends{Trend: a.env.Result.Trend, Base: a.env.Result.BaseTrend}
	a.work.trend.Start(
		&a.commands, a.work.analysis.Number,
		env.ComputeTrend(a.env.Snap, a.env.Settings.State, a.env.Result.Analysis, a.env.Result.Base, known, samples),
	)
	return a
}

// updateSubset requests the figures of the groups shown. They cannot be cancelled, so it waits for those under way.
func (a App) updateSubset(msg tea.Msg) App {
	a.env.Subset.Take(&a.commands, msg)
	if !a.env.IsFiltered() {
		if !a.env.Subset.Busy() {
			a.env.Subset.Reset() // releases the analyses
		}
		return a
	}
	key := env.SubsetKey{Analysis: a.env.Result.Analysis, Base: a.env.Result.Base, Filter: a.env.Result.Filter}
	if !a.env.Subset.Lacks(key, job.InTurn) {
		return a
	}
	groups := slices.Sorted(slices.Values(a.env.Result.Rows)) // sums do not depend on the order of the table
	a.env.Subset.Start(&a.commands, key, job.Once(func(context.Context) (s env.Subset, _ error) {
		s.Figures = key.Analysis.Subset(groups)
		if key.Base != nil && key.Base.Groups == key.Analysis.Groups {
			s.BaseFigures = key.Base.Subset(groups)
		}
		return s, nil
	}))
	return a
}

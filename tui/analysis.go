package tui

import (
	"context"
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/units"
)

// background is what keeps the screen up with the log and the settings: the analysis of the steps on the screen, then the trend
// over all steps.
type background struct {
	analysis  job[analysisKey, analysed]
	trend     job[int, trends] // by the number of the analysis that it follows
	snapshots int              // that were taken of the store
	stale     bool             // rows came that the latest one does not have
	throttled bool             // the last refresh was less than refreshInterval ago
}

// analysisKey is all that the steps on the screen depend on.
type analysisKey struct {
	snapshot, step int // number of the one, index in it of the other
	scope          scope
	now            model.Settings
	base           baseline
}

// analysed is the steps on the screen.
type analysed struct {
	scope    scopeState // as it was decided, if it was not before
	every    int        // see result
	analysis *analysis.Analysis
	base     *analysis.Analysis // under the baseline, nil if there is none
}

// trends is the trend over all steps, or over the newest while the others are pending.
type trends struct {
	trend, base *analysis.Trend // the latter under the baseline, nil if there is none
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
	isAnalysis := a.work.analysis.take(&a.commands, msg)
	if isAnalysis {
		a = a.onAnalysis(a.work.analysis.value, a.work.analysis.err)
	}
	if a.work.trend.take(&a.commands, msg) && a.work.trend.err == nil {
		a.env.result.trend, a.env.result.baseTrend = a.work.trend.value.trend, a.work.trend.value.base
	}
	if isAnalysis && a.work.analysis.err == nil {
		a = a.startTrend(a.env.firstTrendPart())
	}
	// New rows wait for what is under way, which is never cancelled for them, and for a moment after the last refresh.
	refreshes := a.work.stale && !a.work.analysis.busy() && !a.work.trend.busy() && !a.work.throttled
	if refreshes {
		a = a.takeSnapshot()
	}
	a = a.requestAnalysis().arrive().updateMatch(msg)
	if refreshes {
		a = a.starts(tea.Tick(refreshInterval, func(time.Time) tea.Msg { return throttleEndedMsg{} })).onClock(a.env.sourceState.lastChunk)
	}
	return a
}

func (a App) takeSnapshot() App {
	a.work.stale, a.work.throttled = false, true
	a.work.snapshots++
	before := a.env.snap.Run.Progress
	a.env.snap = a.store.Snapshot()
	if p := &a.env.snap.Run.Progress; p.LastWrite.Equal(before.LastWrite) { // else the newest row is another
		p.RowTime = before.RowTime
	}
	a.env.sourceState.rate = a.env.sourceState.rate.updated(a.env.sourceState.lastChunk, a.env.snap.Run.Progress)
	if a.env.place.follow && len(a.env.snap.Steps) > 0 {
		a.env.place.step = a.env.newestStep()
	}
	if len(a.env.snap.Steps) == 0 {
		a.env.result = result{}
	}
	return a.startAtTrainer().chooseFirstView()
}

func (a App) analysisKey() analysisKey {
	return analysisKey{a.work.snapshots, a.env.stepIndex(), a.env.place.scope.scope, a.env.settings.now, a.env.settings.base}
}

// requestAnalysis requests the steps on the screen under the settings, and cancels what was under way for others.
func (a App) requestAnalysis() App {
	if len(a.env.snap.Steps) == 0 || a.analysisKey() == a.work.analysis.key {
		return a
	}
	a.work.trend.stop()
	a.work.analysis.start(&a.commands, a.analysisKey(), analyze(a.env.snap, a.env.stepIndex(), a.env.place.scope, a.env.settings.undoState, a.env.result))
	return a
}

// analyze computes the steps of the scope that ends at index end of a snapshot, under the baseline too if there is one, and
// reuses what it can of the analyses on the screen.
func analyze(snap model.Snapshot, end int, state scopeState, set undoState, known result) work[analysed] {
	return once(func(ctx context.Context) (x analysed, err error) {
		x.scope = state
		if x.analysis, err = state.analyze(ctx, snap, end, set.now, known.analysis); err == nil {
			x.scope, x.analysis, err = state.decide(ctx, snap, end, set.now, x.analysis)
		}
		if err != nil {
			return x, err
		}
		_, x.every = x.scope.indexes(snap, end)
		if !set.base.on {
			return x, nil
		}
		before := known.base
		if before == nil {
			before = x.analysis
		}
		x.base, err = x.scope.analyze(ctx, snap, end, set.base.settings, before)
		return x, err
	})
}

// onAnalysis shows the steps. The cursor stays on its group, or at the top, where the worst group is, if it was not moved from
// there.
func (a App) onAnalysis(x analysed, err error) App {
	if err != nil {
		a.env.result = result{err: err}
		return a
	}
	selected := groupKey{}
	if g := a.env.selectedGroup(); g != nil && (a.env.place.row > 0 || a.position.readingGroup() || slices.Contains(a.position.backStack, viewGroup)) {
		selected = keyOf(g)
	}
	a.env.result.base, a.env.result.analysis, a.env.result.err, a.env.result.sharedPrompt = x.base, x.analysis, nil, sharedPrompt(x.analysis.Table)
	a.env.place.step = x.analysis.Step
	a = a.arrangeRows(selected)
	a.panes.warning = min(a.panes.warning, max(0, len(a.env.warningLines())-1))
	a = a.clampCursor().takeScope(x.scope, x.every)
	a.work.analysis.key = a.analysisKey() // the scope may have been decided
	return a
}

// newestStep returns the step to follow: the newest complete one, whose figures no longer change, or the first while it is the
// only one.
func (e env) newestStep() int64 {
	last := len(e.snap.Steps) - 1
	if last > 0 && e.snap.Open(last) {
		last--
	}
	return e.snap.Steps[last].Number
}

func (e env) stepIndex() int {
	i, _ := e.snap.Find(e.place.step)
	return min(i, len(e.snap.Steps)-1)
}

// firstTrendSamples is how many samples the first part of the trend has at least: few enough to be computed before a person
// notices. Each part has twice as many as the one before, so that the screen is drawn a few times, not once a step.
const firstTrendSamples = 1 << 16

// firstTrendPart returns how many samples to compute first. If the trend on the screen is complete under these settings, only
// new steps are missing: they are computed in one part, so that a growing log has the screen drawn no more than twice a second.
func (e env) firstTrendPart() int {
	if t := e.result.trend; t != nil && t.Complete() && t.Settings == e.settings.now.Effective() {
		return e.snap.Rows
	}
	return firstTrendSamples
}

// startTrend requests the trend, first of the newest steps up to so many samples. It reuses the steps that have not changed
// since the trend before, and those on the screen.
func (a App) startTrend(samples int) App {
	known := trends{a.env.result.trend, a.env.result.baseTrend}
	a.work.trend.start(&a.commands, a.work.analysis.number, computeTrend(a.env.snap, a.env.settings.undoState, a.env.result.analysis, a.env.result.base, known, samples))
	return a
}

// computeTrend computes the trend of the newest steps up to so many samples, under the baseline too if there is one, then of twice as
// many. It reuses those that are known, and the analyses that are shown.
func computeTrend(snap model.Snapshot, set undoState, shown, base *analysis.Analysis, known trends, samples int) work[trends] {
	return func(ctx context.Context) (next trends, more work[trends], err error) {
		if next.trend, err = analysis.ComputeTrend(ctx, snap, set.now, known.trend, shown, samples); err == nil && set.base.on {
			next.base, err = analysis.ComputeTrend(ctx, snap, set.base.settings, known.base, base, samples)
		}
		if err == nil && (!next.trend.Complete() || next.base != nil && !next.base.Complete()) {
			more = computeTrend(snap, set, shown, base, next, 2*samples)
		}
		return next, more, err
	}
}

// trendProgress returns how many of the steps are computed: "312/1000 steps".
func (e env) trendProgress() string {
	t := e.result.trend
	return units.Count(len(t.Steps)-t.Pending) + "/" + units.Count(len(t.Steps)) + " steps"
}

// groupsSoFar returns the groups of a step that is being written, out of as many as the step before had if that is known: the
// steps of a run are of about one size.
func (e env) groupsSoFar(s *analysis.StepFigures) string {
	if t := e.result.trend; t != nil {
		if i, ok := t.Find(s.Step); ok && i > 0 && t.Steps[i-1].Groups >= s.Groups {
			return units.Count(s.Groups) + "/" + units.Plural(t.Steps[i-1].Groups, "groups")
		}
	}
	return units.Plural(s.Groups, "groups")
}

// groupKey is a group of a step; zero for none.
type groupKey struct {
	step int64
	name string
}

func keyOf(g *analysis.Group) groupKey { return groupKey{g.Step, g.Name} }

// selectedGroup returns the group under the cursor, nil if there is none.
func (e env) selectedGroup() *analysis.Group {
	if e.result.analysis == nil || e.place.row >= len(e.result.rows) {
		return nil
	}
	return &e.result.analysis.Table[e.result.rows[e.place.row]]
}

// subsetKey is all that the figures of the groups that the filter shows depend on, while it leaves some out.
type subsetKey struct {
	analysis, base *analysis.Analysis
	filter         string
}

// subset is these figures.
type subset struct {
	figures, baseFigures analysis.StepFigures // the latter under the baseline, if there is one
}

func (e env) isFiltered() bool {
	return e.result.analysis != nil && len(e.result.rows) < e.result.analysis.Groups
}

// updateSubset requests the figures of the groups shown. They cannot be cancelled, so it waits for those under way.
func (a App) updateSubset(msg tea.Msg) App {
	a.env.subset.take(&a.commands, msg)
	if !a.env.isFiltered() {
		if !a.env.subset.busy() {
			a.env.subset.reset() // releases the analyses
		}
		return a
	}
	key := subsetKey{analysis: a.env.result.analysis, base: a.env.result.base, filter: a.env.result.filter}
	if !a.env.subset.lacks(key, inTurn) {
		return a
	}
	groups := slices.Sorted(slices.Values(a.env.result.rows)) // sums do not depend on the order of the table
	a.env.subset.start(&a.commands, key, once(func(context.Context) (s subset, _ error) {
		s.figures = key.analysis.Subset(groups)
		if key.base != nil && key.base.Groups == key.analysis.Groups {
			s.baseFigures = key.base.Subset(groups)
		}
		return s, nil
	}))
	return a
}

// shownFigures returns the figures of the groups that the filter shows; nil before there is a step and while they are computed.
func (e env) shownFigures() *analysis.StepFigures {
	switch of := e.subset.of; {
	case e.result.analysis == nil:
		return nil
	case !e.isFiltered():
		return &e.result.analysis.StepFigures
	case of.filter != e.result.filter || !of.analysis.SameSteps(e.result.analysis):
		return nil
	}
	figures := e.subset.value.figures // the address of a's own would move all of a to the heap
	return &figures
}

// baselineFigures is shownFigures under the baseline, nil if there is none.
func (e env) baselineFigures() *analysis.StepFigures {
	switch base := e.baselineAnalysis(); {
	case base == nil:
		return nil
	case !e.isFiltered():
		return &base.StepFigures
	}
	return &e.subset.value.baseFigures
}

// shownCount returns how many groups the filter shows, as "[12/24]"; "" without a filter.
func (e env) shownCount() string {
	if e.result.filter == "" {
		return ""
	}
	return fmt.Sprintf("[%s/%s]", units.Count(len(e.result.rows)), units.Count(e.result.analysis.Groups))
}

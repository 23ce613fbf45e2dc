package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/sweep"
)

// sweepKey is all that a grid depends on.
type sweepKey struct {
	scope    sweepScope
	step     int64          // if it is of one step, or of the last up to one; 0 for the newest
	revision int            // of the step, or of the snapshot
	set      model.Settings // without ratios and recompute

	analysis *analysis.Analysis // of the step, if only groups that the filter shows are swept
	filter   string
}

// isOlder reports whether only rows came since a request.
func (q sweepKey) isOlder(wanted sweepKey) bool {
	q.revision, q.analysis = wanted.revision, wanted.analysis
	return q == wanted
}

// sweepPart is the grid after some more steps.
type sweepPart struct {
	grid        *sweep.Grid
	done, total int // steps
}

// wantedSweep returns the request of the map that belongs on the screen.
func (a App) wantedSweep() sweepKey {
	q := sweepKey{scope: a.currentScope(), set: a.settings.now, revision: a.snap.Revision}
	q.set.KeepPos, q.set.KeepNeg, q.set.Recompute = 1, 1, false
	if q.scope.kind == scopeShown {
		q.analysis, q.filter = a.result.analysis, a.settings.filter
	}
	switch i := a.stepIndex(); {
	case q.scope.kind == scopeStep, q.scope.kind == scopeShown && !a.isWide():
		q.step, q.revision = a.snap.Steps[i].Number, a.snap.Steps[i].Revision
	case q.scope.kind == scopeLast && !a.place.follow:
		q.step = a.snap.Steps[i].Number
	}
	return q
}

// updateSweep takes the grid, part by part, and requests it while its view is open. A grid stays on the screen until the next of
// the same with more rows has as many steps.
func (a App) updateSweep(msg tea.Msg) App {
	var more tea.Cmd
	var isAnswer bool
	if a.sweep.job, more, isAnswer = a.sweep.job.take(msg); isAnswer {
		if part := a.sweep.job.value; a.sweep.grid == nil || a.sweep.grid.Steps <= part.done || more == nil {
			a.sweep.grid = part.grid
		}
		a = a.starts(more)
	}
	if a.position.view != viewSweep || len(a.snap.Steps) == 0 || a.result.analysis == nil {
		return a.stopSweep().updateAdvice()
	}
	key, before := a.wantedSweep(), a.sweep.job.key
	if key.scope.kind == scopeShown && !a.stepIsCurrent() || !a.sweep.job.lacks(key, sweepKey.isOlder) {
		return a.updateAdvice()
	}
	if !before.isOlder(key) {
		a.sweep.grid, a.sweep.job.err = nil, nil // it is of something else
	}
	steps, groups := a.scopeSteps(key.scope), map[int][]int(nil)
	if key.analysis != nil {
		groups = a.shownGroups()
		steps = slices.DeleteFunc(steps, func(i int) bool { return groups[i] == nil })
	}
	var cmd tea.Cmd
	a.sweep.job, cmd = a.sweep.job.start(a.ctx, key, computeSweep(key.set, a.snap, steps, groups))
	a.sweep.job.value.done, a.sweep.job.value.total = 0, len(steps)
	return a.updateAdvice().starts(cmd)
}

// stepIsCurrent reports whether the rows on the screen are groups of the steps to sweep, in
// their present revision.
func (e env) stepIsCurrent() bool {
	for _, part := range e.result.analysis.Parts() {
		if _, ok := e.analyzedStep(part.Step); !ok {
			return false
		}
	}
	return e.result.analysis.Step == e.snap.Steps[e.stepIndex()].Number
}

// stopSweep cancels the request. A complete grid stays, unless it covers only the groups
// that the filter shows: the request would keep their analysis in memory.
func (a App) stopSweep() App {
	if a.sweep.job.busy() || a.sweep.job.key.analysis != nil {
		a.sweep.job, a.sweep.grid = a.sweep.job.stop(), nil
	}
	return a
}

// computeSweep sweeps the ratios over some steps of a snapshot, the newest first, and of these over some groups by the index of
// the step; nil: all.
func computeSweep(set model.Settings, snap model.Snapshot, steps []int, groups map[int][]int) work[sweepPart] {
	return func(ctx context.Context) (sweepPart, work[sweepPart], error) {
		grid, err := sweep.New(set, sweep.DefaultRatios())
		switch {
		case err != nil:
		case groups != nil && len(groups) == 0:
			err = errors.New("the filter shows no groups: Tab changes the scope")
		case len(steps) == 0:
			err = errors.New("no complete step to sweep: Tab changes the scope")
		}
		if err != nil {
			return sweepPart{}, nil, err
		}
		return addSteps(grid, snap, steps, groups, len(steps))(ctx)
	}
}

// sweepPartSamples is the least number of samples of a part, so that the map appears early.
const sweepPartSamples = 1 << 18

// addSteps adds steps to a grid, in parts.
func addSteps(grid *sweep.Grid, snap model.Snapshot, steps []int, groups map[int][]int, total int) work[sweepPart] {
	return func(ctx context.Context) (sweepPart, work[sweepPart], error) {
		n, next, err := 0, grid, error(nil)
		for samples := 0; samples < sweepPartSamples && n < len(steps) && err == nil; n++ {
			samples += len(snap.Steps[steps[n]].Rewards)
			if groups != nil {
				next, err = next.WithSteps(ctx, snap, steps[n:n+1], groups[steps[n]])
			}
		}
		if groups == nil {
			next, err = grid.WithSteps(ctx, snap, steps[:n], nil)
		}
		part := sweepPart{grid: next, done: total - len(steps) + n, total: total}
		if n == len(steps) {
			return part, nil, err
		}
		return part, addSteps(next, snap, steps[n:], groups, total), err
	}
}

// sweepProgress returns how many steps are in a map over several; "" if all are.
func (a App) sweepProgress() string {
	part := a.sweep.job.value
	if !a.sweep.job.busy() || part.total < 2 {
		return ""
	}
	return fmt.Sprintf("%d/%d steps so far, newest first", part.done, part.total)
}

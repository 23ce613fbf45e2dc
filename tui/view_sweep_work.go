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

// sweepRequest tells grids apart: nothing else bears on one.
type sweepRequest struct {
	scope    sweepScope
	step     int64          // if one is swept
	revision int            // of the step, or of the snapshot
	set      model.Settings // less the ratios and the recompute

	analysis *analysis.Analysis // of which the filter shows some groups, nil: all
	filter   string
}

// sameButData reports whether a question may wait for the answer to another one: it is the
// same of data that have grown since.
func (q sweepRequest) sameButData(o sweepRequest) bool {
	q.revision, q.analysis = o.revision, o.analysis
	return q == o
}

// wantedSweep is the question that the screen asks now.
func (a App) wantedSweep() sweepRequest {
	q := sweepRequest{scope: a.currentScope(), set: a.settings.now, revision: a.snap.Revision}
	q.set.KeepPos, q.set.KeepNeg, q.set.Recompute = 1, 1, false
	if q.scope.kind == scopeShown {
		q.analysis, q.filter = a.result.analysis, a.settings.filter
	}
	if q.scope.kind == scopeStep || q.scope.kind == scopeShown {
		i := a.stepIndex()
		q.step, q.revision = a.snap.Steps[i].Number, a.snap.Steps[i].Revision
	}
	return q
}

// requestSweep asks for the grid while its view is seen, unless it is there or on its
// way. A question that is no longer request is given up; one whose data have grown is
// answered first, or a fast log would have no answer ever.
func (a App) requestSweep() (App, tea.Cmd) {
	if a.position.view != viewSweep || len(a.snap.Steps) == 0 || a.result.analysis == nil {
		return a.stopSweep(), nil
	}
	if a.currentScope().kind == scopeShown && !a.stepIsCurrent() {
		return a, nil
	}
	request, grown := a.wantedSweep(), a.wantedSweep().sameButData(a.sweep.request)
	if a.sweep.request == request || grown && a.sweep.cancel != nil {
		return a, nil
	}
	if a.sweep.cancel != nil {
		a.sweep.cancel()
		a.sweep.cancel = nil
	}
	a.sweep.request, a.sweep.err = request, nil
	if !grown {
		a.sweep.grid = nil // of something else: better nothing than that
	}
	return a.startSweep(request)
}

// stepIsCurrent reports whether the groups on the screen are those of the step that was
// gone to, as the log has it now: else they would be looked for in another one.
func (a App) stepIsCurrent() bool {
	step, ok := a.analyzedStep()
	return ok && step.Number == a.snap.Steps[a.stepIndex()].Number
}

// startSweep computes in the background what is request, in parts.
func (a App) startSweep(request sweepRequest) (App, tea.Cmd) {
	job := sweepJob{request: request, snap: a.snap, steps: a.scopeSteps(request.scope)}
	if request.analysis != nil {
		job.groups = slices.Sorted(slices.Values(a.result.rows))
	}
	job.total = len(job.steps)
	grid, err := sweep.New(request.set, sweep.DefaultRatios())
	switch {
	case err != nil:
	case job.total == 0:
		err = errors.New("there is no complete step to sweep: Tab sweeps something else")
	case request.analysis != nil && len(job.groups) == 0:
		err = errors.New("the filter shows no groups: Tab sweeps something else")
	}
	if err != nil {
		a.sweep.grid, a.sweep.err = nil, err
		return a, nil
	}
	var ctx context.Context
	ctx, a.sweep.cancel = context.WithCancel(a.ctx)
	a.sweep.stepsDone, a.sweep.stepsTotal = 0, job.total
	return a, job.nextPart(ctx, grid)
}

// stopSweep gives up what is still being computed; a grid that is whole stays, unless
// it is of some groups, whose step it would hold.
func (a App) stopSweep() App {
	if a.sweep.cancel != nil {
		a.sweep.cancel()
	} else if a.sweep.request.analysis == nil {
		return a
	}
	a.sweep.cancel, a.sweep.grid, a.sweep.request = nil, nil, sweepRequest{}
	return a
}

// sweepJob is a sweep that is computed part by part, so that the map fills while one
// looks at it.
type sweepJob struct {
	request sweepRequest
	snap    model.Snapshot
	steps   []int // that are left, the newest first
	groups  []int // groups of the step, nil: all
	total   int   // steps in all
}

// sweepPartSamples is how many samples a part has at least.
const sweepPartSamples = 1 << 18

// nextPart adds steps to a grid, as many as a part has.
func (j sweepJob) nextPart(ctx context.Context, grid *sweep.Grid) tea.Cmd {
	return func() tea.Msg {
		n := 0
		for samples := 0; samples < sweepPartSamples && n < len(j.steps); n++ {
			samples += len(j.snap.Steps[j.steps[n]].Rewards)
		}
		next, err := grid.WithSteps(ctx, j.snap, j.steps[:n], j.groups)
		rest := j
		rest.steps = j.steps[n:]
		msg := sweepMsg{request: j.request, grid: next, done: j.total - len(rest.steps), total: j.total, err: err}
		if err == nil && len(rest.steps) > 0 {
			msg.more = rest.nextPart(ctx, next)
		}
		return msg
	}
}

// onSweep shows what has come. A grid of the same thing that is whole is not taken away
// for a part of the next one.
func (a App) onSweep(msg sweepMsg) (App, tea.Cmd) {
	if msg.request != a.sweep.request || errors.Is(msg.err, context.Canceled) {
		return a, nil
	}
	if a.sweep.grid == nil || a.sweep.grid.Steps <= msg.done || msg.more == nil {
		a.sweep.grid = msg.grid
	}
	a.sweep.stepsDone, a.sweep.stepsTotal, a.sweep.err = msg.done, msg.total, msg.err
	if msg.more == nil {
		a.sweep.cancel = nil
	}
	return a, msg.more
}

// sweepProgress says how far a map over many steps is; "" if it is whole.
func (a App) sweepProgress() string {
	if a.sweep.cancel == nil || a.sweep.stepsTotal < 2 {
		return ""
	}
	return fmt.Sprintf("%d/%d steps so far, newest first", a.sweep.stepsDone, a.sweep.stepsTotal)
}

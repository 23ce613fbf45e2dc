package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/sweep"
)

// sweepQuestion tells grids apart: nothing else bears on one.
type sweepQuestion struct {
	scope    scope
	step     int64          // if one is swept
	revision int            // of the step, or of the snapshot
	set      model.Settings // less the ratios and the recompute

	shown  *model.Analysis // of which the filter shows some groups, nil: all
	filter string
}

// waits reports whether a question may wait for the answer to another one: it is the
// same of data that have grown since.
func (q sweepQuestion) waits(o sweepQuestion) bool {
	q.revision, q.shown = o.revision, o.shown
	return q == o
}

// sweepMsg is a part of the answer to a question.
type sweepMsg struct {
	asked    sweepQuestion
	grid     *sweep.Grid
	done, of int     // steps
	more     tea.Cmd // the next part; nil: it is whole
	err      error
}

// sweepAsked is the question that the screen asks now.
func (a App) sweepAsked() sweepQuestion {
	q := sweepQuestion{scope: a.swept(), set: a.set.now, revision: a.snap.Revision}
	q.set.KeepPos, q.set.KeepNeg, q.set.Recompute = 1, 1, false
	if q.scope.kind == scopeShown {
		q.shown, q.filter = a.result.analysis, a.set.filter
	}
	if q.scope.kind == scopeStep || q.scope.kind == scopeShown {
		i := a.stepIndex()
		q.step, q.revision = a.snap.Steps[i].Number, a.snap.Steps[i].Revision
	}
	return q
}

// attendSweep asks for the grid while its view is seen, unless it is there or on its
// way. A question that is no longer asked is given up; one whose data have grown is
// answered first, or a fast log would have no answer ever.
func (a App) attendSweep() (App, tea.Cmd) {
	if a.place.view != viewSweep || len(a.snap.Steps) == 0 || a.result.analysis == nil {
		return a.leaveSweep(), nil
	}
	if a.swept().kind == scopeShown && !a.stepStands() {
		return a, nil
	}
	asked, grown := a.sweepAsked(), a.sweepAsked().waits(a.sweep.asked)
	if a.sweep.asked == asked || grown && a.sweep.cancel != nil {
		return a, nil
	}
	if a.sweep.cancel != nil {
		a.sweep.cancel()
		a.sweep.cancel = nil
	}
	a.sweep.asked, a.sweep.err = asked, nil
	if !grown {
		a.sweep.grid = nil // of something else: better nothing than that
	}
	return a.startSweep(asked)
}

// stepStands reports whether the groups on the screen are those of the step that was
// gone to, as the log has it now: else they would be looked for in another one.
func (a App) stepStands() bool {
	step, ok := a.stepRead()
	return ok && step.Number == a.snap.Steps[a.stepIndex()].Number
}

// startSweep computes in the background what is asked, in parts.
func (a App) startSweep(asked sweepQuestion) (App, tea.Cmd) {
	job := sweepJob{asked: asked, snap: a.snap, steps: a.scopeSteps(asked.scope)}
	if asked.shown != nil {
		job.only = slices.Sorted(slices.Values(a.result.rows))
	}
	job.of = len(job.steps)
	grid, err := sweep.New(asked.set, sweep.Usual())
	switch {
	case err != nil:
	case job.of == 0:
		err = errors.New("there is no complete step to sweep: Tab sweeps something else")
	case asked.shown != nil && len(job.only) == 0:
		err = errors.New("the filter shows no groups: Tab sweeps something else")
	}
	if err != nil {
		a.sweep.grid, a.sweep.err = nil, err
		return a, nil
	}
	var ctx context.Context
	ctx, a.sweep.cancel = context.WithCancel(a.ctx)
	a.sweep.done, a.sweep.of = 0, job.of
	return a, job.part(ctx, grid)
}

// leaveSweep gives up what is still being computed; a grid that is whole stays, unless
// it is of some groups, whose step it would hold.
func (a App) leaveSweep() App {
	if a.sweep.cancel != nil {
		a.sweep.cancel()
	} else if a.sweep.asked.shown == nil {
		return a
	}
	a.sweep.cancel, a.sweep.grid, a.sweep.asked = nil, nil, sweepQuestion{}
	return a
}

// sweepJob is a sweep that is computed part by part, so that the map fills while one
// looks at it.
type sweepJob struct {
	asked sweepQuestion
	snap  model.Snapshot
	steps []int // that are left, the newest first
	only  []int // groups of the step, nil: all
	of    int   // steps in all
}

// sweepPart is how many samples a part has at least.
const sweepPart = 1 << 18

// part adds steps to a grid, as many as a part has.
func (j sweepJob) part(ctx context.Context, grid *sweep.Grid) tea.Cmd {
	return func() tea.Msg {
		n := 0
		for samples := 0; samples < sweepPart && n < len(j.steps); n++ {
			samples += len(j.snap.Steps[j.steps[n]].Rewards)
		}
		next, err := grid.With(ctx, j.snap, j.steps[:n], j.only)
		rest := j
		rest.steps = j.steps[n:]
		msg := sweepMsg{asked: j.asked, grid: next, done: j.of - len(rest.steps), of: j.of, err: err}
		if err == nil && len(rest.steps) > 0 {
			msg.more = rest.part(ctx, next)
		}
		return msg
	}
}

// onSweep shows what has come. A grid of the same thing that is whole is not taken away
// for a part of the next one.
func (a App) onSweep(msg sweepMsg) (App, tea.Cmd) {
	if msg.asked != a.sweep.asked || errors.Is(msg.err, context.Canceled) {
		return a, nil
	}
	if a.sweep.grid == nil || a.sweep.grid.Steps <= msg.done || msg.more == nil {
		a.sweep.grid = msg.grid
	}
	a.sweep.done, a.sweep.of, a.sweep.err = msg.done, msg.of, msg.err
	if msg.more == nil {
		a.sweep.cancel = nil
	}
	return a, msg.more
}

// sweepProgress says how far a map over many steps is; "" if it is whole.
func (a App) sweepProgress() string {
	if a.sweep.cancel == nil || a.sweep.of < 2 {
		return ""
	}
	return fmt.Sprintf("%d/%d steps so far, newest first", a.sweep.done, a.sweep.of)
}

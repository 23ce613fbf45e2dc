package tui

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/sweep"
)

// sweeping is the state of the sweep: what every pair of keep ratios would do.
type sweeping struct {
	figure   int // index of sweep.Figures
	pos, neg int // the cell under the cursor, by index of the ratios
	all      bool
	grid     *sweep.Grid
	asked    sweepQuestion // what the grid answers, or will
	cancel   context.CancelFunc
	err      error
}

// sweepQuestion tells grids apart: nothing else bears on one.
type sweepQuestion struct {
	revision int // of the snapshot's step, or of the snapshot
	step     int64
	all      bool
	set      model.Settings // less the ratios and the recompute
}

// sweepMsg is the answer to a question.
type sweepMsg struct {
	asked sweepQuestion
	grid  *sweep.Grid
	err   error
}

func sweepKeys() section {
	return section{"sweep", []binding{
		{[]string{"h", "left"}, "h ←", "h j k l cell", "a lower keep_neg_ratio", func(a App) (App, tea.Cmd) { return a.sweepBy(0, -1), nil }},
		{[]string{"l", "right"}, "l →", "", "a higher keep_neg_ratio", func(a App) (App, tea.Cmd) { return a.sweepBy(0, 1), nil }},
		{[]string{"j", "down"}, "j ↓", "", "a lower keep_pos_ratio", func(a App) (App, tea.Cmd) { return a.sweepBy(-1, 0), nil }},
		{[]string{"k", "up"}, "k ↑", "", "a higher keep_pos_ratio", func(a App) (App, tea.Cmd) { return a.sweepBy(1, 0), nil }},
		{[]string{"v"}, "v", "v figure", "next figure: signal, kept, killed, short, flips, Σ|A|, mean, std", func(a App) (App, tea.Cmd) { return a.sweepFigure(1), nil }},
		{[]string{"V"}, "V", "", "previous figure", func(a App) (App, tea.Cmd) { return a.sweepFigure(-1), nil }},
		{[]string{"a"}, "a", "a all-steps", "sweep all steps, or the one on the screen", App.sweepScope},
		{[]string{"enter"}, "⏎", "Enter apply", "set these ratios", App.applySweep},
		{[]string{"esc", "S"}, "Esc", "Esc back", "back, without a change", App.escape},
	}}
}

// openSweep goes to the map, the cursor on the ratios that are set.
func (a App) openSweep() (App, tea.Cmd) {
	if e, err := a.set.now.Entry(); err != nil || !e.Filters {
		a.notice = "the filter is of the GRPO family: choose such an estimator with e or E first"
		return a, nil
	}
	r := sweep.Usual()
	a.sweep.pos, a.sweep.neg = nearestOf(r.Pos, a.set.now.KeepPos), nearestOf(r.Neg, a.set.now.KeepNeg)
	return a.enter(viewSweep)
}

// nearestOf is the index of the value that is nearest.
func nearestOf(values []float64, x float64) int {
	best := 0
	for i, v := range values {
		if abs(v-x) < abs(values[best]-x) {
			best = i
		}
	}
	return best
}

func abs(x float64) float64 { return max(x, -x) }

func (a App) sweepBy(pos, neg int) App {
	r, by := sweep.Usual(), a.sweepStride()
	i, j := a.sweepAt()
	a.sweep.pos, a.sweep.neg = within(i+pos*by, len(r.Pos)), within(j+neg*by, len(r.Neg))
	return a
}

// sweepAt is the cell under the cursor: one that is on the map.
func (a App) sweepAt() (pos, neg int) {
	by := a.sweepStride()
	return a.sweep.pos - a.sweep.pos%by, a.sweep.neg - a.sweep.neg%by
}

func (a App) sweepFigure(by int) App {
	n := len(sweep.Figures())
	a.sweep.figure = (a.sweep.figure + by + n) % n
	return a
}

func (a App) sweepScope() (App, tea.Cmd) {
	a.sweep.all = !a.sweep.all
	return a, nil
}

func (a App) applySweep() (App, tea.Cmd) {
	r := sweep.Usual()
	set := a.set.now
	i, j := a.sweepAt()
	set.KeepPos, set.KeepNeg = r.Pos[i], r.Neg[j]
	a, _ = a.back()
	return a.change(set)
}

// sweepAsked is the question that the screen asks now.
func (a App) sweepAsked() sweepQuestion {
	q := sweepQuestion{all: a.sweep.all, set: a.set.now}
	q.set.KeepPos, q.set.KeepNeg, q.set.Recompute = 1, 1, false
	if q.all {
		q.revision = a.snap.Revision
		return q
	}
	i := a.stepIndex()
	q.step, q.revision = a.snap.Steps[i].Number, a.snap.Steps[i].Revision
	return q
}

// attendSweep asks for the grid while its view is seen, unless it is there or on its
// way. A question that is no longer asked is given up.
func (a App) attendSweep() (App, tea.Cmd) {
	if a.place.view != viewSweep || len(a.snap.Steps) == 0 {
		return a.leaveSweep(), nil
	}
	asked := a.sweepAsked()
	if a.sweep.asked == asked {
		return a, nil
	}
	if a.sweep.cancel != nil {
		a.sweep.cancel()
	}
	a.sweep.asked, a.sweep.err = asked, nil
	if old := a.sweep.grid; old != nil && old.Settings != asked.set {
		a.sweep.grid = nil // of other settings: better nothing than that
	}
	var ctx context.Context
	ctx, a.sweep.cancel = context.WithCancel(a.ctx)
	steps := []int{a.stepIndex()}
	if asked.all {
		steps = steps[:0]
		for i := range a.snap.Steps {
			if !a.snap.Open(i) {
				steps = append(steps, i)
			}
		}
	}
	return a, sweepOver(ctx, asked, a.snap, steps)
}

// leaveSweep gives up what is still being computed; a grid that is there stays.
func (a App) leaveSweep() App {
	if a.sweep.cancel != nil {
		a.sweep.cancel()
		a.sweep.cancel = nil
		if a.sweep.grid == nil {
			a.sweep.asked = sweepQuestion{}
		}
	}
	return a
}

func sweepOver(ctx context.Context, asked sweepQuestion, snap model.Snapshot, steps []int) tea.Cmd {
	return func() tea.Msg {
		grid, err := sweep.Run(ctx, snap, steps, asked.set, sweep.Usual())
		return sweepMsg{asked, grid, err}
	}
}

func (a App) onSweep(msg sweepMsg) (App, tea.Cmd) {
	if msg.asked == a.sweep.asked && !errors.Is(msg.err, context.Canceled) {
		a.sweep.grid, a.sweep.err, a.sweep.cancel = msg.grid, msg.err, nil
	}
	return a, nil
}

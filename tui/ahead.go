package tui

import (
	"context"
	"runtime/debug"
	"time"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
)

// ahead is when to compute what the next key may ask for.
type ahead struct {
	from int           // samples of the step
	rest time.Duration // since the last answer
}

// largeSteps are those that take longer than a person waits without noticing: a key computes
// a step of a million samples in less. A key that is held down repeats sooner than the rest.
func largeSteps() ahead { return ahead{from: 2 << 20, rest: 40 * time.Millisecond} }

// roomFor reports whether what is computed ahead, some sixty bytes a sample, takes a small
// share of the memory that the program may have.
func roomFor(samples int) bool {
	const bytes, share = 60, 4
	return int64(samples)*bytes < debug.SetMemoryLimit(-1)/share
}

// idleMsg ends the pause before work is done ahead.
type idleMsg struct{ revision int }

// aheadMsg is the step on the screen, with some of what the next key may ask for.
type aheadMsg struct {
	revision int
	known    *model.Analysis
	left     []model.Settings
}

// thinkAhead waits for the screen to rest, if its step is large, complete, and alone: a
// baseline makes two of each. While a log grows all the time it would be for nothing, and the
// node has better to do.
func (a App) thinkAhead() (App, tea.Cmd) {
	x := a.result.analysis
	if x == nil || a.work.busy || a.work.throttled || x.Rows < a.ahead.from || !roomFor(x.Rows) || x.Open || a.settings.base.on || a.result.ahead != nil {
		return a, nil
	}
	revision := a.work.revision
	return a, tea.Tick(a.ahead.rest, func(time.Time) tea.Msg { return idleMsg{revision} })
}

// onRested refreshes from what came meanwhile; if nothing did there is time for more.
func (a App) onRested() (App, tea.Cmd) {
	a.work.throttled = false
	if a, cmd := a.catchUp(); cmd != nil {
		return a, cmd
	}
	return a.thinkAhead()
}

// onIdle begins to compute ahead, if nothing was asked for meanwhile.
func (a App) onIdle(msg idleMsg) (App, tea.Cmd) {
	if msg.revision != a.work.revision || a.work.busy {
		return a, nil
	}
	return a.goOn(a.result.analysis, a.nextSettings())
}

// onAhead has the next key find what is there, and goes on.
func (a App) onAhead(msg aheadMsg) (App, tea.Cmd) {
	if msg.revision != a.work.revision {
		return a, nil
	}
	a.result.ahead = msg.known
	return a.goOn(msg.known, msg.left)
}

// goOn computes the first of some settings. The next request ends it.
func (a App) goOn(known *model.Analysis, next []model.Settings) (App, tea.Cmd) {
	if len(next) == 0 {
		return a, nil
	}
	a.work.cancel() // what was asked for before has come
	var ctx context.Context
	ctx, a.work.cancel = context.WithCancel(a.ctx)
	snap, step, revision := a.snap, a.stepIndex(), a.work.revision
	return a, func() tea.Msg {
		more, err := snap.Ahead(ctx, step, known, next[0])
		if err != nil {
			return nil // a key was pressed
		}
		return aheadMsg{revision, more, next[1:]}
	}
}

// nextSettings are those that one key leads to and that share little with the present ones, as
// another ratio does unless advantages are computed anew. What the last key did comes first:
// a person who walks goes on.
func (a App) nextSettings() []model.Settings {
	now := a.settings.now
	turned := now
	turned.Recompute = !now.Recompute
	all := []model.Settings{turned}
	if set, _, ok := a.frameworkAfter(); ok {
		all = append(all, set)
	}
	if set, _, ok := a.estimatorAfter(); ok {
		all = append(all, set)
	}
	if set, ok := a.scaleAfter(); ok {
		all = append(all, set)
	}
	for _, by := range []float64{-ratioStep, ratioStep} {
		pos, neg := now, now
		pos.KeepPos, neg.KeepNeg = stepRatio(now.KeepPos, by), stepRatio(now.KeepNeg, by)
		if now.Recompute {
			all = append(all, pos, neg)
		}
	}
	before, ok := a.settings.undo()
	if !ok {
		return all
	}
	var again, others []model.Settings
	for _, set := range all {
		if changed(now, set) == changed(before.now, now) {
			again = append(again, set)
		} else {
			others = append(others, set)
		}
	}
	return append(again, others...)
}

// setting is what a key changes.
type setting int

const (
	someFramework setting = iota
	someEstimator
	someScale
	someRecompute
	someRatio
)

func changed(from, to model.Settings) setting {
	switch {
	case from.Framework != to.Framework:
		return someFramework
	case from.Estimator != to.Estimator:
		return someEstimator
	case from.Scale != to.Scale:
		return someScale
	case from.Recompute != to.Recompute:
		return someRecompute
	}
	return someRatio
}

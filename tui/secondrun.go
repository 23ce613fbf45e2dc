package tui

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/compare"
)

// secondRun is a second run, which the first is compared with prompt by prompt: the
// first is A, this is B.
type secondRun struct {
	source   Source // nil if there is none
	title    string
	store    *model.Store
	stale    bool // chunks came since the last comparison was asked for
	caughtUp bool // all that is there has been read, once

	request comparisonRequest
	busy    bool
	result  *compare.Result
	err     error

	topPair   int  // first prompt seen
	bestFirst bool // the best for B first
}

// comparisonRequest tells comparisons apart.
type comparisonRequest struct {
	a, b int // revisions
	set  model.Settings
}

// readSecond waits for the next chunk of the other run, after a pause.
func readSecond(ctx context.Context, s Source, pause time.Duration) tea.Cmd {
	return func() tea.Msg {
		chunk, err := nextAfter(ctx, s, pause)
		return secondChunkMsg{chunk, err}
	}
}

func (a App) onSecondChunk(msg secondChunkMsg) (App, tea.Cmd) {
	if msg.err != nil {
		a.second.caughtUp = true
		if a.second.store.Snapshot().Rows == 0 && !errors.Is(msg.err, context.Canceled) {
			a.second.err = msg.err
		}
		return a, nil
	}
	a.second.store.Append(msg.chunk)
	a.second.stale = true
	a.second.caughtUp = a.second.caughtUp || msg.chunk.Progress.CaughtUp
	return a, readSecond(a.ctx, a.second.source, pauseAfter(msg.chunk.Progress))
}

// requestComparison compares the runs while that is seen, when either has changed and the
// comparison before is done.
func (a App) requestComparison() (App, tea.Cmd) {
	if a.position.view != viewCompare || a.second.source == nil || a.second.busy || a.snap.Rows == 0 {
		return a, nil
	}
	asked := comparisonRequest{a: a.snap.Revision, b: a.second.request.b, set: a.settings.now}
	if asked == a.second.request && !a.second.stale {
		return a, nil
	}
	b := a.second.store.Snapshot()
	if b.Rows == 0 {
		return a, nil
	}
	asked.b = b.Revision
	a.second.request, a.second.stale, a.second.busy = asked, false, true
	return a, compareRuns(a.ctx, asked, a.snap, b)
}

func compareRuns(ctx context.Context, asked comparisonRequest, a, b model.Snapshot) tea.Cmd {
	return func() tea.Msg {
		msg := comparisonMsg{request: asked}
		first, err := a.Prompts(ctx, asked.set)
		if err == nil {
			var second []model.PromptMean
			if second, err = b.Prompts(ctx, asked.set); err == nil {
				msg.result = compare.Runs(first, second)
			}
		}
		msg.err = err
		return msg
	}
}

func (a App) onComparison(msg comparisonMsg) (App, tea.Cmd) {
	if msg.request == a.second.request {
		a.second.busy, a.second.result, a.second.err = false, msg.result, msg.err
	}
	return a, nil
}

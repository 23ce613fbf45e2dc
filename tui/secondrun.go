package tui

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/compare"
)

// otherRun is a second run, which the first is compared with prompt by prompt: the
// first is A, this is B.
type otherRun struct {
	source Source // nil if there is none
	title  string
	store  *model.Store
	stale  bool // chunks came since the last comparison was asked for
	whole  bool // all that is there has been read, once

	asked  pairQuestion
	busy   bool
	result *compare.Result
	err    error

	top    int  // first prompt seen
	turned bool // the best for B first
}

// pairQuestion tells comparisons apart.
type pairQuestion struct {
	a, b int // revisions
	set  model.Settings
}

// otherChunkMsg is what the other source had to say.
type otherChunkMsg struct {
	chunk *model.Chunk
	err   error
}

// pairMsg is the comparison.
type pairMsg struct {
	asked  pairQuestion
	result *compare.Result
	err    error
}

// readOther waits for the next chunk of the other run, after a pause.
func readOther(ctx context.Context, s Source, pause time.Duration) tea.Cmd {
	return func() tea.Msg {
		chunk, err := nextAfter(ctx, s, pause)
		return otherChunkMsg{chunk, err}
	}
}

func (a App) onOtherChunk(msg otherChunkMsg) (App, tea.Cmd) {
	if msg.err != nil {
		a.other.whole = true
		if a.other.store.Snapshot().Rows == 0 && !errors.Is(msg.err, context.Canceled) {
			a.other.err = msg.err
		}
		return a, nil
	}
	a.other.store.Append(msg.chunk)
	a.other.stale = true
	a.other.whole = a.other.whole || msg.chunk.Progress.CaughtUp
	return a, readOther(a.ctx, a.other.source, pauseAfter(msg.chunk.Progress))
}

// attendPairs compares the runs while that is seen, when either has changed and the
// comparison before is done.
func (a App) attendPairs() (App, tea.Cmd) {
	if a.place.view != viewCompare || a.other.source == nil || a.other.busy || a.snap.Rows == 0 {
		return a, nil
	}
	asked := pairQuestion{a: a.snap.Revision, b: a.other.asked.b, set: a.set.now}
	if asked == a.other.asked && !a.other.stale {
		return a, nil
	}
	b := a.other.store.Snapshot()
	if b.Rows == 0 {
		return a, nil
	}
	asked.b = b.Revision
	a.other.asked, a.other.stale, a.other.busy = asked, false, true
	return a, pairRuns(a.ctx, asked, a.snap, b)
}

func pairRuns(ctx context.Context, asked pairQuestion, a, b model.Snapshot) tea.Cmd {
	return func() tea.Msg {
		msg := pairMsg{asked: asked}
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

func (a App) onPairs(msg pairMsg) (App, tea.Cmd) {
	if msg.asked == a.other.asked {
		a.other.busy, a.other.result, a.other.err = false, msg.result, msg.err
	}
	return a, nil
}

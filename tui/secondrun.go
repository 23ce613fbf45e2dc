package tui

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/compare"
)

// secondRun is the candidate that the first run, the baseline, is compared with prompt by prompt.
type secondRun struct {
	source Source // nil if there is none
	title  string
	store  *model.Store
	stale  bool // chunks came since the latest request

	request comparisonRequest // the latest
	busy    bool              // its answer is still to come
	result  *compare.Result
	err     error

	sets      [2]model.Settings // of the baseline and of the candidate, of result
	unit      model.LengthUnit  // of the candidate's lengths
	cursor    int               // row of the table of prompts
	bestFirst bool              // prompts on which the candidate is better come first

	steps secondTrend
}

// comparisonRequest is all that a comparison depends on.
type comparisonRequest struct {
	a, b int // revisions of the snapshots
	set  model.Settings

	autoRewards bool // the second run has its own columns of the reward
}

// readSecond is readChunk for the second run.
func readSecond(ctx context.Context, s Source, pause time.Duration) tea.Cmd {
	return func() tea.Msg {
		chunk, err := nextAfter(ctx, s, pause)
		return secondChunkMsg{chunk, err}
	}
}

func (a App) onSecondChunk(msg secondChunkMsg) (App, tea.Cmd) {
	if msg.err != nil {
		if a.second.store.Snapshot().Rows == 0 && !errors.Is(msg.err, context.Canceled) {
			a.second.err = msg.err
		}
		return a, nil
	}
	a.second.store.Append(msg.chunk)
	a.second.stale, a.second.steps.stale = true, true
	return a, readSecond(a.ctx, a.second.source, pauseAfter(msg.chunk.Progress))
}

// requestComparison requests the comparison while its view is open, if a run or the
// settings have changed and the answer before has come.
func (a App) requestComparison() (App, tea.Cmd) {
	if a.position.view != viewCompare || a.second.source == nil || a.second.busy || a.snap.Rows == 0 {
		return a, nil
	}
	request := comparisonRequest{a: a.snap.Revision, b: a.second.request.b, set: a.settings.now, autoRewards: a.rewardsAreOpen()}
	if request == a.second.request && !a.second.stale {
		return a, nil
	}
	b := a.second.store.Snapshot()
	if b.Rows == 0 {
		return a, nil
	}
	request.b = b.Revision
	a.second.request, a.second.stale, a.second.busy = request, false, true
	return a, compareRuns(a.ctx, request, a.runNames(), a.snap, b)
}

func compareRuns(ctx context.Context, request comparisonRequest, names [2]string, a, b model.Snapshot) tea.Cmd {
	return func() tea.Msg {
		msg := comparisonMsg{request: request, unit: b.Run.LengthUnit}
		set := secondSettings{request.set, request.autoRewards}.of(ctx, b)
		msg.sets = [2]model.Settings{request.set, set}
		msg.result, msg.err = compare.Runs(ctx, compare.Run{Name: names[sideBaseline], Snap: a, Set: request.set}, compare.Run{Name: names[sideCandidate], Snap: b, Set: set})
		return msg
	}
}

func (a App) onComparison(msg comparisonMsg) (App, tea.Cmd) {
	if msg.request != a.second.request {
		return a, nil
	}
	before, wasSelected := a.selectedPair()
	a.second.busy, a.second.result, a.second.err = false, msg.result, msg.err
	a.second.sets, a.second.unit = msg.sets, msg.unit
	if !wasSelected || msg.result == nil || a.second.cursor == 0 && a.position.view == viewCompare {
		return a, nil // at the top the cursor stays there
	}
	for i := range msg.result.Pairs {
		if a.pairAt(i).Hash == before.Hash {
			a.second.cursor = i
		}
	}
	return a, nil
}

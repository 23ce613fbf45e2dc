package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/groupsize"
)

// groupSizeState is the state of the view of what other sizes of groups would do.
type groupSizeState struct {
	request groupSizeRequest // the latest
	busy    bool             // its answer is still to come
	result  *groupsize.Result
	err     error
	topLine int // the first in sight
}

// groupSizeRequest is all that the estimates depend on.
type groupSizeRequest struct {
	revision int
	set      model.Settings // without a filter, which changes nothing
}

// requestGroupSize requests the estimates while their view is open, if the run or the settings have
// changed and the answer before has come.
func (a App) requestGroupSize() (App, tea.Cmd) {
	if a.position.view != viewGroupSize || a.groupSize.busy || a.snap.Rows == 0 {
		return a, nil
	}
	request := groupSizeRequest{a.snap.Revision, a.settings.now}
	request.set.KeepPos, request.set.KeepNeg, request.set.Recompute = 1, 1, false
	if request == a.groupSize.request {
		return a, nil
	}
	a.groupSize.request, a.groupSize.busy = request, true
	return a, estimateGroupSize(a.ctx, request, a.snap)
}

func estimateGroupSize(ctx context.Context, request groupSizeRequest, snap model.Snapshot) tea.Cmd {
	return func() tea.Msg {
		msg := groupSizeMsg{request: request}
		msg.result, msg.err = groupsize.Run(ctx, snap, request.set, groupsize.DefaultSizes())
		return msg
	}
}

// showIn shows the estimate, unless another was requested since.
func (msg groupSizeMsg) showIn(a App) App {
	if msg.request == a.groupSize.request {
		a.groupSize.busy, a.groupSize.result, a.groupSize.err = false, msg.result, msg.err
	}
	return a
}

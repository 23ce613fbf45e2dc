package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/groupsize"
)

// groupSizeState is the state of the view of what other sizes of groups would do.
type groupSizeState struct {
	job     job[groupSizeKey, *groupsize.Result]
	topLine int // the first in sight
}

// groupSizeKey is all that the estimates depend on.
type groupSizeKey struct {
	revision int
	set      model.Settings // without a filter, which changes nothing
}

// updateGroupSize requests the estimates while their view is open.
func (a App) updateGroupSize(msg tea.Msg) App {
	a.groupSize.job, _, _ = a.groupSize.job.take(msg)
	key := groupSizeKey{a.snap.Revision, a.settings.now}
	key.set.KeepPos, key.set.KeepNeg, key.set.Recompute = 1, 1, false
	if a.position.view != viewGroupSize || a.snap.Rows == 0 || !a.groupSize.job.lacks(key, inTurn) {
		return a
	}
	var cmd tea.Cmd
	snap := a.snap
	a.groupSize.job, cmd = a.groupSize.job.start(a.ctx, key, once(func(ctx context.Context) (*groupsize.Result, error) {
		return groupsize.Run(ctx, snap, key.set, groupsize.DefaultSizes())
	}))
	return a.starts(cmd)
}

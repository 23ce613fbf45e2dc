package tui

import (
	"fmt"

	"vantage/tui/layout"
)

// moveStep goes to another step and stays there when newer ones come.
func (a App) moveStep(by int) App {
	if len(a.snap.Steps) == 0 {
		return a
	}
	from := a.stepIndex()
	to := clampIndex(from+by, a.scopeEnd()+1)
	if to == from {
		a.place.follow = false
		a.notice = "no further step"
		if to+1 < len(a.snap.Steps) && by > 0 {
			a.notice = fmt.Sprintf("step %d is still being written: < and then ] shows it alone", a.snap.Steps[to+1].Number)
		}
		return a
	}
	return a.showStep(to)
}

// showStep goes to the step at index i of the snapshot, or to the nearest, and stays
// there when newer ones come.
func (a App) showStep(i int) App {
	a.place.follow, a.place.scope.moved = false, false
	a.place.step = a.snap.Steps[clampIndex(i, a.scopeEnd()+1)].Number
	return a
}

func (a App) followNewest() App {
	a.place.follow, a.place.scope.moved = true, false
	if len(a.snap.Steps) == 0 {
		return a
	}
	a.place.step = a.newestStep()
	a.notice = fmt.Sprintf("step %d, and newer ones as they come", a.place.step)
	return a
}

func (a App) movePageDown() App { return a.moveFocused(max(1, a.visibleGroups()-1)) }
func (a App) movePageUp() App   { return a.moveFocused(-max(1, a.visibleGroups()-1)) }

// moveFocused moves the cursor of the focused pane, or scrolls it.
func (a App) moveFocused(by int) App {
	switch a.panes.focus {
	case layout.Warnings:
		return a.moveRow(onWarning, by)
	case layout.Metrics:
		return a.moveMetricCursor(by).clampCursor()
	default:
		return a.moveRow(onGroup, by)
	}
}

// moveWarning focuses the warnings, selects one, and puts the cursor on the group that
// shows it. Where the warnings are not focused yet it selects the one selected last.
func (a App) moveWarning(by int) App {
	warnings := a.warningLines()
	if len(warnings) == 0 {
		a.notice = "no warnings in " + a.scopeWords()
		return a
	}
	if a.panes.focus != layout.Warnings {
		by = 0
	}
	a.panes.warning = (a.panes.warning + by + len(warnings)) % len(warnings)
	a = a.focusPane(layout.Warnings)
	for row, g := range a.result.rows {
		if g == warnings[a.panes.warning].group {
			a.panes.cursor = row
		}
	}
	return a.clampCursor()
}

// movePane focuses the n-th pane after this one, around the ends.
func (a App) movePane(n int) App {
	return a.focusPane((a.panes.focus + layout.PaneCount + layout.Pane(n)) % layout.PaneCount)
}

func (a App) focusPane(p layout.Pane) App {
	if p != a.panes.focus {
		a.panes.fullScreen = false
	}
	a.panes.focus, a.panes.frontPane = p, p
	return a.clampCursor()
}

// escape goes back to the view before this one; on the overview from one pane to all, then to the groups.
func (a App) escape() App {
	switch {
	case a.position.view != viewOverview:
		return a.goBack()
	case a.panes.fullScreen:
		return a.toggleFullScreen()
	case a.glance.opened && a.panes.focus == layout.Groups:
		return a.openGlance()
	}
	return a.focusPane(layout.Groups)
}

// showGroups goes to the overview, the groups focused, from any view.
func (a App) showGroups() App {
	a.position.backStack = nil
	a = a.openView(viewOverview)
	return a.focusPane(layout.Groups)
}

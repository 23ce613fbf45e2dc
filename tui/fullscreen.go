package tui

import (
	"fmt"

	"vantage/tui/layout"
)

// selectPane returns the action of the number of a pane: it focuses the pane, and if it has the focus gives
// it the whole screen, or takes that back.
func selectPane(p layout.Pane) action {
	return func(a App) App {
		if a.panes.focus == p {
			return a.toggleFullScreen()
		}
		return a.focusPane(p)
	}
}

// toggleFullScreen gives the focused pane the whole screen, or all panes their places. The whole screen of
// the steps is the view of all steps.
func (a App) toggleFullScreen() App {
	if a.panes.focus == layout.Steps && !a.panes.fullScreen {
		return a.openSteps()
	}
	a.panes.fullScreen = !a.panes.fullScreen
	return a.clampCursor()
}

// fullScreenHint is the hint of the keys that lead back to all panes, "" if they are in sight.
func (a App) fullScreenHint() string {
	if !a.panes.fullScreen || a.position.view != viewOverview {
		return ""
	}
	return fmt.Sprintf("z Esc %d all-panes", a.panes.focus+1)
}

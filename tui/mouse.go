package tui

import (
	tea "charm.land/bubbletea/v2"

	"vantage/tui/layout"
)

// onMouse handles the wheel and clicks.
func (a App) onMouse(msg tea.MouseMsg) App {
	switch m := msg.Mouse(); msg.(type) {
	case tea.MouseWheelMsg:
		return a.onWheel(m.Button)
	case tea.MouseClickMsg:
		return a.onClick(m.X, m.Y)
	}
	return a
}

// onWheel scrolls what is focused, by three lines.
func (a App) onWheel(b tea.MouseButton) App {
	by := 3
	if b == tea.MouseWheelUp {
		by = -3
	}
	switch a.position.view {
	case viewOverview, viewFilter:
		return a.moveFocused(by)
	case viewGroup:
		return a.moveReading(by)
	case viewCompare:
		return a.movePair(by)
	case viewAnswers:
		return a.scrollAnswers(by)
	case viewProblems:
		return a.scrollProblems(by)
	default:
		return a
	}
}

// onClick focuses the pane under the pointer, and puts the cursor on the group there.
func (a App) onClick(x, y int) App {
	if a.position.view != viewOverview || a.result.analysis == nil {
		return a
	}
	for p, r := range a.screen().Panes {
		if r.Empty() || x < r.X || x >= r.X+r.W || y < r.Y || y >= r.Y+r.H {
			continue
		}
		a = a.focusPane(layout.Pane(p))
		if row := y - r.Y - 2; layout.Pane(p) == layout.Groups && row >= 0 && row < a.visibleGroups() {
			a.position.cursor = clampIndex(a.position.topRow+row, len(a.result.rows))
		}
	}
	return a.clampCursor()
}

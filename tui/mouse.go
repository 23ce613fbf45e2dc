package tui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"vantage/tui/layout"
)

// mouseState is what the mouse does at the moment.
type mouseState struct {
	press press // the latest of the left button
	held  bool  // it is still down
}

// press is where the left button was pressed, and what was there.
type press struct {
	x, y   int
	at     time.Time
	spots  []spot      // the innermost last
	before undoHistory // the settings then: dragging a slider is one change, however far
}

// doubleClickTime is how long the second press of a double click may take.
const doubleClickTime = 400 * time.Millisecond

// target returns the innermost target that was pressed.
func (p press) target() (s spot, ok bool) {
	if len(p.spots) == 0 {
		return s, false
	}
	return p.spots[len(p.spots)-1], true
}

// onMouse handles the mouse, which reports only while it is on, and motion only while a button is down.
func (a App) onMouse(msg tea.MouseMsg) App {
	m := msg.Mouse()
	if !a.display.mouse {
		return a
	}
	switch msg.(type) {
	case tea.MouseWheelMsg:
		return a.onWheel(m)
	case tea.MouseClickMsg:
		if m.Button == tea.MouseLeft {
			return a.onPress(m.X, m.Y, time.Now())
		}
	case tea.MouseMotionMsg:
		return a.onDrag(m.X, m.Y)
	case tea.MouseReleaseMsg:
		a.mouse.held = false
	}
	return a
}

// onWheel scrolls what is under the pointer, wherever the focus is.
func (a App) onWheel(m tea.Mouse) App {
	by := 1
	switch m.Button {
	case tea.MouseWheelUp:
		by = -1
	case tea.MouseWheelDown:
	default:
		return a
	}
	for _, s := range slices.Backward(a.spotsAt(m.X, m.Y)) {
		if scroll := mouseActions()[s.kind].scroll; scroll != nil {
			return scroll(a, s.n, by)
		}
	}
	return a
}

// onPress handles a press of the left button. Like a key it ends the notice. The second of two in one place
// opens what the first was on, which may have moved since.
func (a App) onPress(x, y int, now time.Time) App {
	last := a.mouse.press
	if s, ok := last.target(); ok && last.x == x && last.y == y && now.Sub(last.at) < doubleClickTime {
		if open := mouseActions()[s.kind].open; open != nil {
			a.mouse = mouseState{}
			a.notice, a.marks.target = "", nil
			return open(a, s.n)
		}
	}
	a.mouse = mouseState{held: true, press: press{x: x, y: y, at: now, spots: a.spotsAt(x, y), before: a.settings}}
	a.notice, a.marks.target = "", nil
	for _, s := range a.mouse.press.spots {
		if click := mouseActions()[s.kind].click; click != nil {
			a = click(a, hit{s.n, x - s.rect.X, s.rect.W})
		}
	}
	return a
}

// onDrag moves what was pressed, if it can be moved.
func (a App) onDrag(x, y int) App {
	s, ok := a.mouse.press.target()
	if !a.mouse.held || !ok {
		return a
	}
	if drag := mouseActions()[s.kind].drag; drag != nil {
		return drag(a, s, x, y)
	}
	return a
}

// borders returns the borders that can be moved in the view on the screen.
func (a App) borders() []layout.Border {
	below := a.screen().Header.H
	switch a.viewInSight() {
	case viewOverview, viewFilter:
		return a.screen().Borders
	case viewGroup, viewSearch:
		return movedBelow(below, a.groupViewBorders())
	case viewAnswers:
		return movedBelow(below, a.answerBorders())
	case viewEstimators:
		return movedBelow(below, a.estimatorBorders())
	default:
		return nil
	}
}

// movedBelow returns borders of the body as they are on the screen.
func movedBelow(rows int, borders []layout.Border) []layout.Border {
	for i := range borders {
		borders[i] = borders[i].Below(rows)
	}
	return borders
}

// dragBorder moves a border to a cell, as far as both parts keep room.
func (a App) dragBorder(s spot, x, y int) App {
	p := a.mouse.press
	for _, b := range a.borders() {
		if int(b.Split) == s.n {
			a.display.shares = a.display.shares.With(b.Split, b.ShareAt(x-(p.x-s.rect.X-1), y-(p.y-s.rect.Y-1)))
		}
	}
	return a.clampCursor()
}

// restoreBorder puts a border back where the layout has it.
func (a App) restoreBorder(split int) App {
	a.display.shares = a.display.shares.With(layout.Split(split), 0)
	return a.clampCursor()
}

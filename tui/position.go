package tui

import (
	"slices"

	"vantage/tui/layout"
	"vantage/tui/view"
)

// position is where in the views the person is.
type position struct {
	view      view.Name
	backStack []view.Name // the views before this one, the latest last; never written in place
	viewBelow view.Name   // under a line of input or of choices
}

// drawn returns the view that fills the screen: that below a line of input or of choices.
func (p position) drawn() view.Name {
	if p.onLastLine() {
		return p.viewBelow
	}
	return p.view
}

func (p position) drawsSteps() bool {
	return p.drawn() == view.Steps || p.drawn() == view.Figures
}

func (p position) readingGroup() bool {
	return p.view == view.Group || p.view == view.Search
}

// onLastLine reports whether the view with the keys is only a line, of input or of choices.
func (p position) onLastLine() bool {
	var v views
	return view.IsLastLine(v.at(p.view))
}

// openView changes the view; going back leads where it led before.
func (a App) openView(v view.Name) App {
	a.position.view, a.overlays.input.behind, a.overlays.input.back = v, 0, 0
	return a.clampCursor()
}

func (a App) openLine(v view.Name) App {
	a.position.viewBelow = a.position.view
	return a.openView(v)
}

func (a App) closeLine() App { return a.openView(a.position.viewBelow) }

// pushView opens a view from which going back leads here. A view that is already on the
// way back is returned to: no way back goes in circles.
func (a App) pushView(v view.Name) App {
	open := a.views.at(v)
	if conditional, ok := open.(view.Conditional); ok {
		if why := conditional.WhyNot(a.env); why != "" {
			return a.says(why)
		}
	}
	path := append(slices.Clip(a.position.backStack), a.position.view)
	if i := slices.Index(path, v); i >= 0 {
		path = path[:i]
	}
	a.position.backStack = path
	if anew, ok := open.(view.Opened); ok {
		anew.OnOpen(a.env)
	}
	return a.openView(v)
}

// pushAnew is pushView of a view that may have been open before this one: that is left out of the way back.
func (a App) pushAnew(v view.Name) App {
	path := slices.DeleteFunc(slices.Clone(a.position.backStack), func(before view.Name) bool {
		return before == v || before == a.position.view
	})
	a.position.backStack = append(path, a.position.view)
	return a.openView(v)
}

// backTo goes back if that view is the one before this.
func (a App) backTo(v view.Name) App {
	if n := len(a.position.backStack); n > 0 && a.position.backStack[n-1] == v {
		return a.goBack()
	}
	return a
}

// goBack returns to the view before this one, at last to the overview.
func (a App) goBack() App {
	last := len(a.position.backStack) - 1
	if last < 0 {
		return a.openView(view.Overview)
	}
	v := a.position.backStack[last]
	a.position.backStack = a.position.backStack[:last]
	return a.openView(v)
}

// escape goes back to the view before this one; on the overview from one pane to all, then to the groups.
func (a App) escape() App {
	switch {
	case a.position.view != view.Overview:
		return a.goBack()
	case a.views.panes.FullScreen:
		return a.toggleFullScreen()
	case a.views.glance.Opened && a.views.panes.Focus == layout.Groups:
		return a.openGlance()
	}
	return a.focusPane(layout.Groups)
}

func (a App) showGroups() App {
	a.position.backStack = nil
	a = a.openView(view.Overview)
	return a.focusPane(layout.Groups)
}

package tui

import (
	"fmt"
	"math"
	"slices"

	"vantage/tui/env"
	"vantage/tui/layout"
	"vantage/tui/overview"
	"vantage/tui/pane"
	"vantage/tui/view"
)

// openOverview is the overview with its keys.
type openOverview struct{ *overview.Panes }

// Keys of the overview.
func (openOverview) Keys() view.Section {
	return view.Section{Name: "overview", Bindings: []view.Binding{
		{Keys: []string{"j", "down"}, Label: "j ↓", Hint: "j k move", Doc: "down", Do: own(move(App.moveFocused, 1))},
		{Keys: []string{"k", "up"}, Label: "k ↑", Doc: "up", Do: own(move(App.moveFocused, -1))},
		{
			Keys: []string{"enter"}, Label: "⏎", Hint: "Enter open",
			Doc: "open the group, steps, warning's group or metric under the cursor",
			Do:  own(App.enterPane),
		},
		{Keys: []string{"ctrl+d", "pgdown"}, Label: "^D", Doc: "a page down", Do: own(move(App.movePage, 1))},
		{Keys: []string{"ctrl+u", "pgup"}, Label: "^U", Doc: "a page up", Do: own(move(App.movePage, -1))},
		{Keys: []string{"g", "home"}, Label: "g", Doc: "to the top", Do: own(move(App.moveFocused, math.MinInt32))},
		{Keys: []string{"G", "end"}, Label: "G", Doc: "to the end", Do: own(move(App.moveFocused, math.MaxInt32))},
		{
			Keys: []string{"/"}, Label: "/", Hint: "/ filter",
			Doc: "filter the groups: fate:killed std>0.4 prompt~triangle; or list the samples with a text: text~Wait,",
			Do:  own(App.openFilter),
		},
		{Keys: []string{"o"}, Label: "o", Doc: "sort by the next column", Do: own(App.nextOrder)},
		{Keys: []string{"O"}, Label: "O", Doc: "reverse the order", Do: own(App.reverseOrder)},
		{
			Keys: []string{"v"}, Label: "v",
			Doc: "distribution of the next metric: advantage, reward, length, components, solve rate",
			Do:  view.By(openOverview.MoveFigure, 1),
		},
		{Keys: []string{"V"}, Label: "V", Doc: "of the previous metric", Do: view.By(openOverview.MoveFigure, -1)},
		{Keys: []string{"#"}, Label: "#", Doc: "logarithmic counts on or off", Do: view.Key(openOverview.ToggleLogScale)},
		{Keys: []string{"h", "left"}, Label: "h ←", Doc: "in the distribution: previous bin", Do: view.By(openOverview.MoveBin, -1)},
		{Keys: []string{"l", "right"}, Label: "l →", Doc: "in the distribution: next bin", Do: view.By(openOverview.MoveBin, 1)},
		{
			Keys: []string{"w"}, Label: "w", Hint: "w warning",
			Doc: "next warning, and the group that shows it",
			Do:  own(move(App.moveWarning, 1)),
		},
		{Keys: []string{"W"}, Label: "W", Doc: "previous warning", Do: own(move(App.moveWarning, -1))},
		{Keys: []string{"tab"}, Label: "Tab", Hint: "Tab pane", Doc: "next pane", Do: own(move(App.movePane, 1))},
		{Keys: []string{"shift+tab"}, Label: "⇧Tab", Doc: "previous pane", Do: own(move(App.movePane, -1))},
		{
			Keys: []string{"z"}, Label: "z", Hint: "z full-screen",
			Doc: "the focused pane on the whole screen, with more columns and lines; again: all panes",
			Do:  own(App.toggleFullScreen),
		},
		{Keys: []string{"1"}, Label: "1", Doc: "groups", Do: own(selectPane(layout.Groups))},
		{Keys: []string{"2"}, Label: "2", Doc: "advantages", Do: own(selectPane(layout.Advantages))},
		{Keys: []string{"3"}, Label: "3", Doc: "steps", Do: own(selectPane(layout.Steps))},
		{Keys: []string{"4"}, Label: "4", Doc: "warnings", Do: own(selectPane(layout.Warnings))},
		{Keys: []string{"5"}, Label: "5", Doc: "metrics; the number again: on the whole screen, of steps all of them", Do: own(selectPane(layout.Metrics))},
	}}
}

// focused is what keys and the wheel do in a pane of the overview.
type focused struct {
	move  func(a App, by int) App // its cursor
	enter act
}

// inPane returns what they do in a pane.
func inPane(p layout.Pane) focused {
	switch p {
	case layout.Steps:
		return focused{move: App.moveGroupRow, enter: func(a App) App { return a.pushView(view.Steps) }}
	case layout.Warnings:
		return focused{move: App.moveWarningRow, enter: App.enterWarning}
	case layout.Metrics:
		return focused{move: App.moveMetric, enter: App.drawMetric}
	default:
		return focused{move: App.moveGroupRow, enter: App.openGroup}
	}
}

func (a App) moveFocused(by int) App { return inPane(a.views.panes.Focus).move(a, by) }

func (a App) movePage(by int) App {
	return a.moveFocused(by * max(1, a.views.panes.VisibleGroups(a.env)-1))
}

func (a App) enterPane() App { return inPane(a.views.panes.Focus).enter(a) }

func (a App) focusPane(p layout.Pane) App {
	if p != a.views.panes.Focus {
		a.views.panes.FullScreen = false
	}
	a.views.panes.Focus, a.views.panes.FrontPane = p, p
	return a.clampCursor()
}

// movePane focuses the n-th pane after this one, around the ends.
func (a App) movePane(n int) App {
	return a.focusPane((a.views.panes.Focus + layout.PaneCount + layout.Pane(n)) % layout.PaneCount)
}

// selectPane returns the action of the number of a pane: it focuses the pane, and if it has the focus gives
// it the whole screen, or takes that back.
func selectPane(p layout.Pane) act {
	return func(a App) App {
		if a.views.panes.Focus == p {
			return a.toggleFullScreen()
		}
		return a.focusPane(p)
	}
}

// toggleFullScreen gives the focused pane the whole screen, or all panes their places. The whole screen of
// the steps is the view of all steps.
func (a App) toggleFullScreen() App {
	if a.views.panes.Focus == layout.Steps && !a.views.panes.FullScreen {
		return a.pushView(view.Steps)
	}
	a.views.panes.FullScreen = !a.views.panes.FullScreen
	return a.clampCursor()
}

func (a App) clampCursor() App {
	n, visible := len(a.env.Result.Rows), max(1, a.views.panes.VisibleGroups(a.env))
	a.env.Place.Row = pane.ClampIndex(a.env.Place.Row, n)
	a.views.panes.TopRow = max(0, min(a.views.panes.TopRow, n-visible, a.env.Place.Row), a.env.Place.Row-visible+1)
	return a
}

func (a App) moveGroupRow(by int) App {
	return a.toGroupRow(pane.ClampIndex(a.env.Place.Row+by, len(a.env.Result.Rows)))
}

func (a App) toGroupRow(row int) App {
	a.env.Place.Row = row
	return a.clampCursor()
}

// moveWarning focuses the warnings, selects one, and puts the cursor on the group that
// shows it. Where the warnings are not focused yet it selects the one selected last.
func (a App) moveWarning(by int) App {
	warnings := overview.WarningLines(a.env)
	if len(warnings) == 0 {
		return a.says("no warnings in " + a.env.ScopeWords())
	}
	if a.views.panes.Focus != layout.Warnings {
		by = 0
	}
	a.views.panes.Warning = (a.views.panes.Warning + by + len(warnings)) % len(warnings)
	a = a.focusPane(layout.Warnings)
	for row, g := range a.env.Result.Rows {
		if g == warnings[a.views.panes.Warning].Group {
			a.env.Place.Row = row
		}
	}
	return a.clampCursor()
}

func (a App) moveWarningRow(by int) App {
	a.views.panes.Warning = pane.ClampIndex(a.views.panes.Warning+by, len(overview.WarningLines(a.env)))
	return a.clampCursor()
}

func (a App) toWarning(n int) App {
	a.views.panes.Warning = n
	return a.clampCursor().moveWarning(0)
}

// enterWarning goes to the group that shows the selected warning, in its step, and opens it. A warning of the
// log without a group opens how the log was read.
func (a App) enterWarning() App {
	all := overview.WarningLines(a.env)
	if len(all) == 0 {
		return a.says("no warnings in " + a.env.ScopeWords())
	}
	switch d := all[pane.ClampIndex(a.views.panes.Warning, len(all))]; {
	case d.Finding > 0:
		return a.showFinding(d.Finding - 1)
	case !d.OfSettings:
		return a.pushView(view.Problems)
	case d.Step != a.env.Result.Analysis.Step:
		i, _ := a.env.Snap.Find(d.Step)
		a.overlays.notice = fmt.Sprintf("step %d, to which the warning belongs", d.Step)
		return a.showStep(i)
	case d.Group < 0:
		whole := "the whole step"
		if a.env.IsWide() {
			whole = "all of " + a.env.ScopeWords()
		}
		return a.says("no one group shows this: it is of " + whole + ". " + d.Advice)
	default:
		if !slices.Contains(a.env.Result.Rows, d.Group) { // a filter that hides the group goes
			a = a.change(func(s *env.State) { s.Filter = "" })
			a.overlays.notice = "the filter hid this group: u brings it back"
		}
		a.env.Place.Row = max(0, slices.Index(a.env.Result.Rows, d.Group))
		return a.clampCursor().openGroup()
	}
}

func (a App) moveMetric(by int) App {
	a.views.panes.MoveMetric(a.env, by)
	return a
}

func (a App) toMetric(m view.Mouse) App {
	a.views.panes.Metric = m.On.N
	return a
}

func (a App) drawMetric() App {
	name := a.views.panes.MetricUnderCursor(a.env)
	if name == "" {
		return a
	}
	return a.drawFigure(name)
}

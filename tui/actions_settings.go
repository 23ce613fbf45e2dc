package tui

import (
	"math"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/themes"
	"vantage/tui/layout"
)

// ratioStep is how far one key press moves a ratio.
const ratioStep = 0.05

// change makes set the settings if the trainer would take them; if not, what
// the trainer would say is shown and nothing changes.
func (a App) change(set model.Settings) (App, tea.Cmd) {
	if err := set.Validate(); err != nil {
		a.notice = err.Error()
		return a, nil
	}
	return a.apply(a.set.with(set))
}

// apply takes over settings and computes under them.
func (a App) apply(h history) (App, tea.Cmd) {
	same := h.now == a.set.now && h.base == a.set.base
	rearranged := h.filter != a.set.filter || h.order != a.set.order
	a.set = h
	if rearranged {
		a = a.arranged()
	}
	if same {
		return a, nil
	}
	return a.request()
}

// walk is like change for framework and estimator: filter ratios that the next
// one does not take are kept aside, not refused.
func (a App) walk(set model.Settings) (App, tea.Cmd) {
	if err := set.Effective().Validate(); err != nil {
		a.notice = err.Error()
		return a, nil
	}
	return a.apply(a.set.with(set))
}

func (a App) nextScale() (App, tea.Cmd) {
	entry, err := a.set.now.Entry()
	if err != nil {
		a.notice = err.Error()
		return a, nil
	}
	set, ok := a.scaleAfter()
	if !ok {
		a.notice = entry.Framework + " " + entry.Name + " has one scale only: " + string(entry.Scales[0])
		return a, nil
	}
	return a.walk(set)
}

// scaleAfter is the settings with the next scale, if there is another.
func (a App) scaleAfter() (set model.Settings, ok bool) {
	entry, err := a.set.now.Entry()
	if err != nil || len(entry.Scales) == 1 {
		return set, false
	}
	set = a.set.now
	set.Scale = after(entry.Scales, set.Scale)
	return set, true
}

// after returns the element that follows x, the first after the last.
func after[T comparable](list []T, x T) T {
	return list[(slices.Index(list, x)+1)%len(list)]
}

func (a App) posDown() (App, tea.Cmd) { return a.movePos(-ratioStep) }
func (a App) posUp() (App, tea.Cmd)   { return a.movePos(ratioStep) }
func (a App) negDown() (App, tea.Cmd) { return a.moveNeg(-ratioStep) }
func (a App) negUp() (App, tea.Cmd)   { return a.moveNeg(ratioStep) }

func (a App) movePos(by float64) (App, tea.Cmd) {
	set := a.set.now
	set.KeepPos = moved(set.KeepPos, by)
	a.prompt.negative = false
	return a.change(set)
}

func (a App) moveNeg(by float64) (App, tea.Cmd) {
	set := a.set.now
	set.KeepNeg = moved(set.KeepNeg, by)
	a.prompt.negative = true
	return a.change(set)
}

// moved moves a ratio along the grid of hundredths, within 0 and 1: 0.35 is
// 0.35, not 0.35000000000000003.
func moved(ratio, by float64) float64 {
	return min(1, max(0, math.Round((ratio+by)*100)/100))
}

func (a App) toggleRecompute() (App, tea.Cmd) {
	set := a.set.now
	set.Recompute = !set.Recompute
	return a.change(set)
}

func (a App) undo() (App, tea.Cmd) {
	h, ok := a.set.undo()
	if !ok {
		a.notice = "nothing to undo"
	}
	return a.apply(h)
}

func (a App) redo() (App, tea.Cmd) {
	h, ok := a.set.redo()
	if !ok {
		a.notice = "nothing to redo"
	}
	return a.apply(h)
}

func (a App) stepBack() (App, tea.Cmd)    { return a.goBy(-1) }
func (a App) stepOn() (App, tea.Cmd)      { return a.goBy(1) }
func (a App) stepBackTen() (App, tea.Cmd) { return a.goBy(-10) }
func (a App) stepOnTen() (App, tea.Cmd)   { return a.goBy(10) }

// goBy moves to another step and stays there while newer ones come.
func (a App) goBy(by int) (App, tea.Cmd) {
	if len(a.snap.Steps) == 0 {
		return a, nil
	}
	at := a.stepIndex()
	to := min(len(a.snap.Steps)-1, max(0, at+by))
	a.place.follow = false
	if to == at {
		a.notice = "no step beyond this one"
		return a, nil
	}
	a.place.step = a.snap.Steps[to].Number
	return a.request()
}

func (a App) followNewest() (App, tea.Cmd) {
	a.place.follow = true
	if len(a.snap.Steps) == 0 {
		return a, nil
	}
	a.place.step = a.newest()
	return a.request()
}

func (a App) down() (App, tea.Cmd)     { return a.moveBy(1), nil }
func (a App) up() (App, tea.Cmd)       { return a.moveBy(-1), nil }
func (a App) pageDown() (App, tea.Cmd) { return a.moveBy(max(1, a.tableRows()-1)), nil }
func (a App) pageUp() (App, tea.Cmd)   { return a.moveBy(-max(1, a.tableRows()-1)), nil }
func (a App) top() (App, tea.Cmd)      { return a.moveBy(math.MinInt32), nil }
func (a App) bottom() (App, tea.Cmd)   { return a.moveBy(math.MaxInt32), nil }

// moveBy moves what the focused pane shows.
func (a App) moveBy(by int) App {
	switch a.place.focus {
	case layout.Warnings:
		a.place.warning = within(a.place.warning+by, len(a.doubts()))
	case layout.Metrics:
		a.place.scroll = within(a.place.scroll+by, a.metricsBeyond()+1)
	default:
		a.place.cursor = within(a.place.cursor+by, len(a.result.rows))
	}
	return a.scrolled()
}

func within(at, n int) int { return max(0, min(at, n-1)) }

func (a App) nextWarning() (App, tea.Cmd)     { return a.goWarning(1), nil }
func (a App) previousWarning() (App, tea.Cmd) { return a.goWarning(-1), nil }

// goWarning selects a warning, brings it to the front and puts the cursor on
// the group that shows it. The first press selects the first.
func (a App) goWarning(by int) App {
	doubts := a.doubts()
	if len(doubts) == 0 {
		a.notice = "no warnings at this step"
		return a
	}
	if a.place.focus != layout.Warnings {
		by = 0
	}
	a.place.warning = (a.place.warning + by + len(doubts)) % len(doubts)
	a.place.focus, a.place.front = layout.Warnings, layout.Warnings
	for row, g := range a.result.rows {
		if g == doubts[a.place.warning].group {
			a.place.cursor = row
		}
	}
	return a.scrolled()
}

func (a App) nextPane() (App, tea.Cmd) { return a.goPane((a.place.focus + 1) % layout.PaneCount), nil }
func (a App) previousPane() (App, tea.Cmd) {
	return a.goPane((a.place.focus + layout.PaneCount - 1) % layout.PaneCount), nil
}
func (a App) pane1() (App, tea.Cmd) { return a.goPane(layout.Groups), nil }
func (a App) pane2() (App, tea.Cmd) { return a.goPane(layout.Advantages), nil }

// pane3 goes to the steps; a second time to the view of all of them.
func (a App) pane3() (App, tea.Cmd) {
	if a.place.focus == layout.Steps {
		return a.openSteps()
	}
	return a.goPane(layout.Steps), nil
}
func (a App) pane4() (App, tea.Cmd) { return a.goPane(layout.Warnings), nil }
func (a App) pane5() (App, tea.Cmd) { return a.goPane(layout.Metrics), nil }

func (a App) goPane(p layout.Pane) App {
	a.place.focus, a.place.front = p, p
	return a.scrolled()
}

func (a App) nextTheme() (App, tea.Cmd) {
	all := themes.All()
	for i, t := range all {
		if t.Name == a.look.theme.Name {
			a.look = a.look.wearing(all[(i+1)%len(all)])
			break
		}
	}
	a.notice = "theme: " + a.look.theme.Name + ", " + a.look.theme.Doc
	return a, nil
}

// toggleHelp opens the help, turns its page, closes it.
func (a App) toggleHelp() (App, tea.Cmd) {
	a.help, a.about = !a.about, a.help && !a.about
	a.sought = sought{}
	return a, nil
}

// escape goes one level out; from the overview, to its groups.
func (a App) escape() (App, tea.Cmd) {
	if a.place.view == viewOverview {
		return a.goPane(layout.Groups), nil
	}
	return a.back()
}

// toGroups goes to the groups of the step, wherever one is.
func (a App) toGroups() (App, tea.Cmd) {
	a.place.path = nil
	a, cmd := a.open(viewOverview)
	return a.goPane(layout.Groups), cmd
}

func (a App) redraw() (App, tea.Cmd) { return a, tea.ClearScreen }

// suspend stops the program until the shell wakes it.
func (a App) suspend() (App, tea.Cmd) {
	if a.suspends == nil {
		a.notice = "there is no shell to go back to: nothing could wake the program again"
		return a, nil
	}
	return a, tea.Exec(suspension{a.suspends}, nil)
}

func (a App) quit() (App, tea.Cmd) { return a, tea.Quit }

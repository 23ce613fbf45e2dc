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

// trySettings makes set the settings if the trainer would take them; if not, what
// the trainer would say is shown and nothing changes.
func (a App) trySettings(set model.Settings) (App, tea.Cmd) {
	if err := set.Validate(); err != nil {
		a.notice = err.Error()
		return a, nil
	}
	return a.apply(a.settings.withSettings(set))
}

// apply takes over settings and computes under them.
func (a App) apply(h undoHistory) (App, tea.Cmd) {
	same := h.now == a.settings.now && h.base == a.settings.base
	rearranged := h.filter != a.settings.filter || h.order != a.settings.order
	a.settings = h
	if rearranged {
		a = a.rearrange()
	}
	if same {
		return a, nil
	}
	return a.requestAnalysis()
}

// switchTo is like change for framework and estimator: filter ratios that the next
// one does not take are kept aside, not refused.
func (a App) switchTo(set model.Settings) (App, tea.Cmd) {
	if err := set.Effective().Validate(); err != nil {
		a.notice = err.Error()
		return a, nil
	}
	return a.apply(a.settings.withSettings(set))
}

func (a App) nextScale() (App, tea.Cmd) {
	entry, err := a.settings.now.Entry()
	if err != nil {
		a.notice = err.Error()
		return a, nil
	}
	set, ok := a.scaleAfter()
	if !ok {
		a.notice = entry.Framework + " " + entry.Name + " has one scale only: " + string(entry.Scales[0])
		return a, nil
	}
	return a.switchTo(set)
}

// scaleAfter is the settings with the next scale, if there is another.
func (a App) scaleAfter() (set model.Settings, ok bool) {
	entry, err := a.settings.now.Entry()
	if err != nil || len(entry.Scales) == 1 {
		return set, false
	}
	set = a.settings.now
	set.Scale = nextOf(entry.Scales, set.Scale)
	return set, true
}

// nextOf returns the element that follows x, the first after the last.
func nextOf[T comparable](list []T, x T) T {
	return list[(slices.Index(list, x)+1)%len(list)]
}

func (a App) moveKeepPos(by int) (App, tea.Cmd) {
	set := a.settings.now
	set.KeepPos = stepRatio(set.KeepPos, float64(by)*ratioStep)
	a.valuePrompt.negative = false
	return a.trySettings(set)
}

func (a App) moveKeepNeg(by int) (App, tea.Cmd) {
	set := a.settings.now
	set.KeepNeg = stepRatio(set.KeepNeg, float64(by)*ratioStep)
	a.valuePrompt.negative = true
	return a.trySettings(set)
}

// stepRatio moves a ratio along the grid of hundredths, within 0 and 1: 0.35 is
// 0.35, not 0.35000000000000003.
func stepRatio(ratio, by float64) float64 {
	return min(1, max(0, math.Round((ratio+by)*100)/100))
}

func (a App) toggleRecompute() (App, tea.Cmd) {
	set := a.settings.now
	set.Recompute = !set.Recompute
	return a.trySettings(set)
}

func (a App) undo() (App, tea.Cmd) {
	h, ok := a.settings.undo()
	if !ok {
		a.notice = "nothing to undo"
	}
	return a.apply(h)
}

func (a App) redo() (App, tea.Cmd) {
	h, ok := a.settings.redo()
	if !ok {
		a.notice = "nothing to redo"
	}
	return a.apply(h)
}

// moveStep moves to another step and stays there while newer ones come.
func (a App) moveStep(by int) (App, tea.Cmd) {
	if len(a.snap.Steps) == 0 {
		return a, nil
	}
	at := a.stepIndex()
	to := min(len(a.snap.Steps)-1, max(0, at+by))
	a.position.follow = false
	if to == at {
		a.notice = "no step beyond this one"
		return a, nil
	}
	a.position.step = a.snap.Steps[to].Number
	return a.requestAnalysis()
}

func (a App) followNewest() (App, tea.Cmd) {
	a.position.follow = true
	if len(a.snap.Steps) == 0 {
		return a, nil
	}
	a.position.step = a.newestStep()
	return a.requestAnalysis()
}

func (a App) movePageDown() (App, tea.Cmd) { return a.moveFocused(max(1, a.visibleGroups()-1)), nil }
func (a App) movePageUp() (App, tea.Cmd)   { return a.moveFocused(-max(1, a.visibleGroups()-1)), nil }

// moveFocused moves what the focused pane shows.
func (a App) moveFocused(by int) App {
	switch a.position.focus {
	case layout.Warnings:
		a.position.warning = clampIndex(a.position.warning+by, len(a.warningLines()))
	case layout.Metrics:
		a.position.metricScroll = clampIndex(a.position.metricScroll+by, a.hiddenMetricRows()+1)
	default:
		a.position.cursor = clampIndex(a.position.cursor+by, len(a.result.rows))
	}
	return a.clampCursor()
}

func clampIndex(at, n int) int { return max(0, min(at, n-1)) }

// moveWarning selects a warning, brings it to the front and puts the cursor on
// the group that shows it. The first press selects the first.
func (a App) moveWarning(by int) App {
	doubts := a.warningLines()
	if len(doubts) == 0 {
		a.notice = "no warnings at this step"
		return a
	}
	if a.position.focus != layout.Warnings {
		by = 0
	}
	a.position.warning = (a.position.warning + by + len(doubts)) % len(doubts)
	a.position.focus, a.position.frontPane = layout.Warnings, layout.Warnings
	for row, g := range a.result.rows {
		if g == doubts[a.position.warning].group {
			a.position.cursor = row
		}
	}
	return a.clampCursor()
}

func (a App) nextPane() (App, tea.Cmd) {
	return a.focusPane((a.position.focus + 1) % layout.PaneCount), nil
}
func (a App) previousPane() (App, tea.Cmd) {
	return a.focusPane((a.position.focus + layout.PaneCount - 1) % layout.PaneCount), nil
}

// focusSteps goes to the steps; a second time to the view of all of them.
func (a App) focusSteps() (App, tea.Cmd) {
	if a.position.focus == layout.Steps {
		return a.openSteps()
	}
	return a.focusPane(layout.Steps), nil
}

func (a App) focusPane(p layout.Pane) App {
	a.position.focus, a.position.frontPane = p, p
	return a.clampCursor()
}

func (a App) nextTheme() (App, tea.Cmd) {
	all := themes.All()
	for i, t := range all {
		if t.Name == a.display.theme.Name {
			a.display = a.display.withTheme(all[(i+1)%len(all)])
			break
		}
	}
	a.notice = "theme: " + a.display.theme.Name + ", " + a.display.theme.Doc
	return a, nil
}

// toggleHelp opens the help, turns its page, closes it.
func (a App) toggleHelp() (App, tea.Cmd) {
	a.helpOpen, a.helpOnEstimator = !a.helpOnEstimator, a.helpOpen && !a.helpOnEstimator
	a.helpSearch = helpSearch{}
	return a, nil
}

// escape goes one level out; from the overview, to its groups.
func (a App) escape() (App, tea.Cmd) {
	if a.position.view == viewOverview {
		return a.focusPane(layout.Groups), nil
	}
	return a.goBack()
}

// showGroups goes to the groups of the step, wherever one is.
func (a App) showGroups() (App, tea.Cmd) {
	a.position.backStack = nil
	a, cmd := a.openView(viewOverview)
	return a.focusPane(layout.Groups), cmd
}

func (a App) redraw() (App, tea.Cmd) { return a, tea.ClearScreen }

// suspend stops the program until the shell wakes it.
func (a App) suspend() (App, tea.Cmd) {
	if a.stopProgram == nil {
		a.notice = "there is no shell to go back to: nothing could wake the program again"
		return a, nil
	}
	return a, tea.Exec(suspendCommand{a.stopProgram}, nil)
}

func (a App) quit() (App, tea.Cmd) { return a, tea.Quit }

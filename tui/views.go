package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"vantage/model/report"
)

// view is what fills the screen between the head and the hints: its body in w×h
// cells, and the keys that mean something else, or more, while it is seen.
type view struct {
	body           func(a App, w, h int) []string
	keys           func() keySection
	beforeAnalysis bool                              // can be seen before anything is computed
	typeText       func(a App, character string) App // takes characters before any key does; nil if it has no line to type in
	exported       func(App) report.Table            // its table, to be exported; nil if it has none
}

// viewName says which view is seen.
type viewName int

// The views, in the order of views.
const (
	viewOverview viewName = iota
	viewEstimators
	viewGroup
	viewSearch
	viewSweep
	viewFilter
	viewSteps
	viewProblems
	viewCopy
	viewCommand
	viewCompare
	viewMarks
	viewNote
)

// views are all of them: a new one is a file and a line here.
func views() []view {
	return []view{
		viewOverview:   {body: App.overview, keys: overviewKeys, exported: App.exportedPane},
		viewEstimators: {beforeAnalysis: true, body: App.estimatorsView, keys: estimatorKeys, typeText: App.typePick},
		viewGroup:      {body: App.groupView, keys: groupKeys, exported: App.exportedSamples},
		viewSearch:     {body: App.groupView, keys: searchKeys, typeText: App.typeSearch},
		viewFilter:     {body: App.overview, keys: filterKeys, typeText: App.typeFilter},
		viewSteps:      {body: App.stepsView, keys: stepsKeys, exported: App.exportedSteps},
		viewProblems:   {beforeAnalysis: true, body: App.problemsView, keys: problemKeys, exported: App.exportedProblems},
		viewCopy:       {body: App.drawViewBelow, keys: copyKeys},
		viewCommand:    {body: App.drawViewBelow, keys: commandKeys, typeText: App.typeCommand},
		viewCompare:    {body: App.compareView, keys: compareKeys, exported: App.exportedPairs},
		viewMarks:      {beforeAnalysis: true, body: App.marksView, keys: marksKeys, exported: App.exportedMarks},
		viewNote:       {body: App.drawViewBelow, keys: noteKeys, typeText: App.typeNote},
		viewSweep:      {body: App.sweepView, keys: sweepKeys, exported: App.exportedSweep},
	}
}

// currentView is the view on the screen.
func (a App) currentView() view { return views()[a.position.view] }

// openView goes to a view that belongs to the one before: a line to type in, or back
// from it.
func (a App) openView(v viewName) (App, tea.Cmd) {
	a.position.view = v
	return a.clampCursor(), nil
}

// pushView goes to a view of its own, from which back leads here. One that was passed
// on the way is gone back to: no way leads in circles.
func (a App) pushView(v viewName) (App, tea.Cmd) {
	path := append(slices.Clip(a.position.backStack), a.position.view)
	if i := slices.Index(path, v); i >= 0 {
		path = path[:i]
	}
	a.position.backStack = path
	return a.openView(v)
}

// goBack goes where one came from: to the groups, if one was there all along.
func (a App) goBack() (App, tea.Cmd) {
	last := len(a.position.backStack) - 1
	if last < 0 {
		return a.openView(viewOverview)
	}
	v := a.position.backStack[last]
	a.position.backStack = a.position.backStack[:last]
	return a.openView(v)
}

// activeKeys are the keys of the view on the screen and those that work anywhere;
// the view's own come first and win. Where characters are typed they mean
// themselves, so that there only few keys are left.
func (a App) activeKeys() []keySection {
	own := a.currentView()
	if own.typeText != nil || a.position.view == viewCopy {
		return []keySection{own.keys(), {"program", typingKeys()}}
	}
	return append([]keySection{own.keys()}, commonKeys()...)
}

// allKeys is every key of the explorer, view by view.
func allKeys() []keySection {
	var all []keySection
	for _, v := range views() {
		all = append(all, v.keys())
	}
	return append(all, commonKeys()...)
}

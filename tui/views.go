package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"vantage/model/report"
)

// view is what fills the screen between the head and the hints: its body in w×h
// cells, and the keys that mean something else, or more, while it is seen.
type view struct {
	body  func(a App, w, h int) []string
	keys  func() section
	early bool                              // can be seen before anything is computed
	typed func(a App, character string) App // takes characters before any key does; nil if it has no line to type in
	sheet func(App) report.Sheet            // its table, to be exported; nil if it has none
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
		viewOverview:   {body: App.overview, keys: overviewKeys, sheet: App.overviewSheet},
		viewEstimators: {early: true, body: App.estimatorList, keys: estimatorKeys, typed: App.narrowPick},
		viewGroup:      {body: App.groupView, keys: groupKeys, sheet: App.sampleSheet},
		viewSearch:     {body: App.groupView, keys: searchKeys, typed: App.narrowSearch},
		viewFilter:     {body: App.overview, keys: filterKeys, typed: App.typeFilter},
		viewSteps:      {body: App.stepsView, keys: stepsKeys, sheet: App.stepSheet},
		viewProblems:   {early: true, body: App.problemsView, keys: problemKeys, sheet: App.problemSheet},
		viewCopy:       {body: App.underneath, keys: clipboardKeys},
		viewCommand:    {body: App.underneath, keys: commandKeys, typed: App.typeCommand},
		viewCompare:    {body: App.compareView, keys: compareKeys, sheet: App.pairSheet},
		viewMarks:      {early: true, body: App.marksView, keys: marksKeys, sheet: App.markSheet},
		viewNote:       {body: App.underneath, keys: noteKeys, typed: App.typeNote},
		viewSweep:      {body: App.sweepView, keys: sweepKeys, sheet: App.sweepSheet},
	}
}

// seen is the view on the screen.
func (a App) seen() view { return views()[a.place.view] }

// open goes to a view that belongs to the one before: a line to type in, or back
// from it.
func (a App) open(v viewName) (App, tea.Cmd) {
	a.place.view = v
	return a.scrolled(), nil
}

// enter goes to a view of its own, from which back leads here. One that was passed
// on the way is gone back to: no way leads in circles.
func (a App) enter(v viewName) (App, tea.Cmd) {
	path := append(slices.Clip(a.place.path), a.place.view)
	if i := slices.Index(path, v); i >= 0 {
		path = path[:i]
	}
	a.place.path = path
	return a.open(v)
}

// back goes where one came from: to the groups, if one was there all along.
func (a App) back() (App, tea.Cmd) {
	last := len(a.place.path) - 1
	if last < 0 {
		return a.open(viewOverview)
	}
	v := a.place.path[last]
	a.place.path = a.place.path[:last]
	return a.open(v)
}

// keysHere are the keys of the view on the screen and those that work anywhere;
// the view's own come first and win. Where characters are typed they mean
// themselves, so that there only few keys are left.
func (a App) keysHere() []section {
	own := a.seen()
	if own.typed != nil || a.place.view == viewCopy {
		return []section{own.keys(), {"program", leavingKeys()}}
	}
	return append([]section{own.keys()}, commonKeys()...)
}

// keyTable is every key of the explorer, view by view.
func keyTable() []section {
	var all []section
	for _, v := range views() {
		all = append(all, v.keys())
	}
	return append(all, commonKeys()...)
}

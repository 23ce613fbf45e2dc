package tui

import (
	"slices"

	"vantage/model"
	"vantage/model/figures"
	"vantage/model/report"
	"vantage/model/session"
	"vantage/tui/layout"
)

// view is what fills the screen between the header and the hints, with its keys.
type view struct {
	body           func(a App, w, h int) []string // exactly h lines of w cells
	keys           func() keySection              // they win over the common keys
	beforeAnalysis bool                           // it can be drawn before there is an analysis
	line           textLine                       // that is typed in, which no key is then; the zero value: there is none
	exported       func(App) report.Table         // its table for an export; nil: it has none
	list           targetKind                     // that the wheel scrolls wherever it is; onNothing: none
}

type viewName int

// The views.
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
	viewAnswers
	viewMarks
	viewNote
	viewChain
	viewGroupSize
	viewBreakdown
	viewPrompts
	viewPromptFilter
	viewGrep
	viewFigures
	viewFigureList
	viewGlance
	viewFinding
	viewValue
)

// viewTable returns every view by its name: a new one is a file, a name and a line here.
func viewTable() []view {
	return []view{
		viewOverview: {body: App.overview, keys: overviewKeys, exported: func(a App) report.Table { return paneTable()[a.panes.focus].exported(a) }},
		viewEstimators: {
			beforeAnalysis: true, body: App.estimatorsView, keys: estimatorKeys, list: onEstimator,
			line: textLine{text: func(a *App) *string { return &a.picker.filter }, limit: maxTyped, edited: narrowed(onEstimator)},
		},
		viewGroup: {body: App.groupView, keys: groupKeys, exported: App.exportedSamples},
		viewSearch: {
			body: App.groupView, keys: searchKeys,
			line: textLine{text: func(a *App) *string { return &a.sampleReader.search.query }, limit: maxSearchBytes, edited: func(a App, _ bool) App { return a.updateSearch() }},
		},
		viewFilter: {
			body: App.overview, keys: filterKeys,
			line: textLine{text: func(a *App) *string { return &a.panes.filterDraft }, limit: figures.MaxQuery, edited: func(a App, _ bool) App { return a.rearrange() }, prompt: App.filterPrompt},
		},
		viewSteps:    {body: App.stepsView, keys: stepsKeys, exported: App.exportedSteps},
		viewProblems: {beforeAnalysis: true, body: App.problemsView, keys: problemKeys, exported: App.exportedProblems, list: onProblems},
		viewCopy:     {body: App.drawViewBelow, keys: copyKeys},
		viewCommand: {
			body: App.drawViewBelow, keys: commandKeys,
			line: textLine{text: func(a *App) *string { return &a.command }, limit: maxCommandBytes, prompt: App.commandPrompt},
		},
		viewValue: {
			body: App.drawViewBelow, keys: valueKeys,
			line: textLine{text: func(a *App) *string { return &a.value.text }, limit: maxTyped, prompt: App.valueLine, edited: App.valueEdited},
		},
		viewCompare: {body: App.compareView, keys: compareKeys, exported: App.exportedPairs, list: onPair},
		viewAnswers: {body: App.answersView, keys: answerKeys},
		viewMarks:   {beforeAnalysis: true, body: App.marksView, keys: marksKeys, exported: App.exportedMarks, list: onMarked},
		viewNote: {
			body: App.drawViewBelow, keys: noteKeys,
			line: textLine{text: func(a *App) *string { return &a.marks.draft.text }, limit: session.MaxNote, prompt: App.notePrompt},
		},
		viewChain:     {body: App.chainView, keys: chainKeys},
		viewGroupSize: {body: App.groupSizeView, keys: groupSizeKeys, exported: App.exportedGroupSize, list: onSizes},
		viewBreakdown: {body: App.breakdownView, keys: breakdownKeys, exported: App.exportedBreakdown, list: onParts},
		viewPrompts:   {body: App.promptsView, keys: promptsKeys, exported: App.exportedPrompts, list: onPrompt},
		viewPromptFilter: {
			body: App.promptsView, keys: promptFilterKeys,
			line: textLine{text: func(a *App) *string { return &a.prompts.draft }, limit: figures.MaxQuery, prompt: App.promptFilterPrompt},
		},
		viewGrep:    {body: App.grepView, keys: grepKeys, exported: App.exportedMatches, list: onMatch},
		viewFigures: {body: App.figuresView, keys: figuresKeys, exported: App.exportedSteps},
		viewFigureList: {
			body: App.figureListView, keys: figureListKeys,
			line: textLine{text: func(a *App) *string { return &a.steps.picker.query }, limit: maxTyped, edited: narrowed(onFigure)},
		},
		viewGlance:  {body: App.glanceView, keys: glanceKeys, exported: App.exportedGlance, list: onWorstStep},
		viewFinding: {body: App.findingView, keys: findingKeys, exported: func(a App) report.Table { return paneTable()[layout.Groups].exported(a) }},
		viewSweep:   {body: App.sweepView, keys: sweepKeys, exported: App.exportedSweep},
	}
}

// pane is a part of the overview.
type pane struct {
	draw     func(a App, w, h int) paneContent
	move     func(a App, by int) App // its cursor, by keys and by the wheel
	enter    action                  // what Enter does
	exported func(App) report.Table
	figures  func(App) figureList // under its cursor, for the help
}

func paneTable() [layout.PaneCount]pane {
	moveGroupRow := func(a App, by int) App { return a.moveRow(onGroup, by) }
	return [layout.PaneCount]pane{
		layout.Groups:     {App.paneGroups, moveGroupRow, App.openGroup, App.exportedGroups, App.figuresOfGroup},
		layout.Advantages: {App.paneAdvantages, moveGroupRow, App.openGroup, App.exportedGroups, App.figuresOfHistogram},
		layout.Steps: {App.paneSteps, moveGroupRow, App.openSteps, App.exportedSteps, func(App) (l figureList) {
			for _, row := range trendRows() {
				l = l.at(figures.Step, row.name)
			}
			return l
		}},
		layout.Warnings: {App.paneWarnings, func(a App, by int) App { return a.moveRow(onWarning, by) }, App.enterWarning, App.exportedGroups, App.figuresOfWarnings},
		layout.Metrics:  {App.paneMetrics, func(a App, by int) App { return a.moveMetricCursor(by).clampCursor() }, App.drawMetric, App.exportedMetrics, App.figuresOfMetrics},
	}
}

func (a App) currentView() view { return viewTable()[a.position.view] }

// openView changes the view; going back leads where it led before.
func (a App) openView(v viewName) App {
	a.position.view, a.input.behind, a.input.back = v, 0, 0
	return a.clampCursor()
}

func (a App) openLine(v viewName) App {
	a.position.viewBelow = a.position.view
	return a.openView(v)
}

func (a App) closeLine() App { return a.openView(a.position.viewBelow) }

func (a App) drawViewBelow(w, h int) []string {
	a.position.view = a.position.viewBelow
	return a.currentView().body(a, w, h)
}

// pushView opens a view from which going back leads here. A view that is already on the
// way back is returned to: no way back goes in circles.
func (a App) pushView(v viewName) App {
	path := append(slices.Clip(a.position.backStack), a.position.view)
	if i := slices.Index(path, v); i >= 0 {
		path = path[:i]
	}
	a.position.backStack = path
	return a.openView(v)
}

// goBack returns to the view before this one, at last to the overview.
func (a App) goBack() App {
	last := len(a.position.backStack) - 1
	if last < 0 {
		return a.openView(viewOverview)
	}
	v := a.position.backStack[last]
	a.position.backStack = a.position.backStack[:last]
	return a.openView(v)
}

// activeKeys returns the keys of the view on the screen, then the common ones: of a key that
// both have, the first wins. Where text is typed few common ones are left.
func (a App) activeKeys() []keySection {
	own := a.currentView()
	if own.line.text != nil {
		return []keySection{own.keys(), lineKeys(), {"program", typingKeys()}}
	}
	if a.position.view == viewCopy {
		return []keySection{own.keys(), {"program", typingKeys()}}
	}
	if a.position.view == viewGlance {
		return append([]keySection{own.keys()}, keysBelowGlance()...)
	}
	return append([]keySection{own.keys()}, commonKeys()...)
}

func allKeys() []keySection {
	return append(append(model.Mapped(viewTable(), func(v view) keySection { return v.keys() }), commonKeys()...), lineKeys())
}

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

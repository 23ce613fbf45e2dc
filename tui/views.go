package tui

import (
	"slices"

	"vantage/model"
	"vantage/model/figures"
	"vantage/model/report"
	"vantage/tui/cells"
	"vantage/tui/env"
	"vantage/tui/layout"
	"vantage/tui/pane"
)

// view is what fills the screen between the header and the hints, with its keys.
type view struct {
	body           func(a App, w, h int) []string // exactly h lines of w cells
	keys           func() keySection              // they win over the common keys
	beforeAnalysis bool                           // it can be drawn before there is an analysis
	line           textLine                       // that is typed in, which no key is then; the zero value: there is none
	exported       func(App) report.Table         // its table for an export; nil: it has none
	list           pane.Kind                      // that the wheel scrolls wherever it is; onNothing: none
}

// What the keys of a view change, see within.
func sweepOf(a *App) *sweepState { return &a.views.sweep }

func breakdownOf(a *App) *breakdownState { return &a.views.breakdown }

func chainOf(a *App) *chainState { return &a.views.chain }

func promptsOf(a *App) *promptsState { return &a.views.prompts }

func grepOf(a *App) *grepState { return &a.views.grep }

func pickerOf(a *App) *estimatorPicker { return &a.views.picker }

func stepsOf(a *App) *stepsState { return &a.views.steps }

func answersOf(a *App) *answerReader { return &a.views.answers }

func readerOf(a *App) *sampleReader { return &a.views.sampleReader }

func panesOf(a *App) *panes { return &a.panes }

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
			beforeAnalysis: true, body: func(a App, w, h int) []string {
				return a.views.picker.view(a.env, a.overlays.input.line(a.views.picker.filter), w, h)
			}, keys: estimatorKeys, list: pane.OnEstimator,
			line: textLine{text: func(a *App) *string { return &a.views.picker.filter }, limit: maxTyped, edited: narrowed(pane.OnEstimator)},
		},
		viewGroup: {body: func(a App, _, _ int) []string { return a.views.sampleReader.view(a.env, nil) }, keys: groupKeys, exported: func(a App) report.Table { return exportedSamples(a.env) }},
		viewSearch: {
			body: func(a App, _, _ int) []string {
				typed := a.overlays.input.line(a.views.sampleReader.search.query)
				return a.views.sampleReader.view(a.env, &typed)
			}, keys: searchKeys,
			line: textLine{text: func(a *App) *string { return &a.views.sampleReader.search.query }, limit: maxSearchBytes, edited: func(a App, _ bool) App { a.views.sampleReader.updateSearch(a.env); return a }},
		},
		viewFilter: {
			body: App.overview, keys: filterKeys,
			line: textLine{text: func(a *App) *string { return &a.panes.filterDraft }, limit: figures.MaxQuery, edited: func(a App, _ bool) App { return a.rearrange() }, prompt: App.filterPrompt},
		},
		viewSteps:    {body: func(a App, w, h int) []string { return a.views.steps.view(a.env, w, h) }, keys: stepsKeys, exported: func(a App) report.Table { return a.views.steps.exported(a.env) }},
		viewProblems: {beforeAnalysis: true, body: func(a App, w, h int) []string { return problemsView(a.env, a.views.problems, w, h) }, keys: problemKeys, exported: func(a App) report.Table { return exportedProblems(a.env) }, list: pane.OnProblems},
		viewCopy:     {body: App.drawViewBelow, keys: copyKeys},
		viewCommand: {
			body: App.drawViewBelow, keys: commandKeys,
			line: textLine{text: func(a *App) *string { return &a.overlays.command }, limit: maxCommandBytes, prompt: func(a App, typed cells.Line, w int) string { return commandPrompt(a.env, typed, w) }},
		},
		viewValue: {
			body: App.drawViewBelow, keys: valueKeys,
			line: textLine{
				text: func(a *App) *string { return &a.overlays.value.texts[a.overlays.value.field] }, limit: maxTyped,
				prompt: func(a App, typed cells.Line, w int) string { return a.overlays.value.prompt(a.env, typed, w) },
				edited: func(a App, _ bool) App { a.overlays.value.keepDigits(); return a },
			},
		},
		viewCompare:   {body: func(a App, w, h int) []string { return a.views.compare.view(a.env, w, h) }, keys: compareKeys, exported: func(a App) report.Table { return a.views.compare.exported(a.env) }, list: pane.OnPair},
		viewAnswers:   {body: func(a App, _, h int) []string { return a.views.answers.view(a.env, a.views.compare.which(), h) }, keys: answerKeys},
		viewChain:     {body: func(a App, w, h int) []string { return a.views.chain.view(a.env, w, h) }, keys: chainKeys},
		viewGroupSize: {body: func(a App, w, h int) []string { return a.views.groupSize.view(a.env, w, h) }, keys: groupSizeKeys, exported: func(a App) report.Table { return a.views.groupSize.exported() }, list: pane.OnSizes},
		viewBreakdown: {body: func(a App, w, h int) []string { return a.views.breakdown.view(a.env, w, h) }, keys: breakdownKeys, exported: func(a App) report.Table { return a.views.breakdown.exported() }, list: pane.OnParts},
		viewPrompts:   {body: func(a App, w, h int) []string { return a.views.prompts.view(a.env, w, h) }, keys: promptsKeys, exported: func(a App) report.Table { return a.views.prompts.exported() }, list: pane.OnPrompt},
		viewPromptFilter: {
			body: func(a App, w, h int) []string { return a.views.prompts.view(a.env, w, h) }, keys: promptFilterKeys,
			line: textLine{text: func(a *App) *string { return &a.views.prompts.draft }, limit: figures.MaxQuery, prompt: func(a App, typed cells.Line, w int) string { return promptFilterPrompt(a.env, typed, w) }},
		},
		viewGrep:    {body: func(a App, w, h int) []string { return a.views.grep.view(a.env, w, h) }, keys: grepKeys, exported: func(a App) report.Table { return a.views.grep.exported() }, list: pane.OnMatch},
		viewFigures: {body: func(a App, w, h int) []string { return a.views.steps.figuresView(a.env, w, h) }, keys: figuresKeys, exported: func(a App) report.Table { return a.views.steps.exported(a.env) }},
		viewFigureList: {
			body: func(a App, w, h int) []string {
				return a.views.steps.figureList(a.env, a.overlays.input.line(a.views.steps.picker.query), w, h)
			}, keys: figureListKeys,
			line: textLine{text: func(a *App) *string { return &a.views.steps.picker.query }, limit: maxTyped, edited: narrowed(pane.OnFigure)},
		},
		viewGlance:  {body: App.glanceView, keys: glanceKeys, exported: func(a App) report.Table { return a.views.glance.exported() }, list: pane.OnWorstStep},
		viewFinding: {body: func(a App, w, h int) []string { return a.panes.finding(a.env, a.views.finding, w, h) }, keys: findingKeys, exported: func(a App) report.Table { return paneTable()[layout.Groups].exported(a) }},
		viewSweep:   {body: func(a App, w, h int) []string { return a.views.sweep.view(a.env, w, h) }, keys: sweepKeys, exported: func(a App) report.Table { return a.views.sweep.exported(a.env) }},
	}
}

// overviewPane is a part of the overview.
type overviewPane struct {
	draw     func(p panes, e env.Env, w, h int) pane.Content
	move     func(a App, by int) App // its cursor, by keys and by the wheel
	enter    action                  // what Enter does
	exported func(App) report.Table
	figures  func(panes, env.Env) figureList // under its cursor, for the help
}

func paneTable() [layout.PaneCount]overviewPane {
	moveGroupRow := func(a App, by int) App { return a.moveRow(pane.OnGroup, by) }
	return [layout.PaneCount]overviewPane{
		layout.Groups:     {panes.groups, moveGroupRow, App.openGroup, func(a App) report.Table { return exportedGroups(a.env) }, panes.figuresOfGroup},
		layout.Advantages: {panes.advantages, moveGroupRow, App.openGroup, func(a App) report.Table { return exportedGroups(a.env) }, panes.figuresOfHistogram},
		layout.Steps: {func(_ panes, e env.Env, w, h int) pane.Content { return paneSteps(e, w, h) }, moveGroupRow, pushing(viewSteps), func(a App) report.Table { return a.views.steps.exported(a.env) }, func(panes, env.Env) (l figureList) {
			for _, row := range trendRows() {
				l = l.at(figures.Step, row.name)
			}
			return l
		}},
		layout.Warnings: {panes.warnings, func(a App, by int) App { return a.moveRow(pane.OnWarning, by) }, App.enterWarning, func(a App) report.Table { return exportedGroups(a.env) }, panes.figuresOfWarnings},
		layout.Metrics:  {panes.metrics, func(a App, by int) App { a.panes.moveMetric(a.env, by); return a }, within(panesOf, (*panes).drawMetric), func(a App) report.Table { return exportedMetrics(a.env) }, panes.figuresOfMetrics},
	}
}

func (p position) currentView() view { return viewTable()[p.view] }

// openView changes the view; going back leads where it led before.
func (a App) openView(v viewName) App {
	a.position.view, a.overlays.input.behind, a.overlays.input.back = v, 0, 0
	return a.clampCursor()
}

func (a App) openLine(v viewName) App {
	a.position.viewBelow = a.position.view
	return a.openView(v)
}

func (a App) closeLine() App { return a.openView(a.position.viewBelow) }

func (a App) drawViewBelow(w, h int) []string {
	a.position.view = a.position.viewBelow
	return a.position.currentView().body(a, w, h)
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
func (p position) activeKeys() []keySection {
	own := p.currentView()
	if own.line.text != nil {
		return []keySection{own.keys(), lineKeys(), {"program", typingKeys()}}
	}
	if p.view == viewCopy {
		return []keySection{own.keys(), {"program", typingKeys()}}
	}
	if p.view == viewGlance {
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
		return a.pushView(viewSteps)
	}
	a.panes.fullScreen = !a.panes.fullScreen
	return a.clampCursor()
}

package tui

import (
	"math"

	"vantage/tui/pane"
)

// list is rows that a cursor goes through, by keys, wheel and clicks, or a text whose first line in sight does.
type list struct {
	cursor func(*App) *int
	count  func(App) int // of the rows; of a text the lines that can be the first in sight
	open   action        // what a double click does; nil: nothing
	moved  func(App) App // what follows a move; nil: nothing
}

func lists() [pane.TargetKinds]list {
	pairs := func(a App) int { return len(a.views.compare.pairs()) }
	return [pane.TargetKinds]list{
		pane.OnGroup:     {cursor: func(a *App) *int { return &a.env.Place.Row }, count: func(a App) int { return len(a.env.Result.Rows) }, open: App.enterPane, moved: App.clampCursor},
		pane.OnWarning:   {cursor: func(a *App) *int { return &a.panes.warning }, count: func(a App) int { return len(warningLines(a.env)) }, open: App.enterPane, moved: App.clampCursor},
		pane.OnSample:    {cursor: func(a *App) *int { return &a.views.sampleReader.sample }, count: func(a App) int { return samplesOpen(a.env) }, open: within(readerOf, by((*sampleReader).focus, 1))},
		pane.OnPair:      {cursor: func(a *App) *int { return &a.views.compare.cursor }, count: pairs, open: App.openAnswers},
		pane.OnEstimator: {cursor: func(a *App) *int { return &a.views.picker.cursor }, count: func(a App) int { return len(a.views.picker.matching()) }, open: within(pickerOf, (*estimatorPicker).pick), moved: func(a App) App { a.views.picker.top = 0; return a }},
		pane.OnFigure:    {cursor: func(a *App) *int { return &a.views.steps.picker.cursor }, count: func(a App) int { return len(a.views.steps.pickedFigures(a.env)) }},
		pane.OnStage:     {cursor: func(a *App) *int { return &a.views.chain.stage }, count: func(App) int { return len(chainStages()) }, open: within(chainOf, by((*chainState).moveChoice, 1)), moved: func(a App) App { a.views.chain.line = 0; return a }},
		pane.OnWorstStep: {cursor: func(a *App) *int { return &a.views.glance.cursor }, count: func(a App) int { return len(a.env.FoundList()) + len(a.views.glance.spans()) }, open: App.openWorstStep},

		pane.OnPrompt: {cursor: func(a *App) *int { return &a.views.prompts.cursor }, count: func(a App) int { return len(a.views.prompts.shown()) }, open: within(promptsOf, (*promptsState).open)},
		pane.OnMatch:  {cursor: func(a *App) *int { return &a.views.grep.cursor }, count: func(a App) int { return len(a.views.grep.matches()) }, open: within(grepOf, (*grepState).open)},

		pane.OnProblems: {cursor: func(a *App) *int { return &a.views.problems }, count: func(a App) int {
			return a.env.Display.FirstLines(len(readingLines(a.env, a.env.Display.W-4)) + listedProblems(a.env))
		}},
		pane.OnSizes: {cursor: func(a *App) *int { return &a.views.groupSize.topLine }, count: func(a App) int {
			return a.env.Display.FirstLines(len(a.views.groupSize.lines(a.env, a.env.Display.W-4)))
		}},
		pane.OnParts: {cursor: func(a *App) *int { return &a.views.breakdown.topLine }, count: func(a App) int { return a.views.breakdown.count(a.env) }},
	}
}

// moveRow moves the cursor of a list by some rows, no further than its ends.
func (a App) moveRow(of pane.Kind, by int) App {
	l := lists()[of]
	at := l.cursor(&a)
	return a.toRow(of, pane.ClampIndex(*at+by, l.count(a)))
}

func (a App) toRow(of pane.Kind, row int) App {
	l := lists()[of]
	*l.cursor(&a) = row
	if l.moved != nil {
		return l.moved(a)
	}
	return a
}

func listKeys(hint string, of pane.Kind) []binding {
	to := func(by int) action { return func(a App) App { return a.moveRow(of, by) } }
	return []binding{
		{[]string{"j", "down"}, "j ↓", hint, "down", to(1)},
		{[]string{"k", "up"}, "k ↑", "", "up", to(-1)},
		{[]string{"ctrl+d", "pgdown"}, "^D", "", "a page down", to(10)},
		{[]string{"ctrl+u", "pgup"}, "^U", "", "a page up", to(-10)},
		{[]string{"g", "home"}, "g", "", "to the top", to(math.MinInt32)},
		{[]string{"G", "end"}, "G", "", "to the end", to(math.MaxInt32)},
	}
}

func pickerKeys(of pane.Kind, enter binding) []binding {
	to := func(by int) action { return func(a App) App { return a.moveRow(of, by) } }
	return []binding{
		{[]string{"down", "ctrl+n"}, "↓", "↓ ↑ move", "down", to(1)},
		{[]string{"up", "ctrl+p"}, "↑", "", "up", to(-1)},
		{[]string{"pgdown", "ctrl+d"}, "^D", "", "ten down", to(10)},
		{[]string{"pgup", "ctrl+u"}, "^U", "", "ten up", to(-10)},
		enter,
		{[]string{"esc"}, "Esc", "Esc back", "back without changes", App.escape},
	}
}

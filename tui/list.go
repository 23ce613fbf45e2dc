package tui

import (
	"fmt"
	"math"

	"vantage/model"
	"vantage/themes"
	"vantage/tui/cells"
)

// list is rows that a cursor goes through, by keys, wheel and clicks, or a text whose first line in sight does.
type list struct {
	cursor func(*App) *int
	count  func(App) int // of the rows; of a text the lines that can be the first in sight
	open   action        // what a double click does; nil: nothing
	moved  func(App) App // what follows a move; nil: nothing
}

func lists() [targetKinds]list {
	pairs := func(a App) int { return len(a.views.compare.pairs()) }
	return [targetKinds]list{
		onGroup:     {cursor: func(a *App) *int { return &a.env.place.row }, count: func(a App) int { return len(a.env.result.rows) }, open: App.enterPane, moved: App.clampCursor},
		onWarning:   {cursor: func(a *App) *int { return &a.panes.warning }, count: func(a App) int { return len(a.env.warningLines()) }, open: App.enterPane, moved: App.clampCursor},
		onSample:    {cursor: func(a *App) *int { return &a.views.sampleReader.sample }, count: func(a App) int { return a.env.samplesOpen() }, open: within(readerOf, by((*sampleReader).focus, 1))},
		onPair:      {cursor: func(a *App) *int { return &a.views.compare.cursor }, count: pairs, open: App.openAnswers},
		onEstimator: {cursor: func(a *App) *int { return &a.views.picker.cursor }, count: func(a App) int { return len(a.views.picker.matching()) }, open: within(pickerOf, (*estimatorPicker).pick), moved: func(a App) App { a.views.picker.top = 0; return a }},
		onFigure:    {cursor: func(a *App) *int { return &a.views.steps.picker.cursor }, count: func(a App) int { return len(a.views.steps.pickedFigures(a.env)) }},
		onStage:     {cursor: func(a *App) *int { return &a.views.chain.stage }, count: func(App) int { return len(chainStages()) }, open: within(chainOf, by((*chainState).moveChoice, 1)), moved: func(a App) App { a.views.chain.line = 0; return a }},
		onWorstStep: {cursor: func(a *App) *int { return &a.views.glance.cursor }, count: func(a App) int { return len(a.env.foundList()) + len(a.views.glance.spans()) }, open: App.openWorstStep},

		onPrompt: {cursor: func(a *App) *int { return &a.views.prompts.cursor }, count: func(a App) int { return len(a.views.prompts.shown()) }, open: within(promptsOf, (*promptsState).open)},
		onMatch:  {cursor: func(a *App) *int { return &a.views.grep.cursor }, count: func(a App) int { return len(a.views.grep.matches()) }, open: within(grepOf, (*grepState).open)},

		onProblems: {cursor: func(a *App) *int { return &a.views.problems }, count: func(a App) int {
			return a.env.display.firstLines(len(a.env.readingLines(a.env.display.w-4)) + a.env.listedProblems())
		}},
		onSizes: {cursor: func(a *App) *int { return &a.views.groupSize.topLine }, count: func(a App) int {
			return a.env.display.firstLines(len(a.views.groupSize.lines(a.env, a.env.display.w-4)))
		}},
		onParts: {cursor: func(a *App) *int { return &a.views.breakdown.topLine }, count: func(a App) int { return a.views.breakdown.count(a.env) }},
	}
}

// moveRow moves the cursor of a list by some rows, no further than its ends.
func (a App) moveRow(of targetKind, by int) App {
	l := lists()[of]
	at := l.cursor(&a)
	return a.toRow(of, clampIndex(*at+by, l.count(a)))
}

func (a App) toRow(of targetKind, row int) App {
	l := lists()[of]
	*l.cursor(&a) = row
	if l.moved != nil {
		return l.moved(a)
	}
	return a
}

func listKeys(hint string, of targetKind) []binding {
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

func pickerKeys(of targetKind, enter binding) []binding {
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

func clampIndex(i, n int) int { return max(0, min(i, n-1)) }

// windowTop returns the first of n rows to show in a window of h rows, so that the cursor is in the middle unless the window is
// at an end.
func windowTop(cursor, n, h int) int { return max(0, min(cursor-h/2, n-h)) }

// addRows fills a pane to h lines of w cells with those of n rows that are around the cursor, and notes where it is.
func (d display) addRows(c *paneContent, of targetKind, cursor, n, w, h int, row func(i int) string) {
	for i := windowTop(cursor, n, h-len(c.lines)); i < n && len(c.lines) < h; i++ {
		d.addRow(c, target{of, i}, row(i), w, i == cursor)
	}
	c.note = fmt.Sprintf("%d/%d", min(cursor+1, n), n)
}

// scrolledTo returns the content with the lines that a pane of height h shows from line top on, and which they are of all.
func (c paneContent) scrolledTo(top int, lines []string, h int) paneContent {
	c.lines = lines
	if visible := max(0, h-2); len(lines) > visible {
		top = min(top, len(lines)-visible)
		c.lines, c.note = lines[top:], fmt.Sprintf("%d–%d/%d", top+1, top+visible, len(lines))
	}
	return c
}

// wrapped breaks a text into painted lines of at most w cells, each behind an indent.
func (d display) wrapped(indent string, role themes.Role, text string, w int) []string {
	return model.Mapped(cells.Wrap(text, w), func(line string) string { return indent + d.theme.Paint(role, line) })
}

// paragraph returns a heading and below it a text in lines of at most w cells and an indent; nothing for no text.
func (d display) paragraph(heading, text string, w int) []string {
	if text == "" {
		return nil
	}
	lines := model.Mapped(cells.Wrap(heading, w+2), func(line string) string { return " " + d.theme.Paint(themes.Title, line) })
	return append(lines, cells.Indent("   ", cells.Wrap(text, w))...)
}

// firstLines returns how many of some lines can be the first in sight of a view that is one pane: at last the last one is at
// the bottom.
func (d display) firstLines(lines int) int {
	return max(1, lines-d.bodyHeight()+3)
}

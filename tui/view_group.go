package tui

import (
	"math"

	tea "charm.land/bubbletea/v2"

	"vantage/tui/richtext"
)

// groupKeys read one group.
func groupKeys() section {
	return section{"group", []binding{
		{[]string{"j", "down"}, "j ↓", "j k sample", "next sample; in the text a line down", App.readDown},
		{[]string{"k", "up"}, "k ↑", "", "previous sample; in the text a line up", App.readUp},
		{[]string{"J"}, "J", "J K group", "next group", App.nextGroup},
		{[]string{"K"}, "K", "", "previous group", App.previousGroup},
		{[]string{"tab", "shift+tab", "enter"}, "Tab ⏎", "Tab text", "from the samples to the text and back", App.switchText},
		{[]string{"/"}, "/", "/ search", "search in the text", App.openSearch},
		{[]string{"n"}, "n", "", "next match; without a search the next difference", App.nextMatch},
		{[]string{"N"}, "N", "", "previous one", App.previousMatch},
		{[]string{"d"}, "d", "d diff", "the best sample against the one under the cursor, or against the worst", App.toggleDiff},
		{[]string{"z"}, "z", "z thoughts", "unfold the thoughts, or fold them; a diff compares them too, or not", App.toggleThoughts},
		{[]string{"v"}, "v", "v as-logged", "the text as logged, or with its Markdown and LaTeX set", App.toggleRaw},
		{[]string{"1"}, "1", "", "to the prompt", App.toPrompt},
		{[]string{"2"}, "2", "", "to the response", App.toResponse},
		{[]string{"3"}, "3", "", "to the ground truth", App.toTruth},
		{[]string{"ctrl+d", "pgdown", "space"}, "^D", "", "a page of text down", App.textPageDown},
		{[]string{"ctrl+u", "pgup"}, "^U", "", "a page of text up", App.textPageUp},
		{[]string{"g", "home"}, "g", "", "to the top", App.readTop},
		{[]string{"G", "end"}, "G", "", "to the end", App.readEnd},
		{[]string{"esc"}, "Esc", "Esc back", "back to the groups", App.escape},
	}}
}

// openGroup reads the group under the cursor. The step holds still meanwhile: text
// that changes under the eyes cannot be read.
func (a App) openGroup() (App, tea.Cmd) {
	if a.selected() == nil {
		a.notice = "no group to open yet"
		return a, nil
	}
	a.reader.resume, a.reader.held = a.place.follow, a.place.step
	a.place.follow = false
	a.reader.group, a.reader.inText, a.reader.diff = "", false, false
	a.reader.search = search{}
	return a.enter(viewGroup)
}

func (a App) nextGroup() (App, tea.Cmd)     { return a.groupBy(1) }
func (a App) previousGroup() (App, tea.Cmd) { return a.groupBy(-1) }

// groupBy goes to another group of the table, to its best sample.
func (a App) groupBy(by int) (App, tea.Cmd) {
	to := within(a.place.cursor+by, len(a.result.rows))
	if to == a.place.cursor {
		a.notice = "no group beyond this one"
	}
	a.place.cursor = to
	return a.scrolled(), nil
}

func (a App) readDown() (App, tea.Cmd) { return a.readBy(1), nil }
func (a App) readUp() (App, tea.Cmd)   { return a.readBy(-1), nil }
func (a App) readTop() (App, tea.Cmd)  { return a.readBy(math.MinInt32), nil }
func (a App) readEnd() (App, tea.Cmd)  { return a.readBy(math.MaxInt32), nil }

// readBy moves what keys go to: the cursor among the samples, or the text.
func (a App) readBy(by int) App {
	if a.reader.inText {
		a.reader.scroll += by
		return a.scrolledText()
	}
	if g := a.selected(); g != nil {
		a.reader.sample = within(a.reader.sample+by, g.Size())
	}
	return a
}

func (a App) textPageDown() (App, tea.Cmd) { return a.textBy(a.textRows() - 1), nil }
func (a App) textPageUp() (App, tea.Cmd)   { return a.textBy(1 - a.textRows()), nil }

func (a App) textBy(by int) App {
	a.reader.scroll += by
	return a.scrolledText()
}

func (a App) switchText() (App, tea.Cmd) {
	a.reader.inText = !a.reader.inText
	return a.scrolledText(), nil
}

// toggleDiff compares. The cursor goes to the worst sample if it is on the best,
// so that it is seen which two are compared.
func (a App) toggleDiff() (App, tea.Cmd) {
	g := a.selected()
	if g == nil || g.Size() < 2 {
		a.notice = "one sample only: there is nothing to compare it with"
		return a, nil
	}
	a.reader.diff = !a.reader.diff
	if a.reader.diff && a.reader.sample == 0 {
		a.reader.sample = g.Size() - 1
	}
	return a, nil
}

func (a App) toggleThoughts() (App, tea.Cmd) {
	a.reader.open = !a.reader.open
	return a, nil
}

func (a App) toggleRaw() (App, tea.Cmd) {
	a.reader.raw = !a.reader.raw
	return a, nil
}

func (a App) toPrompt() (App, tea.Cmd)   { return a.toMark(richtext.AnchorPrompt), nil }
func (a App) toResponse() (App, tea.Cmd) { return a.toMark(richtext.AnchorResponse), nil }
func (a App) toTruth() (App, tea.Cmd)    { return a.toMark(richtext.AnchorTruth), nil }

// toMark brings a part of the text to the top.
func (a App) toMark(name string) App {
	if a.reader.page == nil {
		return a
	}
	lines := a.reader.page.AnchorLines(name)
	if len(lines) == 0 {
		a.notice = "a diff holds responses only: d shows the " + name + " again"
		return a
	}
	a.reader.scroll = lines[0]
	return a.scrolledText()
}

// groupView shows the samples of a group beside the text of one, or above it.
func (a App) groupView(_, _ int) []string {
	samples, text := a.rooms()
	left := a.box(samples, !a.reader.inText, a.sampleTable(samples.Inner().W, samples.Inner().H))
	right := a.box(text, a.reader.inText, a.textPane(text.Inner().W, text.Inner().H))
	if text.X == 0 {
		return append(left, right...)
	}
	for i := range left {
		left[i] += right[i]
	}
	return left
}

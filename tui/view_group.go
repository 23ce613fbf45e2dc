package tui

import (
	"math"

	"vantage/tui/richtext"
)

// groupKeys returns the keys of an open group.
func groupKeys() keySection {
	return keySection{"group", []binding{
		{[]string{"j", "down"}, "j ↓", "j k sample", "next sample; in the text a line down", move(App.moveReading, 1)},
		{[]string{"k", "up"}, "k ↑", "", "previous sample; in the text a line up", move(App.moveReading, -1)},
		{[]string{"J"}, "J", "J K group", "next group", do(App.moveGroup, 1)},
		{[]string{"K"}, "K", "", "previous group", do(App.moveGroup, -1)},
		{[]string{"tab", "shift+tab", "enter"}, "Tab ⏎", "Tab text", "switch between samples and text", App.toggleTextFocus},
		{[]string{"/"}, "/", "/ search", "search in the text", App.openSearch},
		{[]string{"n"}, "n", "", "next match, or next difference if there is no search", move(App.moveMatch, 1)},
		{[]string{"N"}, "N", "", "previous match or difference", move(App.moveMatch, -1)},
		{[]string{"d"}, "d", "d diff", "compare the best sample with the one under the cursor, or with the worst", App.toggleDiff},
		{[]string{"z"}, "z", "z thinking", "show or hide the thinking, also in a diff", App.toggleThoughts},
		{[]string{"v"}, "v", "v as-logged", "show the text as logged, or with Markdown and LaTeX rendered", App.toggleRaw},
		{[]string{"1"}, "1", "", "to the prompt", scrollToAnchor(richtext.AnchorPrompt)},
		{[]string{"2"}, "2", "", "to the response", scrollToAnchor(richtext.AnchorResponse)},
		{[]string{"3"}, "3", "", "to the ground truth", scrollToAnchor(richtext.AnchorTruth)},
		{[]string{"ctrl+d", "pgdown", "space"}, "^D", "", "a page of text down", App.textPageDown},
		{[]string{"ctrl+u", "pgup"}, "^U", "", "a page of text up", App.textPageUp},
		{[]string{"g", "home"}, "g", "", "to the top", move(App.moveReading, math.MinInt32)},
		{[]string{"G", "end"}, "G", "", "to the end", move(App.moveReading, math.MaxInt32)},
		{[]string{"esc"}, "Esc", "Esc back", "back to the groups", App.escape},
	}}
}

// openGroup opens the group under the cursor. Newer steps are not followed meanwhile: text
// that changes cannot be read.
func (a App) openGroup() App {
	if a.selectedGroup() == nil {
		a.notice = "no group to open yet"
		return a
	}
	a.sampleReader.resumeFollow, a.sampleReader.heldStep = a.place.follow, a.place.step
	a.place.follow = false
	a.sampleReader.group, a.sampleReader.inText, a.sampleReader.showDiff = groupKey{}, false, false
	a.sampleReader.search = textSearch{}
	return a.pushView(viewGroup)
}

// moveGroup opens another group of the table at its best sample.
func (a App) moveGroup(by int) App {
	to := clampIndex(a.panes.cursor+by, len(a.result.rows))
	if to == a.panes.cursor {
		a.notice = "no further group"
	}
	a.panes.cursor = to
	return a.clampCursor()
}

// moveReading moves the cursor among the samples, or scrolls the text if it is focused.
func (a App) moveReading(by int) App {
	if a.sampleReader.inText {
		a.sampleReader.scroll += by
		return a.clampTextScroll()
	}
	return a.moveRow(onSample, by)
}

// samplesOpen returns how many samples the open group has.
func (a App) samplesOpen() int {
	if g := a.selectedGroup(); g != nil {
		return g.Size()
	}
	return 0
}

// focusText focuses the text of the sample under the cursor.
func (a App) focusText() App { return a.clickReading(hit{n: 1}) }

func (a App) textPageDown() App { return a.scrollText(a.textHeight() - 1) }
func (a App) textPageUp() App   { return a.scrollText(1 - a.textHeight()) }

func (a App) scrollText(by int) App {
	a.sampleReader.scroll += by
	return a.clampTextScroll()
}

func (a App) toggleTextFocus() App {
	a.sampleReader.inText = !a.sampleReader.inText
	return a.clampTextScroll()
}

// toggleDiff compares the best sample with the one under the cursor. If that is the best,
// the cursor goes to the worst.
func (a App) toggleDiff() App {
	g := a.selectedGroup()
	if g == nil || g.Size() < 2 {
		a.notice = "only one sample: nothing to compare it with"
		return a
	}
	a.sampleReader.showDiff = !a.sampleReader.showDiff
	if a.sampleReader.showDiff && a.sampleReader.sample == 0 {
		a.sampleReader.sample = g.Size() - 1
	}
	return a
}

func (a App) toggleThoughts() App {
	a.sampleReader.unfolded = !a.sampleReader.unfolded
	return a
}

func (a App) toggleRaw() App {
	a.sampleReader.showRaw = !a.sampleReader.showRaw
	return a
}

// scrollToAnchor returns the action that scrolls to a part of the text.
func scrollToAnchor(name string) action {
	return func(a App) App {
		if a.sampleReader.job.value.page == nil {
			return a
		}
		lines := a.sampleReader.job.value.page.AnchorLines(name)
		if len(lines) == 0 {
			a.notice = "a diff has only the responses: d leaves it to show the " + name + " again"
			return a
		}
		a.sampleReader.scroll = lines[0]
		return a.clampTextScroll()
	}
}

// groupView draws the samples of a group, and to the right or below the text of one.
func (a App) groupView(_, _ int) []string {
	samples, text := a.groupViewRects()
	left := a.box(samples, !a.sampleReader.inText, a.sampleTable(samples.Inner().W, samples.Inner().H))
	right := a.box(text, a.sampleReader.inText, a.textPane(text.Inner().W, text.Inner().H))
	if text.X == 0 {
		return append(left, right...)
	}
	return joinColumns(left, right)
}

package tui

import (
	"fmt"
	"math"

	"vantage/model"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/layout"
	"vantage/tui/richtext"
)

func answerKeys() keySection {
	return keySection{"answers of two runs", []binding{
		{[]string{"j", "down"}, "j ↓", "j k scroll", "a line down, in both texts", move(App.scrollAnswers, 1)},
		{[]string{"k", "up"}, "k ↑", "", "a line up", move(App.scrollAnswers, -1)},
		{[]string{"l", "right"}, "l →", "h l answer", "next answer of the focused run, the best first", move(App.moveAnswer, 1)},
		{[]string{"h", "left"}, "h ←", "", "previous answer of the focused run", move(App.moveAnswer, -1)},
		{[]string{"tab", "shift+tab"}, "Tab", "Tab run", "focus the other run", App.focusOtherRun},
		{[]string{"J"}, "J", "J K prompt", "next prompt of the comparison", do(App.moveToPair, 1)},
		{[]string{"K"}, "K", "", "previous prompt", do(App.moveToPair, -1)},
		{[]string{"d", "enter"}, "d ⏎", "d diff", "word diff, or both texts side by side", App.toggleAnswerDiff},
		{[]string{"n"}, "n", "", "next difference of the diff", move(App.moveAnswerDifference, 1)},
		{[]string{"N"}, "N", "", "previous difference", move(App.moveAnswerDifference, -1)},
		{[]string{"z"}, "z", "z thinking", "show or hide the thinking, also in a diff", App.toggleAnswerThoughts},
		{[]string{"v"}, "v", "", "show the texts as logged, or with Markdown and LaTeX rendered", App.toggleAnswerRaw},
		{[]string{"ctrl+d", "pgdown", "space"}, "^D", "", "a page down", App.answersPageDown},
		{[]string{"ctrl+u", "pgup"}, "^U", "", "a page up", App.answersPageUp},
		{[]string{"g", "home"}, "g", "", "to the prompt", move(App.scrollAnswers, math.MinInt32)},
		{[]string{"G", "end"}, "G", "", "to the end", move(App.scrollAnswers, math.MaxInt32)},
		{[]string{"esc"}, "Esc", "Esc back", "back to the comparison", App.escape},
	}}
}

func (a App) moveAnswer(by int) App {
	s := &a.answers.sides[a.answers.focus]
	to := clampIndex(s.chosen+by, len(s.answers))
	if to == s.chosen {
		a.notice = "no further answer of " + a.sideName(a.answers.focus) + ": Tab switches runs, J K change the prompt"
	}
	s.chosen = max(0, to)
	return a
}

func (a App) focusOtherRun() App {
	a.answers.focus = 1 - a.answers.focus
	return a
}

// moveToPair opens the answers to another prompt of the comparison.
func (a App) moveToPair(by int) App {
	before := a.second.cursor
	a = a.moveRow(onPair, by)
	p, ok := a.selectedPair()
	if !ok || a.second.cursor == before {
		a.notice = "no further prompt"
		return a
	}
	return a.listAnswers(p)
}

func (a App) toggleAnswerDiff() App {
	if a.answersDiffer() {
		a.answers.layout = answersBeside
	} else {
		a.answers.layout = answersDiff
	}
	return a
}

func (a App) toggleAnswerThoughts() App {
	a.answers.unfolded = !a.answers.unfolded
	return a
}

func (a App) toggleAnswerRaw() App {
	a.answers.raw = !a.answers.raw
	if a.answersDiffer() {
		a.notice = "a diff compares the rendered texts: d shows them side by side"
	}
	return a
}

func (a App) answersPageDown() App { return a.scrollAnswers(a.answerHeight() - 1) }
func (a App) answersPageUp() App   { return a.scrollAnswers(1 - a.answerHeight()) }

func (a App) answerHeight() int {
	_, texts := a.answerRects()
	return max(2, texts[0].Inner().H)
}

// moveAnswerDifference scrolls the next difference to a third of the pane below the top.
func (a App) moveAnswerDifference(by int) App {
	page := a.answers.pages.value.pages[0]
	if !a.answers.pages.of.diff || page == nil {
		a.notice = "differences are marked in the diff: d shows it"
		return a
	}
	third := a.answerHeight() / 3
	lines := page.AnchorLines(richtext.AnchorChange)
	to, found := nextLine(lines, a.answers.scroll+third, by)
	if !found {
		a.notice = "no further difference"
		return a
	}
	return a.scrollAnswers(to - third - a.answers.scroll)
}

// nextLine returns the first of ascending lines beyond at, or for a negative by the last before it.
func nextLine(lines []int, at, by int) (line int, found bool) {
	for _, l := range lines {
		switch {
		case by > 0 && l > at:
			return l, true
		case by < 0 && l < at:
			line, found = l, true
		}
	}
	return line, found
}

func (a App) sideName(side int) string { return a.runNames()[side] }

// answerName says which answer of a side is shown.
func (a App) answerName(side int) string {
	s := a.answers.sides[side]
	if len(s.answers) == 0 {
		return a.sideName(side)
	}
	i := clampIndex(s.chosen, len(s.answers))
	answer := s.answers[i]
	text := fmt.Sprintf("%s %d/%d  reward %s  step %d", a.sideName(side), i+1, len(s.answers), units.Short(answer.Reward), answer.Step)
	if answer.Length >= 0 {
		unit := "tokens"
		if a.answerUnit(side) != model.LengthTokens {
			unit = "characters"
		}
		text += "  " + units.Plural(int(answer.Length), unit)
	}
	return text
}

// answerUnit is the unit of the lengths of a side.
func (a App) answerUnit(side int) model.LengthUnit {
	if side == sideCandidate {
		return a.second.job.value.unit
	}
	return a.snap.Run.LengthUnit
}

// answersView draws the prompt and below it the answers of both runs.
func (a App) answersView(_, h int) []string {
	prompt, texts := a.answerRects()
	prompt.H, texts[0].H, texts[1].H = min(prompt.H, h), h-min(prompt.H, h), h-min(prompt.H, h)
	lines := a.box(prompt, false, a.answerPrompt(prompt.Inner().W))
	if a.answersDiffer() {
		c := a.answerText(0, texts[0])
		c.target = target{onBody, 0}
		c.title = " diff" + a.diffTitle(sideCandidate, themes.Positive, "+") + a.diffTitle(sideBaseline, themes.Negative, "−")
		return append(lines, a.box(texts[0], true, c)...)
	}
	left, right := a.answerText(sideBaseline, texts[0]), a.answerText(sideCandidate, texts[1])
	left.target, right.target = target{onAnswer, sideBaseline}, target{onAnswer, sideCandidate}
	left.title, right.title = " "+a.paneTitle(a.answerName(sideBaseline), a.answers.focus == sideBaseline), " "+a.paneTitle(a.answerName(sideCandidate), a.answers.focus == sideCandidate)
	return append(lines, joinColumns(a.box(texts[0], a.answers.focus == sideBaseline, left), a.box(texts[1], a.answers.focus == sideCandidate, right))...)
}

// diffTitle names a side of the diff, and whether the keys change its answer.
func (a App) diffTitle(side int, role themes.Role, sign string) string {
	s := a.answers.sides[side]
	name := fmt.Sprintf("%s %d/%d", a.sideName(side), min(s.chosen+1, len(s.answers)), len(s.answers))
	return "  " + a.display.theme.Paint(role, sign) + " " + a.paneTitle(name, a.answers.focus == side)
}

// answerPrompt is the prompt with the means of both runs.
func (a App) answerPrompt(w int) paneContent {
	p, note := a.answers.pair, ""
	if r := a.second.job.value.result; r != nil {
		note = fmt.Sprintf("%d/%d", clampIndex(a.second.cursor, len(r.Pairs))+1, len(r.Pairs))
	}
	return paneContent{
		title: fmt.Sprintf(" prompt  mean reward: %s %s  %s %s  Δ %s",
			a.sideName(sideBaseline), units.Fixed(p.Baseline, 2), a.sideName(sideCandidate), units.Fixed(p.Candidate, 2), a.signedDelta(p.Delta())),
		note:  note,
		lines: []string{cells.Fit(" "+sanitize.Line(p.Preview), w)},
	}
}

// answerText is the part of a side's page that is in sight.
func (a App) answerText(side int, r layout.Rect) paneContent {
	w, h := r.Inner().W, r.Inner().H
	page := a.answers.pages.value.pages[side]
	want, ok := a.wantedAnswers()
	switch {
	case a.answers.failure() != nil:
		return paneContent{lines: a.sentenceLines(sanitize.Line(a.answers.failure().Error()), themes.Warn, w)}
	case a.answerSource(side) == nil || a.answersDiffer() && a.answerSource(sideCandidate) == nil:
		return paneContent{lines: a.sentenceLines("This source has no texts: open the log's own file or directory to read the answers.", themes.Warn, w)}
	case a.answers.listed() && len(a.answers.sides[side].answers) == 0:
		return paneContent{lines: a.sentenceLines("The log no longer has an answer to this prompt in a step of both runs.", themes.Warn, w)}
	case page == nil, ok && (want.answers != a.answers.pages.of.answers || want.diff != a.answers.pages.of.diff):
		return paneContent{lines: a.sentenceLines("reading …", themes.Dim, w)}
	}
	var c paneContent
	top := a.answerTop(side)
	last := min(page.Len(), top+h)
	for i := top; i < last; i++ {
		c.lines = append(c.lines, " "+page.Line(a.display.theme, a.display.glyphs.Vertical, i, richtext.Matches{}))
	}
	if page.Len() > h {
		c.note = fmt.Sprintf("%d–%d/%d", min(top+1, last), last, page.Len())
	}
	return c
}

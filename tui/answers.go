package tui

import (
	"context"
	"fmt"
	"math"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/compare"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/layout"
	"vantage/tui/richtext"
)

// answerReader is the state of the view of both runs' answers to a prompt.
type answerReader struct {
	reader
	pair    compare.Pair
	chosen  [2]int // of the answers of each side, of the baseline and of the candidate
	focus   int    // the side whose answer the keys change
	layout  answerLayout
	listing job[int, [2][]compare.Answer] // the answers to the prompt, the best first; each time one is opened they are listed anew
}

type answerLayout int

// The layouts.
const (
	answersFitting answerLayout = iota // side by side where there is room, else a diff
	answersBeside
	answersDiff
)

// minBesideWidth is the width from which answers are side by side unless the person chose.
const minBesideWidth = 100

// The sides.
const (
	sideBaseline = iota
	sideCandidate
)

func (a App) openAnswers() App {
	p, ok := a.selectedPair()
	if !ok {
		return a.says("no prompt to open")
	}
	return a.listAnswers(p).pushView(viewAnswers)
}

func (a App) listAnswers(p compare.Pair) App {
	r := a.answers
	r.listing.reset()
	r.job.reset()
	a.answers = answerReader{pair: p, layout: r.layout, focus: r.focus, reader: reader{thinking: r.thinking, raw: r.raw, job: r.job}, listing: r.listing}
	sets := a.compare.job.value.sets
	runs := [2]compare.Run{{Snap: a.snap, Set: sets[sideBaseline]}, {Snap: a.second.store.Snapshot(), Set: sets[sideCandidate]}}
	a.answers.listing.start(&a.commands, r.listing.number, once(func(ctx context.Context) (found [2][]compare.Answer, err error) {
		for side, run := range runs {
			if found[side], err = compare.Answers(ctx, run, runs[1-side].Snap, p.Hash); err != nil {
				break
			}
		}
		return found, err
	}))
	return a
}

func (r answerReader) listed() bool { return r.listing.key != 0 && !r.listing.busy() }

// updateAnswers takes the answers to a prompt, and requests the pages of those that are chosen.
func (a App) updateAnswers(msg tea.Msg) App {
	if a.answers.listing.take(&a.commands, msg) {
		// those that tell most: the best of the run that is better at the prompt, and the worst of the other; of equal runs the best of each
		for side, answers := range a.answers.listing.value {
			delta := a.answers.pair.Delta()
			isWorse := side == sideBaseline && delta > 0 || side == sideCandidate && delta < 0
			for i, answer := range answers {
				if isWorse && answer.Reward-answer.Reward == 0 {
					a.answers.chosen[side] = i
				}
			}
		}
	}
	if was := a.answers.job.of; a.answers.take(&a.commands, msg) {
		if !was.sameTexts(a.answers.job.of) {
			a.answers.scroll = 0
		}
		a = a.scrollAnswers(0)
	}
	if a.position.view != viewAnswers {
		a.answers.job.stop()
		a.answers.job.of = pagesKey{}
		return a
	}
	if want, ok := a.wantedAnswers(); ok {
		a.answers.request(a.env, &a.commands, want)
	}
	return a
}

// wantedAnswers returns the request of the pages that belong on the screen; ok is false while the answers
// are listed, or if there are no texts.
func (a App) wantedAnswers() (want pagesKey, ok bool) {
	if !a.answers.listed() || a.isTooSmall() {
		return want, false
	}
	want.two, want.diff, want.thinking = true, a.answers.answersDiffer(a.env), a.answers.thinking
	want.raw = a.answers.raw && !want.diff
	_, texts, _ := a.answerParts()
	if want.thinking == thinkingIfFits {
		want.room = texts[0].Inner().H
	}
	for side, answers := range a.answers.listing.value {
		if len(answers) == 0 || a.texts[side] == nil {
			return want, false
		}
		answer := answers[clampIndex(a.answers.chosen[side], len(answers))]
		want.texts[side] = textKey{side, answer.Place, answer.Revision}
		if want.diff {
			want.names[side] = a.answerName(side)
		}
		want.widths[side] = min(maxProseWidth, max(1, texts[side].Inner().W-2))
	}
	return want, true
}

func (r answerReader) answersDiffer(e env) bool {
	return r.layout == answersDiff || r.layout == answersFitting && e.display.w < minBesideWidth
}

// answerParts returns where the prompt and the texts are in the body, of a diff the first rectangle, and the border between texts
// that are side by side.
func (a App) answerParts() (prompt layout.Rect, texts [2]layout.Rect, borders []layout.Border) {
	w, h := a.display.w, a.bodyHeight()
	prompt = layout.Rect{W: w, H: min(3, h)}
	texts[0] = layout.Rect{Y: prompt.H, W: w, H: h - prompt.H}
	if a.answers.answersDiffer(a.env) {
		return prompt, texts, nil
	}
	left, right, border := a.display.shares.Beside(layout.AnswerColumns, texts[0], w/2)
	return prompt, [2]layout.Rect{left, right}, []layout.Border{border}
}

func (a App) scrollAnswers(by int) App {
	a.answers.scrollBy(by, a.answerHeight())
	return a
}

func answerKeys() keySection {
	return keySection{"answers of two runs", []binding{
		{[]string{"j", "down"}, "j ↓", "j k scroll", "a line down, in both texts", move(App.scrollAnswers, 1)},
		{[]string{"k", "up"}, "k ↑", "", "a line up", move(App.scrollAnswers, -1)},
		{[]string{"l", "right"}, "l →", "h l answer", "next answer of the focused run, the best first", move(App.moveAnswer, 1)},
		{[]string{"h", "left"}, "h ←", "", "previous answer of the focused run", move(App.moveAnswer, -1)},
		{[]string{"tab", "shift+tab"}, "Tab", "Tab run", "focus the other run", func(a App) App { a.answers.focus = 1 - a.answers.focus; return a }},
		{[]string{"J"}, "J", "J K prompt", "next prompt of the comparison", move(App.moveToPair, 1)},
		{[]string{"K"}, "K", "", "previous prompt", move(App.moveToPair, -1)},
		{[]string{"d", "enter"}, "d ⏎", "d diff", "word diff, or both texts side by side", App.toggleAnswerDiff},
		{[]string{"n"}, "n", "", "next difference of the diff", move(App.moveAnswerDifference, 1)},
		{[]string{"N"}, "N", "", "previous difference", move(App.moveAnswerDifference, -1)},
		{[]string{"z"}, "z", "z thinking", "hide or show the thinking, also in a diff", func(a App) App { a.answers.toggleThinking(); return a }},
		{[]string{"v"}, "v", "", "show the texts as logged, or with Markdown and LaTeX rendered", App.toggleAnswerRaw},
		{[]string{"ctrl+d", "pgdown", "space"}, "^D", "", "a page down", func(a App) App { return a.scrollAnswers(max(1, a.answerHeight()-1)) }},
		{[]string{"ctrl+u", "pgup"}, "^U", "", "a page up", func(a App) App { return a.scrollAnswers(-max(1, a.answerHeight()-1)) }},
		{[]string{"g", "home"}, "g", "", "to the prompt", move(App.scrollAnswers, math.MinInt32)},
		{[]string{"G", "end"}, "G", "", "to the end", move(App.scrollAnswers, math.MaxInt32)},
		{[]string{"esc"}, "Esc", "Esc back", "back to the comparison", App.escape},
	}}
}

func (a App) moveAnswer(by int) App {
	side := a.answers.focus
	to := clampIndex(a.answers.chosen[side]+by, len(a.answers.listing.value[side]))
	if to == a.answers.chosen[side] {
		a.notice = "no further answer of " + a.sideName(side) + ": Tab switches runs, J K change the prompt"
	}
	a.answers.chosen[side] = to
	return a
}

func (a App) moveToPair(by int) App {
	before := a.compare.cursor
	a = a.moveRow(onPair, by)
	p, ok := a.selectedPair()
	if !ok || a.compare.cursor == before {
		return a.says("no further prompt")
	}
	return a.listAnswers(p)
}

func (a App) toggleAnswerDiff() App {
	if a.answers.answersDiffer(a.env) {
		a.answers.layout = answersBeside
	} else {
		a.answers.layout = answersDiff
	}
	return a
}

func (a App) toggleAnswerRaw() App {
	a.answers.raw = !a.answers.raw
	if a.answers.answersDiffer(a.env) {
		a.notice = "a diff compares the rendered texts: d shows them side by side"
	}
	return a
}

func (a App) answerHeight() int {
	_, texts, _ := a.answerParts()
	return max(1, texts[0].Inner().H)
}

func (a App) moveAnswerDifference(by int) App {
	switch {
	case !a.answers.job.of.diff || a.answers.page(0) == nil:
		a.notice = "differences are marked in the diff: d shows it"
	case !a.answers.toDifference(by, a.answerHeight()):
		a.notice = "no further difference"
	}
	return a
}

func (a App) sideName(side int) string { return a.runNames()[side] }

func (a App) answerName(side int) string {
	all := a.answers.listing.value[side]
	if len(all) == 0 {
		return a.sideName(side)
	}
	i := clampIndex(a.answers.chosen[side], len(all))
	answer := all[i]
	text := fmt.Sprintf("%s %d/%d  reward %s  step %d", a.sideName(side), i+1, len(all), units.Short(answer.Reward), answer.Step)
	if answer.Length >= 0 {
		name, unit := "tokens", [2]model.LengthUnit{a.snap.Run.LengthUnit, a.compare.job.value.unit}[side]
		if unit != model.LengthTokens {
			name = "characters"
		}
		text += "  " + units.Plural(int(answer.Length), name)
	}
	return text
}

// answersView draws the prompt and below it the answers of both runs.
func (a App) answersView(_, h int) []string {
	prompt, texts, _ := a.answerParts()
	prompt.H, texts[0].H, texts[1].H = min(prompt.H, h), h-min(prompt.H, h), h-min(prompt.H, h)
	lines := a.box(prompt, false, a.answerPrompt(prompt.Inner().W))
	if a.answers.answersDiffer(a.env) {
		c := a.answerText(0, texts[0])
		c.target = target{onBody, 0}
		c.title = " diff" + a.diffTitle(sideCandidate, themes.Positive, "+") + a.diffTitle(sideBaseline, themes.Negative, "−")
		return append(lines, a.box(texts[0], true, c)...)
	}
	var panes [2][]string
	for side, r := range texts {
		c, focused := a.answerText(side, r), a.answers.focus == side
		c.target, c.title = target{onAnswer, side}, " "+a.paneTitle(a.answerName(side), focused)
		panes[side] = a.box(r, focused, c)
	}
	return append(lines, joinColumns(panes[sideBaseline], panes[sideCandidate])...)
}

// diffTitle names a side of the diff, and whether the keys change its answer.
func (a App) diffTitle(side int, role themes.Role, sign string) string {
	all := len(a.answers.listing.value[side])
	name := fmt.Sprintf("%s %d/%d", a.sideName(side), min(a.answers.chosen[side]+1, all), all)
	return "  " + a.display.theme.Paint(role, sign) + " " + a.paneTitle(name, a.answers.focus == side)
}

func (a App) answerPrompt(w int) paneContent {
	p, note := a.answers.pair, ""
	if r := a.compare.job.value.result; r != nil {
		note = fmt.Sprintf("%d/%d", clampIndex(a.compare.cursor, len(r.Pairs))+1, len(r.Pairs))
	}
	return paneContent{
		title: fmt.Sprintf(" prompt  mean reward: %s %s  %s %s  Δ %s",
			a.sideName(sideBaseline), units.Fixed(p.Baseline, 2), a.sideName(sideCandidate), units.Fixed(p.Candidate, 2), a.signedDelta(p.Delta())),
		note:  note,
		lines: []string{cells.Fit(" "+sanitize.Line(p.Preview), w)},
	}
}

func (a App) answerText(side int, r layout.Rect) paneContent {
	w := r.Inner().W
	want, known := a.wantedAnswers()
	switch {
	case a.answers.listing.err != nil:
		return paneContent{lines: a.sentenceLines(sanitize.Line(a.answers.listing.err.Error()), themes.Warn, w)}
	case a.texts[side] == nil || a.answers.answersDiffer(a.env) && a.texts[sideCandidate] == nil:
		return paneContent{lines: a.sentenceLines("This source has no texts: open the log's own file or directory to read the answers.", themes.Warn, w)}
	case a.answers.listed() && len(a.answers.listing.value[side]) == 0:
		return paneContent{lines: a.sentenceLines("The log no longer has an answer to this prompt in a step of both runs.", themes.Warn, w)}
	}
	return a.answers.pane(a.env, side, w, r.Inner().H, richtext.Matches{}, want, known)
}

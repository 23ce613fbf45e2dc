package tui

import (
	"cmp"
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

// answerReader is the state of the view of both runs' answers to a prompt. Texts stay in the logs: only
// the pages on the screen and the last few texts are in memory.
type answerReader struct {
	pair     compare.Pair
	sides    [2]answerSide // of the baseline and of the candidate
	focus    int           // the side whose answer the keys change
	layout   answerLayout
	scroll   int  // lines below the response, of all pages in sight
	unfolded bool // <think> sections are shown in full
	raw      bool // text as logged

	listing job[answersKey, [2][]compare.Answer]
	pages   job[answerPagesKey, textPages]
}

// answersKey is the prompt whose answers are listed, and whether it is that for the first time.
type answersKey struct {
	hash   uint64
	opened int
}

type answerSide struct {
	answers []compare.Answer // the best first
	chosen  int
	texts   []cachedText
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

// answerPagesKey is all that the pages of two answers, or of their diff, depend on.
type answerPagesKey struct {
	pagesKey
	hash uint64 // of the prompt
}

// The sides.
const (
	sideBaseline = iota
	sideCandidate
)

// openAnswers opens both runs' answers to the prompt under the cursor.
func (a App) openAnswers() App {
	p, ok := a.selectedPair()
	if !ok {
		a.notice = "no prompt to open"
		return a
	}
	return a.listAnswers(p).pushView(viewAnswers)
}

// listAnswers requests the answers of both runs to a prompt.
func (a App) listAnswers(p compare.Pair) App {
	r := a.answers
	a.answers = answerReader{pair: p, layout: r.layout, focus: r.focus, unfolded: r.unfolded, raw: r.raw, listing: r.listing.reset(), pages: r.pages.reset()}
	sets := a.second.job.value.sets
	runs := [2]compare.Run{{Snap: a.snap, Set: sets[sideBaseline]}, {Snap: a.second.store.Snapshot(), Set: sets[sideCandidate]}}
	var cmd tea.Cmd
	a.answers.listing, cmd = a.answers.listing.start(a.ctx, answersKey{p.Hash, r.listing.number + 1}, once(func(ctx context.Context) (found [2][]compare.Answer, err error) {
		for side, run := range runs {
			if found[side], err = compare.Answers(ctx, run, runs[1-side].Snap, p.Hash); err != nil {
				break
			}
		}
		return found, err
	}))
	return a.starts(cmd)
}

// listed reports whether the answers are known, or cannot be.
func (r answerReader) listed() bool { return r.listing.key != (answersKey{}) && !r.listing.busy() }

// failure says why there is no page.
func (r answerReader) failure() error { return cmp.Or(r.listing.err, r.pages.err) }

// takeAnswers shows the answers that tell most: the best of the run that is better at the prompt, and the
// worst of the other; of equal runs the best of each.
func (r answerReader) takeAnswers() answerReader {
	for side, answers := range r.listing.value {
		isWorse := side == sideBaseline && r.pair.Delta() > 0 || side == sideCandidate && r.pair.Delta() < 0
		r.sides[side] = answerSide{answers: answers}
		if isWorse {
			r.sides[side].chosen = worstFinite(answers)
		}
	}
	return r
}

// worstFinite returns the index of the last answer with a finite reward.
func worstFinite(answers []compare.Answer) int {
	worst := 0
	for i, answer := range answers {
		if answer.Reward-answer.Reward == 0 {
			worst = i
		}
	}
	return worst
}

// updateAnswers takes the answers to a prompt, and requests the pages of those that are chosen.
func (a App) updateAnswers(msg tea.Msg) App {
	var isAnswer bool
	if a.answers.listing, _, isAnswer = a.answers.listing.take(msg); isAnswer {
		a.answers = a.answers.takeAnswers()
	}
	was := a.answers.pages.of
	if a.answers.pages, _, isAnswer = a.answers.pages.take(msg); isAnswer {
		for side := range a.answers.sides {
			if s := &a.answers.sides[side]; a.answers.pages.err == nil {
				s.texts = cacheTexts(s.texts, []cachedText{a.answers.pages.value.texts[side]})
			}
		}
		if now := a.answers.pages.of; was.texts != now.texts || was.diff != now.diff {
			a.answers.scroll = 0
		}
		a = a.scrollAnswers(0)
	}
	if a.position.view != viewAnswers {
		a.answers.pages = a.answers.pages.stop()
		a.answers.pages.of = answerPagesKey{}
		return a
	}
	want, ok := a.wantedAnswers()
	if !ok || !a.answers.pages.lacks(want, never) {
		return a
	}
	sources := [2]TextReader{a.answerSource(sideBaseline), a.answerSource(sideCandidate)}
	var cmd tea.Cmd
	a.answers.pages, cmd = a.answers.pages.start(a.ctx, want, readPages(want.pagesKey, sources, [2][]cachedText{a.answers.sides[0].texts, a.answers.sides[1].texts}, a.display.glyphs.ASCII))
	return a.starts(cmd)
}

// wantedAnswers returns the request of the pages that belong on the screen; ok is false while the answers
// are listed, or if there are no texts.
func (a App) wantedAnswers() (want answerPagesKey, ok bool) {
	if !a.answers.listed() || a.screen().TooSmall {
		return want, false
	}
	want.hash, want.diff, want.folded = a.answers.pair.Hash, a.answers.answersDiffer(a.env), !a.answers.unfolded
	if !want.diff {
		want.raw = a.answers.raw
	}
	for side, s := range a.answers.sides {
		if len(s.answers) == 0 || a.answerSource(side) == nil {
			return want, false
		}
		answer := s.answers[clampIndex(s.chosen, len(s.answers))]
		want.texts[side] = textKey{answer.Place, answer.Revision}
		if want.diff {
			want.names[side] = a.answerName(side)
		}
	}
	_, texts := a.answerRects()
	for side := range texts {
		want.widths[side] = min(maxProseWidth, max(1, texts[side].Inner().W-2))
	}
	return want, true
}

func (r answerReader) answersDiffer(e env) bool {
	return r.layout == answersDiff || r.layout == answersFitting && e.display.w < minBesideWidth
}

// answerSource returns where the texts of a side come from, nil if it has none.
func (a App) answerSource(side int) TextReader {
	source := a.source
	if side == sideCandidate {
		source = a.second.source
	}
	texts, _ := source.(TextReader)
	return texts
}

// answerRects returns where the prompt and the texts are in the body: of a diff the first rectangle.
func (a App) answerRects() (prompt layout.Rect, texts [2]layout.Rect) {
	s := a.screen()
	w, h := a.display.w, max(0, a.display.h-s.Header.H-s.Hints.H)
	prompt = layout.Rect{W: w, H: min(3, h)}
	texts[0] = layout.Rect{Y: prompt.H, W: w, H: h - prompt.H}
	if !a.answers.answersDiffer(a.env) {
		texts[0], texts[1], _ = a.display.shares.Beside(layout.AnswerColumns, texts[0], w/2)
	}
	return prompt, texts
}

// answerBorders returns the border between the answers, if they are side by side.
func (a App) answerBorders() []layout.Border {
	if a.answers.answersDiffer(a.env) {
		return nil
	}
	_, texts := a.answerRects()
	both := texts[0]
	both.W += texts[1].W
	_, _, border := a.display.shares.Beside(layout.AnswerColumns, both, both.W/2)
	return []layout.Border{border}
}

// answerTop returns the first line of a side's page to show.
func (a App) answerTop(side int) int {
	page := a.answers.pages.value.pages[side]
	if page == nil {
		return 0
	}
	_, texts := a.answerRects()
	start := 0
	if !a.answers.pages.of.diff {
		start = firstOrZero(page.AnchorLines(richtext.AnchorResponse))
	}
	return max(0, min(start+a.answers.scroll, page.Len()-max(1, texts[0].Inner().H)))
}

// scrollAnswers scrolls both sides, no further than the longer text goes.
func (a App) scrollAnswers(by int) App {
	_, texts := a.answerRects()
	lowest, highest := 0, 0
	for _, page := range a.answers.pages.value.pages {
		if page == nil {
			continue
		}
		start := 0
		if !a.answers.pages.of.diff {
			start = firstOrZero(page.AnchorLines(richtext.AnchorResponse))
		}
		lowest, highest = min(lowest, -start), max(highest, page.Len()-max(1, texts[0].Inner().H)-start)
	}
	a.answers.scroll = max(lowest, min(a.answers.scroll+by, highest))
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
		{[]string{"z"}, "z", "z thinking", "show or hide the thinking, also in a diff", flip(func(a *App) *bool { return &a.answers.unfolded })},
		{[]string{"v"}, "v", "", "show the texts as logged, or with Markdown and LaTeX rendered", App.toggleAnswerRaw},
		{[]string{"ctrl+d", "pgdown", "space"}, "^D", "", "a page down", move(App.scrollAnswerPages, 1)},
		{[]string{"ctrl+u", "pgup"}, "^U", "", "a page up", move(App.scrollAnswerPages, -1)},
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

func (a App) scrollAnswerPages(n int) App { return a.scrollAnswers(n * (a.answerHeight() - 1)) }

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
	if a.answers.answersDiffer(a.env) {
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

func (a App) answerText(side int, r layout.Rect) paneContent {
	w, h := r.Inner().W, r.Inner().H
	page := a.answers.pages.value.pages[side]
	want, ok := a.wantedAnswers()
	switch {
	case a.answers.failure() != nil:
		return paneContent{lines: a.sentenceLines(sanitize.Line(a.answers.failure().Error()), themes.Warn, w)}
	case a.answerSource(side) == nil || a.answers.answersDiffer(a.env) && a.answerSource(sideCandidate) == nil:
		return paneContent{lines: a.sentenceLines("This source has no texts: open the log's own file or directory to read the answers.", themes.Warn, w)}
	case a.answers.listed() && len(a.answers.sides[side].answers) == 0:
		return paneContent{lines: a.sentenceLines("The log no longer has an answer to this prompt in a step of both runs.", themes.Warn, w)}
	case page == nil, ok && (want.texts != a.answers.pages.of.texts || want.diff != a.answers.pages.of.diff):
		return paneContent{lines: a.sentenceLines("reading …", themes.Dim, w)}
	}
	return a.pageContent(page, a.answerTop(side), h, richtext.Matches{})
}

package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/compare"
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

	listing int // of the latest request of answers, by number
	listed  bool
	job     readJob[answerRequest]
	shown   answerRequest // of the pages on the screen
	err     error         // why there is no page
}

// answerSide is what one run answered.
type answerSide struct {
	answers []compare.Answer // the best first
	chosen  int
	texts   []cachedText
	page    *richtext.Page // of a diff that of the baseline's side
}

// answerLayout is how two answers are shown.
type answerLayout int

// The layouts.
const (
	answersFitting answerLayout = iota // side by side where there is room, else a diff
	answersBeside
	answersDiff
)

// minBesideWidth is the width from which answers are side by side unless the person chose.
const minBesideWidth = 100

// answerRequest is all that the pages depend on.
type answerRequest struct {
	hash        uint64
	answers     [2]textKey
	names       [2]string
	diff        bool
	folded, raw bool
	widths      [2]int
}

// The sides.
const (
	sideBaseline = iota
	sideCandidate
)

// openAnswers opens both runs' answers to the prompt under the cursor.
func (a App) openAnswers() (App, tea.Cmd) {
	p, ok := a.selectedPair()
	if !ok {
		a.notice = "no prompt to open"
		return a, nil
	}
	a, list := a.listAnswers(p)
	a, cmd := a.pushView(viewAnswers)
	return a, tea.Batch(list, cmd)
}

// listAnswers requests the answers of both runs to a prompt.
func (a App) listAnswers(p compare.Pair) (App, tea.Cmd) {
	r := a.answers.stopReading()
	a.answers = answerReader{pair: p, layout: r.layout, focus: r.focus, unfolded: r.unfolded, raw: r.raw, listing: r.listing + 1, job: r.job}
	ctx, number := a.ctx, a.answers.listing
	runs := [2]compare.Run{{Snap: a.snap, Set: a.second.sets[sideBaseline]}, {Snap: a.second.store.Snapshot(), Set: a.second.sets[sideCandidate]}}
	return a, func() tea.Msg {
		msg := answersMsg{number: number}
		for side, run := range runs {
			if msg.answers[side], msg.err = compare.Answers(ctx, run, runs[1-side].Snap, p.Hash); msg.err != nil {
				break
			}
		}
		return msg
	}
}

// showIn shows the answers that tell most: the best of the run that is better at the prompt, and the
// worst of the other; of equal runs the best of each.
func (msg answersMsg) showIn(a App) App {
	if msg.number != a.answers.listing {
		return a
	}
	a.answers.listed, a.answers.err = true, msg.err
	for side, answers := range msg.answers {
		isWorse := side == sideBaseline && a.answers.pair.Delta() > 0 || side == sideCandidate && a.answers.pair.Delta() < 0
		a.answers.sides[side] = answerSide{answers: answers}
		if isWorse {
			a.answers.sides[side].chosen = worstFinite(answers)
		}
	}
	return a
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

// requestAnswerPages requests the pages of the chosen answers, unless they were requested already.
func (a App) requestAnswerPages() (App, tea.Cmd) {
	if a.position.view != viewAnswers {
		a.answers = a.answers.stopReading()
		return a, nil
	}
	want, ok := a.wantedAnswers()
	if !ok || want == a.answers.job.request {
		return a, nil
	}
	var ctx context.Context
	a.answers.job, ctx = a.answers.job.begin(a.ctx, want)
	return a, a.readAnswers(ctx, want)
}

// stopReading cancels the request of pages.
func (r answerReader) stopReading() answerReader {
	if r.job.cancel != nil {
		r.job, r.shown = r.job.stop(), answerRequest{}
	}
	return r
}

// wantedAnswers returns the request of the pages that belong on the screen; ok is false while the answers
// are listed, or if there are no texts.
func (a App) wantedAnswers() (want answerRequest, ok bool) {
	if !a.answers.listed || a.screen().TooSmall {
		return want, false
	}
	want = answerRequest{hash: a.answers.pair.Hash, diff: a.answersDiffer(), folded: !a.answers.unfolded}
	if !want.diff {
		want.raw = a.answers.raw
	}
	for side, s := range a.answers.sides {
		if len(s.answers) == 0 || a.answerSource(side) == nil {
			return want, false
		}
		answer := s.answers[clampIndex(s.chosen, len(s.answers))]
		want.answers[side] = textKey{answer.Place, answer.Revision}
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

// answersDiffer reports whether the answers are shown as a diff.
func (a App) answersDiffer() bool {
	return a.answers.layout == answersDiff || a.answers.layout == answersFitting && a.display.w < minBesideWidth
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

// readAnswers reads the texts that are not in memory, and lays them out.
func (a App) readAnswers(ctx context.Context, want answerRequest) tea.Cmd {
	number, sides := a.answers.job.number, a.answers.sides
	sources := [2]TextReader{a.answerSource(sideBaseline), a.answerSource(sideCandidate)}
	options := richtext.Options{Folded: want.folded, Raw: want.raw, ASCII: a.display.glyphs.ASCII}
	return func() tea.Msg {
		msg := answerPagesMsg{number: number}
		var texts [2]model.Text
		for side := range sides {
			read, err := textOf(ctx, sources[side], sides[side].texts, want.answers[side])
			if err != nil {
				msg.err = err
				return msg
			}
			msg.texts[side], texts[side] = read, read.text
		}
		if want.diff {
			doc := richtext.Diff(richtext.Side{Name: want.names[sideCandidate], Text: texts[sideCandidate].Response}, richtext.Side{Name: want.names[sideBaseline], Text: texts[sideBaseline].Response}, options)
			msg.pages[0], msg.err = doc.Wrap(want.widths[0]), ctx.Err()
			return msg
		}
		for side, text := range texts {
			msg.pages[side] = richtext.Sample(text, options).Wrap(want.widths[side])
		}
		msg.err = ctx.Err()
		return msg
	}
}

// showIn puts pages on the screen, unless others were requested since.
func (msg answerPagesMsg) showIn(a App) App {
	if msg.number != a.answers.job.number {
		return a
	}
	was := a.answers.shown
	a.answers.shown, a.answers.err = a.answers.job.request, msg.err
	for side := range a.answers.sides {
		s := &a.answers.sides[side]
		s.page = msg.pages[side]
		if msg.err == nil {
			s.texts = cacheTexts(s.texts, []cachedText{msg.texts[side]})
		}
	}
	if was.answers != a.answers.shown.answers || was.diff != a.answers.shown.diff {
		a.answers.scroll = 0
	}
	return a.scrollAnswers(0)
}

// answerRects returns where the prompt and the texts are in the body: of a diff the first rectangle.
func (a App) answerRects() (prompt layout.Rect, texts [2]layout.Rect) {
	s := a.screen()
	w, h := a.display.w, max(0, a.display.h-s.Header.H-s.Hints.H)
	prompt = layout.Rect{W: w, H: min(3, h)}
	texts[0] = layout.Rect{Y: prompt.H, W: w, H: h - prompt.H}
	if !a.answersDiffer() {
		texts[0], texts[1], _ = a.display.shares.Beside(layout.AnswerColumns, texts[0], w/2)
	}
	return prompt, texts
}

// answerBorders returns the border between the answers, if they are side by side.
func (a App) answerBorders() []layout.Border {
	if a.answersDiffer() {
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
	page := a.answers.sides[side].page
	if page == nil {
		return 0
	}
	_, texts := a.answerRects()
	start := 0
	if !a.answers.shown.diff {
		start = firstOrZero(page.AnchorLines(richtext.AnchorResponse))
	}
	return max(0, min(start+a.answers.scroll, page.Len()-max(1, texts[0].Inner().H)))
}

// scrollAnswers scrolls both sides, no further than the longer text goes.
func (a App) scrollAnswers(by int) App {
	_, texts := a.answerRects()
	lowest, highest := 0, 0
	for _, s := range a.answers.sides {
		if s.page == nil {
			continue
		}
		start := 0
		if !a.answers.shown.diff {
			start = firstOrZero(s.page.AnchorLines(richtext.AnchorResponse))
		}
		lowest, highest = min(lowest, -start), max(highest, s.page.Len()-max(1, texts[0].Inner().H)-start)
	}
	a.answers.scroll = max(lowest, min(a.answers.scroll+by, highest))
	return a
}

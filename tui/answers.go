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
	"vantage/tui/env"
	"vantage/tui/job"
	"vantage/tui/layout"
	"vantage/tui/pane"
	"vantage/tui/richtext"
)

// answerReader is the state of the view of both runs' answers to a prompt.
type answerReader struct {
	reader
	pair    compare.Pair
	unit    model.LengthUnit // of the lengths of the candidate
	chosen  [2]int           // of the answers of each side, of the baseline and of the candidate
	focus   int              // the side whose answer the keys change
	layout  answerLayout
	listing job.Job[int, [2][]compare.Answer] // the answers to the prompt, the best first; each time one is opened they are listed anew
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

func (a App) openAnswers() App {
	p, ok := a.views.compare.selected()
	if !ok {
		return a.says("no prompt to open")
	}
	a.views.answers.list(a.env, &a.commands, a.views.compare.job.Value, p)
	return a.pushView(viewAnswers)
}

// list opens a prompt of a comparison.
func (r *answerReader) list(e env.Env, c *job.Queue, of comparison, p compare.Pair) {
	r.listing.Reset()
	r.job.Reset()
	*r = answerReader{pair: p, unit: of.unit, layout: r.layout, focus: r.focus, reader: reader{thinking: r.thinking, raw: r.raw, job: r.job}, listing: r.listing}
	runs := [2]compare.Run{{Snap: e.Snap, Set: of.sets[env.SideBaseline]}, {Snap: e.Second.Store.Snapshot(), Set: of.sets[env.SideCandidate]}}
	r.listing.Start(c, r.listing.Number, job.Once(func(ctx context.Context) (found [2][]compare.Answer, err error) {
		for side, run := range runs {
			if found[side], err = compare.Answers(ctx, run, runs[1-side].Snap, p.Hash); err != nil {
				break
			}
		}
		return found, err
	}))
}

func (r answerReader) listed() bool { return r.listing.Key != 0 && !r.listing.Busy() }

// update takes the answers to a prompt, and requests the pages of those that are chosen.
func (r *answerReader) update(e env.Env, open bool, c *job.Queue, msg tea.Msg) {
	if r.listing.Take(c, msg) {
		// those that tell most: the best of the run that is better at the prompt, and the worst of the other; of equal runs the best of each
		for side, answers := range r.listing.Value {
			delta := r.pair.Delta()
			isWorse := side == env.SideBaseline && delta > 0 || side == env.SideCandidate && delta < 0
			for i, answer := range answers {
				if isWorse && units.IsFinite(answer.Reward) {
					r.chosen[side] = i
				}
			}
		}
	}
	if was := r.job.Of; r.take(c, msg) {
		if !was.sameTexts(r.job.Of) {
			r.scroll = 0
		}
		r.scrollLines(e, 0)
	}
	if !open {
		r.job.Stop()
		r.job.Of = pagesKey{}
		return
	}
	if want, ok := r.wanted(e); ok {
		r.request(e, c, want)
	}
}

// wanted returns the request of the pages that belong on the screen; ok is false while the answers
// are listed, or if there are no texts.
func (r answerReader) wanted(e env.Env) (want pagesKey, ok bool) {
	if !r.listed() || e.Display.IsTooSmall() {
		return want, false
	}
	want.two, want.diff, want.thinking = true, r.answersDiffer(e), r.thinking
	want.raw = r.raw && !want.diff
	_, texts := r.parts(e)
	if want.thinking == thinkingIfFits {
		want.room = texts[0].Inner().H
	}
	for side, answers := range r.listing.Value {
		if len(answers) == 0 || e.Texts[side] == nil {
			return want, false
		}
		answer := answers[pane.ClampIndex(r.chosen[side], len(answers))]
		want.texts[side] = textKey{side, answer.Place, answer.Revision}
		if want.diff {
			want.names[side] = r.name(e, side)
		}
		want.widths[side] = min(pane.MaxProseWidth, max(1, texts[side].Inner().W-2))
	}
	return want, true
}

func (r answerReader) answersDiffer(e env.Env) bool {
	return r.layout == answersDiff || r.layout == answersFitting && e.Display.W < minBesideWidth
}

// parts returns where the prompt and the texts are in the body, of a diff the first rectangle.
func (r answerReader) parts(e env.Env) (prompt layout.Rect, texts [2]layout.Rect) {
	w, h := e.Display.W, e.Display.BodyHeight()
	prompt = layout.Rect{W: w, H: min(3, h)}
	texts[0] = layout.Rect{Y: prompt.H, W: w, H: h - prompt.H}
	if r.answersDiffer(e) {
		return prompt, texts
	}
	texts[0], texts[1] = layout.Beside(texts[0], w/2)
	return prompt, texts
}

func (r *answerReader) scrollLines(e env.Env, by int) action {
	r.scrollBy(by, r.height(e))
	return nil
}

func answerKeys() keySection {
	return keySection{"answers of two runs", []binding{
		{[]string{"j", "down"}, "j ↓", "j k scroll", "a line down, in both texts", within(answersOf, by((*answerReader).scrollLines, 1))},
		{[]string{"k", "up"}, "k ↑", "", "a line up", within(answersOf, by((*answerReader).scrollLines, -1))},
		{[]string{"l", "right"}, "l →", "h l answer", "next answer of the focused run, the best first", within(answersOf, by((*answerReader).move, 1))},
		{[]string{"h", "left"}, "h ←", "", "previous answer of the focused run", within(answersOf, by((*answerReader).move, -1))},
		{[]string{"tab", "shift+tab"}, "Tab", "Tab run", "focus the other run", func(a App) App { a.views.answers.focus = 1 - a.views.answers.focus; return a }},
		{[]string{"J"}, "J", "J K prompt", "next prompt of the comparison", move(App.moveToPair, 1)},
		{[]string{"K"}, "K", "", "previous prompt", move(App.moveToPair, -1)},
		{[]string{"d", "enter"}, "d ⏎", "d diff", "word diff, or both texts side by side", within(answersOf, (*answerReader).toggleDiff)},
		{[]string{"n"}, "n", "", "next difference of the diff", within(answersOf, by((*answerReader).moveDifference, 1))},
		{[]string{"N"}, "N", "", "previous difference", within(answersOf, by((*answerReader).moveDifference, -1))},
		{[]string{"z"}, "z", "z thinking", "hide or show the thinking, also in a diff", func(a App) App { a.views.answers.toggleThinking(); return a }},
		{[]string{"v"}, "v", "", "show the texts as logged, or with Markdown and LaTeX rendered", within(answersOf, (*answerReader).toggleRaw)},
		{[]string{"ctrl+d", "pgdown", "space"}, "^D", "", "a page down", within(answersOf, func(r *answerReader, e env.Env) action { return r.scrollLines(e, max(1, r.height(e)-1)) })},
		{[]string{"ctrl+u", "pgup"}, "^U", "", "a page up", within(answersOf, func(r *answerReader, e env.Env) action { return r.scrollLines(e, -max(1, r.height(e)-1)) })},
		{[]string{"g", "home"}, "g", "", "to the prompt", within(answersOf, by((*answerReader).scrollLines, math.MinInt32))},
		{[]string{"G", "end"}, "G", "", "to the end", within(answersOf, by((*answerReader).scrollLines, math.MaxInt32))},
		{[]string{"esc"}, "Esc", "Esc back", "back to the comparison", App.escape},
	}}
}

func (r *answerReader) move(e env.Env, by int) action {
	side := r.focus
	to := pane.ClampIndex(r.chosen[side]+by, len(r.listing.Value[side]))
	if to == r.chosen[side] {
		return saying("no further answer of " + e.RunNames()[side] + ": Tab switches runs, J K change the prompt")
	}
	r.chosen[side] = to
	return nil
}

func (a App) moveToPair(by int) App {
	before := a.views.compare.cursor
	a = a.moveRow(pane.OnPair, by)
	p, ok := a.views.compare.selected()
	if !ok || a.views.compare.cursor == before {
		return a.says("no further prompt")
	}
	a.views.answers.list(a.env, &a.commands, a.views.compare.job.Value, p)
	return a
}

func (r *answerReader) toggleDiff(e env.Env) action {
	if r.answersDiffer(e) {
		r.layout = answersBeside
	} else {
		r.layout = answersDiff
	}
	return nil
}

func (r *answerReader) toggleRaw(e env.Env) action {
	r.raw = !r.raw
	if r.answersDiffer(e) {
		return saying("a diff compares the rendered texts: d shows them side by side")
	}
	return nil
}

func (r answerReader) height(e env.Env) int {
	_, texts := r.parts(e)
	return max(1, texts[0].Inner().H)
}

func (r *answerReader) moveDifference(e env.Env, by int) action {
	switch {
	case !r.job.Of.diff || r.page(0) == nil:
		return saying("differences are marked in the diff: d shows it")
	case !r.toDifference(by, r.height(e)):
		return saying("no further difference")
	}
	return nil
}

func (r answerReader) name(e env.Env, side int) string {
	all := r.listing.Value[side]
	if len(all) == 0 {
		return e.RunNames()[side]
	}
	i := pane.ClampIndex(r.chosen[side], len(all))
	answer := all[i]
	text := fmt.Sprintf("%s %d/%d  reward %s  step %d", e.RunNames()[side], i+1, len(all), units.Short(answer.Reward), answer.Step)
	if answer.Length >= 0 {
		name, unit := "tokens", [2]model.LengthUnit{e.Snap.Run.LengthUnit, r.unit}[side]
		if unit != model.LengthTokens {
			name = "characters"
		}
		text += "  " + units.Plural(int(answer.Length), name)
	}
	return text
}

// view draws the prompt, with a note on which it is, and below it the answers of both runs.
func (r answerReader) view(e env.Env, note string, h int) []string {
	prompt, texts := r.parts(e)
	prompt.H, texts[0].H, texts[1].H = min(prompt.H, h), h-min(prompt.H, h), h-min(prompt.H, h)
	lines := e.Display.Box(prompt, false, r.prompt(e, note, prompt.Inner().W))
	if r.answersDiffer(e) {
		c := r.text(e, 0, texts[0])
		c.Target = pane.Target{Kind: pane.OnBody, N: 0}
		c.Title = " diff" + r.diffTitle(e, env.SideCandidate, themes.Positive, "+") + r.diffTitle(e, env.SideBaseline, themes.Negative, "−")
		return append(lines, e.Display.Box(texts[0], true, c)...)
	}
	var panes [2][]string
	for side, rect := range texts {
		c, focused := r.text(e, side, rect), r.focus == side
		c.Target, c.Title = pane.Target{Kind: pane.OnAnswer, N: side}, " "+e.Display.PaneTitle(r.name(e, side), focused)
		panes[side] = e.Display.Box(rect, focused, c)
	}
	return append(lines, pane.JoinColumns(panes[env.SideBaseline], panes[env.SideCandidate])...)
}

// diffTitle names a side of the diff, and whether the keys change its answer.
func (r answerReader) diffTitle(e env.Env, side int, role themes.Role, sign string) string {
	all := len(r.listing.Value[side])
	name := fmt.Sprintf("%s %d/%d", e.RunNames()[side], min(r.chosen[side]+1, all), all)
	return "  " + e.Display.Theme.Paint(role, sign) + " " + e.Display.PaneTitle(name, r.focus == side)
}

func (r answerReader) prompt(e env.Env, note string, w int) pane.Content {
	p, names := r.pair, e.RunNames()
	return pane.Content{
		Title: fmt.Sprintf(" prompt  mean reward: %s %s  %s %s  Δ %s",
			names[env.SideBaseline], units.Fixed(p.Baseline, 2), names[env.SideCandidate], units.Fixed(p.Candidate, 2), e.Display.SignedDelta(p.Delta())),
		Note:  note,
		Lines: []string{cells.Fit(" "+sanitize.Line(p.Preview), w)},
	}
}

func (r answerReader) text(e env.Env, side int, rect layout.Rect) pane.Content {
	w := rect.Inner().W
	want, known := r.wanted(e)
	switch {
	case r.listing.Err != nil:
		return pane.Content{Lines: e.Display.SentenceLines(sanitize.Line(r.listing.Err.Error()), themes.Warn, w)}
	case e.Texts[side] == nil || r.answersDiffer(e) && e.Texts[env.SideCandidate] == nil:
		return pane.Content{Lines: e.Display.SentenceLines("This source has no texts: open the log's own file or directory to read the answers.", themes.Warn, w)}
	case r.listed() && len(r.listing.Value[side]) == 0:
		return pane.Content{Lines: e.Display.SentenceLines("The log no longer has an answer to this prompt in a step of both runs.", themes.Warn, w)}
	}
	return r.pane(e, side, w, rect.Inner().H, richtext.Matches{}, want, known)
}

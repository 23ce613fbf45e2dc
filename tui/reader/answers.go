package reader

import (
	"context"
	"fmt"
	"math"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/compare"
	"vantage/model/figures"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/env"
	"vantage/tui/glossary"
	"vantage/tui/job"
	"vantage/tui/layout"
	"vantage/tui/pane"
	"vantage/tui/richtext"
	"vantage/tui/view"
)

// Answers is the state of the view of both runs' answers to a prompt.
type Answers struct {
	reader
	Pair    compare.Pair
	note    string           // which of the prompts it is
	unit    model.LengthUnit // of the lengths of the candidate
	chosen  [2]int           // of the answers of each side, of the baseline and of the candidate
	Focus   int              // the side whose answer the keys change
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

// List opens a prompt of a comparison.
func (r *Answers) List(e env.Env, c *job.Queue, of view.Pair) {
	r.listing.Reset()
	r.Job.Reset()
	*r = Answers{
		Pair: of.Pair, unit: of.Unit, note: of.Which, layout: r.layout, Focus: r.Focus,
		reader: reader{thinking: r.thinking, raw: r.raw, Job: r.Job}, listing: r.listing,
	}
	runs := [2]compare.Run{
		env.SideBaseline:  {Snap: e.Snap, Set: of.Sets[env.SideBaseline]},
		env.SideCandidate: {Snap: e.Second.Store.Snapshot(), Set: of.Sets[env.SideCandidate]},
	}
	r.listing.Start(c, r.listing.Number, job.Once(func(ctx context.Context) (found [2][]compare.Answer, err error) {
		for side, run := range runs {
			if found[side], err = compare.Answers(ctx, run, runs[1-side].Snap, of.Hash); err != nil {
				break
			}
		}
		return found, err
	}))
}

func (r Answers) listed() bool { return r.listing.Key != 0 && !r.listing.Busy() }

// Work takes the answers to a prompt, and requests the pages of those that are chosen.
func (r *Answers) Work(e env.Env, open bool, c *job.Queue, msg tea.Msg) {
	if r.listing.Take(c, msg) {
		// those that tell most: the best of the run that is better at the prompt, and the worst of the other; of equal runs the best of
		// each
		for side, answers := range r.listing.Value {
			delta := r.Pair.Delta()
			isWorse := side == env.SideBaseline && delta > 0 || side == env.SideCandidate && delta < 0
			for i, answer := range answers {
				if isWorse && units.IsFinite(answer.Reward) {
					r.chosen[side] = i
				}
			}
		}
	}
	if was := r.Job.Of; r.Take(c, msg) {
		if !was.sameTexts(r.Job.Of) {
			r.Scroll = 0
		}
		r.scrollLines(e, 0)
	}
	if !open {
		r.Job.Stop()
		r.Job.Of = PagesKey{}
		return
	}
	if want, ok := r.wanted(e); ok {
		r.Request(e, c, want)
	}
}

// wanted returns the request of the pages that belong on the screen; ok is false while the answers
// are listed, or if there are no texts.
func (r Answers) wanted(e env.Env) (want PagesKey, ok bool) {
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
		want.Texts[side] = textKey{side, answer.Place, answer.Revision}
		if want.diff {
			want.names[side] = r.name(e, side)
		}
		want.widths[side] = min(pane.MaxProseWidth, max(1, texts[side].Inner().W-2))
	}
	return want, true
}

func (r Answers) answersDiffer(e env.Env) bool {
	return r.layout == answersDiff || r.layout == answersFitting && e.Display.W < minBesideWidth
}

// parts returns where the prompt and the texts are in the body, of a diff the first rectangle.
func (r Answers) parts(e env.Env) (prompt layout.Rect, texts [2]layout.Rect) {
	w, h := e.Display.W, e.Display.BodyHeight()
	prompt = layout.Rect{W: w, H: min(3, h)}
	texts[0] = layout.Rect{Y: prompt.H, W: w, H: h - prompt.H}
	if r.answersDiffer(e) {
		return prompt, texts
	}
	texts[0], texts[1] = layout.Beside(texts[0], w/2)
	return prompt, texts
}

func (r *Answers) scrollLines(e env.Env, by int) view.Want {
	r.scrollBy(by, r.height(e))
	return nil
}

// OnMouse focuses a side, and scrolls both.
func (r *Answers) OnMouse(e env.Env, m view.Mouse) (view.Want, bool) {
	switch {
	case m.Wheel != 0 && (m.On.Kind == pane.OnAnswer || m.On.Kind == pane.OnBody):
		return r.scrollLines(e, view.WheelLines*m.Wheel), true
	case m.Click && m.On.Kind == pane.OnAnswer:
		r.Focus = m.On.N
		return nil, true
	}
	return nil, false
}

// Explains returns those above the texts.
func (*Answers) Explains(env.Env) glossary.List {
	return glossary.List{}.At(figures.Compare, "baseline", "candidate", "Δ").At(figures.Sample, "reward", "tokens")
}

// Keys of the answers.
func (*Answers) Keys() view.Section {
	return view.Section{Name: "answers of two runs", Bindings: []view.Binding{
		{
			Keys: []string{"j", "down"}, Label: "j ↓", Hint: "j k scroll",
			Doc: "a line down, in both texts",
			Do:  view.By((*Answers).scrollLines, 1),
		},
		{Keys: []string{"k", "up"}, Label: "k ↑", Doc: "a line up", Do: view.By((*Answers).scrollLines, -1)},
		{
			Keys: []string{"l", "right"}, Label: "l →", Hint: "h l answer",
			Doc: "next answer of the focused run, the best first",
			Do:  view.By((*Answers).move, 1),
		},
		{Keys: []string{"h", "left"}, Label: "h ←", Doc: "previous answer of the focused run", Do: view.By((*Answers).move, -1)},
		{
			Keys: []string{"tab", "shift+tab"}, Label: "Tab", Hint: "Tab run",
			Doc: "focus the other run",
			Do:  view.Key((*Answers).switchSide),
		},
		{Keys: []string{"J"}, Label: "J", Hint: "J K prompt", Doc: "next prompt of the comparison", Do: view.Ask(view.NextPair(1))},
		{Keys: []string{"K"}, Label: "K", Doc: "previous prompt", Do: view.Ask(view.NextPair(-1))},
		{
			Keys: []string{"d", "enter"}, Label: "d ⏎", Hint: "d diff",
			Doc: "word diff, or both texts side by side",
			Do:  view.Key((*Answers).toggleDiff),
		},
		{Keys: []string{"n"}, Label: "n", Doc: "next difference of the diff", Do: view.By((*Answers).moveDifference, 1)},
		{Keys: []string{"N"}, Label: "N", Doc: "previous difference", Do: view.By((*Answers).moveDifference, -1)},
		{
			Keys: []string{"T"}, Label: "T", Hint: "T thinking",
			Doc: "hide or show the thinking, also in a diff",
			Do:  view.Key((*Answers).foldThinking),
		},
		{
			Keys: []string{"I"}, Label: "I",
			Doc: "show the texts as logged, or with Markdown and LaTeX rendered",
			Do:  view.Key((*Answers).toggleRaw),
		},
		{Keys: []string{"ctrl+d", "pgdown", "space"}, Label: "^D", Doc: "a page down", Do: view.By((*Answers).scrollPages, 1)},
		{Keys: []string{"ctrl+u", "pgup"}, Label: "^U", Doc: "a page up", Do: view.By((*Answers).scrollPages, -1)},
		{Keys: []string{"g", "home"}, Label: "g", Doc: "to the prompt", Do: view.By((*Answers).scrollLines, math.MinInt32)},
		{Keys: []string{"G", "end"}, Label: "G", Doc: "to the end", Do: view.By((*Answers).scrollLines, math.MaxInt32)},
		{Keys: []string{"esc"}, Label: "Esc", Hint: "Esc back", Doc: "back to the comparison", Do: view.Ask(view.Escape{})},
	}}
}

func (r *Answers) scrollPages(e env.Env, by int) view.Want {
	return r.scrollLines(e, by*max(1, r.height(e)-1))
}

func (r *Answers) switchSide(env.Env) view.Want {
	r.Focus = 1 - r.Focus
	return nil
}

func (r *Answers) foldThinking(env.Env) view.Want {
	r.toggleThinking()
	return nil
}

func (r *Answers) move(e env.Env, by int) view.Want {
	side := r.Focus
	to := pane.ClampIndex(r.chosen[side]+by, len(r.listing.Value[side]))
	if to == r.chosen[side] {
		return view.Say("no further answer of " + e.RunNames()[side] + ": Tab switches runs, J K change the prompt")
	}
	r.chosen[side] = to
	return nil
}

func (r *Answers) toggleDiff(e env.Env) view.Want {
	if r.answersDiffer(e) {
		r.layout = answersBeside
	} else {
		r.layout = answersDiff
	}
	return nil
}

func (r *Answers) toggleRaw(e env.Env) view.Want {
	r.raw = !r.raw
	if r.answersDiffer(e) {
		return view.Say("a diff compares the rendered texts: d shows them side by side")
	}
	return nil
}

func (r Answers) height(e env.Env) int {
	_, texts := r.parts(e)
	return max(1, texts[0].Inner().H)
}

func (r *Answers) moveDifference(e env.Env, by int) view.Want {
	switch {
	case !r.Job.Of.diff || r.Page(0) == nil:
		return view.Say("differences are marked in the diff: d shows it")
	case !r.toDifference(by, r.height(e)):
		return view.Say("no further difference")
	}
	return nil
}

func (r Answers) name(e env.Env, side int) string {
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

// Draw draws the prompt, with a note on which it is, and below it the answers of both runs.
func (r *Answers) Draw(e env.Env, _, h int) []string {
	prompt, texts := r.parts(e)
	prompt.H, texts[0].H, texts[1].H = min(prompt.H, h), h-min(prompt.H, h), h-min(prompt.H, h)
	lines := e.Display.Box(prompt, false, r.prompt(e, prompt.Inner().W))
	if r.answersDiffer(e) {
		c := r.text(e, 0, texts[0])
		c.Target = pane.Target{Kind: pane.OnBody, N: 0}
		c.Title = " diff" + r.diffTitle(e, env.SideCandidate, themes.Positive, "+") +
			r.diffTitle(e, env.SideBaseline, themes.Negative, "−")
		return append(lines, e.Display.Box(texts[0], true, c)...)
	}
	var panes [2][]string
	for side, rect := range texts {
		c, focused := r.text(e, side, rect), r.Focus == side
		c.Target, c.Title = pane.Target{Kind: pane.OnAnswer, N: side}, " "+e.Display.PaneTitle(r.name(e, side), focused)
		panes[side] = e.Display.Box(rect, focused, c)
	}
	return append(lines, pane.JoinColumns(panes[env.SideBaseline], panes[env.SideCandidate])...)
}

// diffTitle names a side of the diff, and whether the keys change its answer.
func (r Answers) diffTitle(e env.Env, side int, role themes.Role, sign string) string {
	all := len(r.listing.Value[side])
	name := fmt.Sprintf("%s %d/%d", e.RunNames()[side], min(r.chosen[side]+1, all), all)
	return "  " + e.Display.Theme.Paint(role, sign) + " " + e.Display.PaneTitle(name, r.Focus == side)
}

func (r Answers) prompt(e env.Env, w int) pane.Content {
	p, names := r.Pair, e.RunNames()
	return pane.Content{
		Title: fmt.Sprintf(" prompt  mean reward: %s %s  %s %s  Δ %s",
			names[env.SideBaseline], units.Fixed(p.Baseline, 2), names[env.SideCandidate], units.Fixed(p.Candidate, 2),
			e.Display.SignedDelta(p.Delta())),
		Note:  r.note,
		Lines: []string{cells.Fit(" "+sanitize.Line(p.Preview), w)},
	}
}

func (r Answers) text(e env.Env, side int, rect layout.Rect) pane.Content {
	w := rect.Inner().W
	want, known := r.wanted(e)
	switch {
	case r.listing.Err != nil:
		return pane.Content{Lines: e.Display.SentenceLines(sanitize.Line(r.listing.Err.Error()), themes.Warn, w)}
	case e.Texts[side] == nil || r.answersDiffer(e) && e.Texts[env.SideCandidate] == nil:
		return pane.Content{Lines: e.Display.SentenceLines(
			"This source has no texts: open the log's own file or directory to read the answers.", themes.Warn, w,
		)}
	case r.listed() && len(r.listing.Value[side]) == 0:
		return pane.Content{Lines: e.Display.SentenceLines(
			"The log no longer has an answer to this prompt in a step of both runs.", themes.Warn, w,
		)}
	}
	return r.pane(e, side, w, rect.Inner().H, richtext.Matches{}, want, known)
}

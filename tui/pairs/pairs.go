// Package pairs is the view of two runs, prompt by prompt.
package pairs

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/compare"
	"vantage/model/figures"
	"vantage/model/report"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/env"
	"vantage/tui/glossary"
	"vantage/tui/job"
	"vantage/tui/layout"
	"vantage/tui/pane"
	"vantage/tui/view"
)

// View is the state of the view of both runs, prompt by prompt.
type View struct {
	Job       job.Job[comparisonKey, comparison]
	Cursor    int  // row of the table of prompts
	bestFirst bool // prompts on which the candidate is better come first
}

// comparisonKey is all that a comparison depends on.
type comparisonKey struct {
	revision int // of the first run
	env.SecondRunKey
}

// comparison is the comparison with the second run.
type comparison struct {
	Result *compare.Result
	sets   [2]model.Settings // of the baseline and of the candidate: which columns are the reward
	unit   model.LengthUnit  // of the candidate's lengths
}

// Work requests the comparison while its view is open. The cursor stays on its prompt, at the top it stays there.
func (s *View) Work(e env.Env, open bool, c *job.Queue, msg tea.Msg) {
	before, wasSelected := s.Selected()
	if s.Job.Take(c, msg) && wasSelected && (s.Cursor > 0 || !open) {
		for i := range s.pairs() {
			if s.pairAt(i).Hash == before.Hash {
				s.Cursor = i
			}
		}
	}
	key := comparisonKey{e.Snap.Revision, e.SecondRunKey()}
	if !open || e.Second.Chunks == 0 || e.Snap.Rows == 0 || !s.Job.Lacks(key, job.InTurn) {
		return
	}
	first, second, names := e.Snap, e.Second.Store.Snapshot(), e.RunNames()
	if second.Rows == 0 {
		return
	}
	s.Job.Start(c, key, job.Once(func(ctx context.Context) (c comparison, err error) {
		c.unit, c.sets = second.Run.LengthUnit, [2]model.Settings{key.Set, key.Of(ctx, second)}
		c.Result, err = compare.Runs(ctx, compare.Run{Name: names[env.SideBaseline], Snap: first, Set: c.sets[env.SideBaseline]},
			compare.Run{Name: names[env.SideCandidate], Snap: second, Set: c.sets[env.SideCandidate]})
		return c, err
	}))
}

// WhyNot says that there is no other run.
func (*View) WhyNot(e env.Env) string {
	if e.Second.Source == nil {
		return "only one run is open: `vantage base=runs/a new=runs/b` opens two (b compares settings)"
	}
	return ""
}

// SavedAs is its name in the session.
func (*View) SavedAs() string { return "compare" }

// Rows makes the prompts a list.
func (s *View) Rows(env.Env) (*int, int) { return &s.Cursor, len(s.pairs()) }

// OpenRow reads the answers to it.
func (*View) OpenRow(env.Env) view.Want { return view.OpenAnswers{} }

// Explains returns those of the table and of its verdict.
func (*View) Explains(env.Env) glossary.List {
	return glossary.List{}.At(figures.Compare, "baseline", "candidate", "Δ", "samples", "wins", "win rate", "p", "mean Δ", "±", "prompts")
}

// Keys of the comparison.
func (*View) Keys() view.Section {
	return view.Section{Name: "two runs", Bindings: append(
		view.ListKeys("j k prompt"),
		view.Binding{
			Keys: []string{"enter"}, Label: "⏎", Hint: "Enter answers",
			Doc: "read both runs' answers to the prompt, side by side or as a word diff",
			Do:  view.Ask(view.OpenAnswers{}),
		},
		view.Binding{
			Keys: []string{"o", "O"}, Label: "o", Hint: "o reverse",
			Doc: "worst or best for the second run first",
			Do:  view.Key((*View).reverse),
		},
		view.Binding{Keys: []string{"esc", "c"}, Label: "Esc", Hint: "Esc back", Doc: "back", Do: view.Ask(view.Escape{})},
	)}
}

func (s *View) reverse(env.Env) view.Want {
	s.bestFirst, s.Cursor = !s.bestFirst, 0
	return nil
}

// pairs returns the prompts that both runs have, the worst for the candidate first.
func (s View) pairs() []compare.Pair {
	if r := s.Job.Value.Result; r != nil {
		return r.Pairs
	}
	return nil
}

func (s View) pairAt(i int) compare.Pair {
	if pairs := s.pairs(); s.bestFirst {
		return pairs[len(pairs)-1-i]
	}
	return s.pairs()[i]
}

// which returns which of the prompts is under the cursor, as "3/12"; "" without any.
func (s View) which() string {
	if n := len(s.pairs()); n > 0 {
		return fmt.Sprintf("%d/%d", pane.ClampIndex(s.Cursor, n)+1, n)
	}
	return ""
}

// OpenPair is what is to be known of a prompt to read its answers.
func (s View) OpenPair(p compare.Pair) view.Pair {
	of := s.Job.Value
	return view.Pair{Pair: p, Which: s.which(), Sets: of.sets, Unit: of.unit}
}

// Selected returns the prompt under the cursor; ok is false if there is none.
func (s View) Selected() (p compare.Pair, ok bool) {
	if n := len(s.pairs()); n > 0 {
		return s.pairAt(pane.ClampIndex(s.Cursor, n)), true
	}
	return p, false
}

// Draw shows which run is better, at which difficulties, and on which prompts.
func (s *View) Draw(e env.Env, w, h int) []string {
	t, r := e.Display.Theme, s.Job.Value.Result
	names := e.RunNames()
	title := " " + cells.JoinFitting(w-4, " · ", fmt.Sprintf(
		"%s against %s, prompt by prompt", names[env.SideCandidate], names[env.SideBaseline],
	),
		fmt.Sprintf("Δ is %s − %s", names[env.SideCandidate], names[env.SideBaseline]))
	if r == nil {
		text := "comparing the runs prompt by prompt …"
		if err := cmp.Or(e.Second.Err, s.Job.Err); err != nil {
			text = sanitize.Line(err.Error())
		}
		return e.Display.Box(layout.Rect{W: w, H: h}, true, pane.Content{
			Title: title, Lines: []string{"", "  " + t.Paint(themes.Dim, text)},
		})
	}
	above := comparisonLines(e, r, w-4)
	height := min(len(above)+2, h-6)
	return append(e.Display.Box(layout.Rect{W: w, H: height}, false, pane.Content{Title: title, Lines: above}),
		e.Display.Box(layout.Rect{W: w, H: h - height}, true, s.table(e, r, w-2, h-height-2))...)
}

func comparisonLines(e env.Env, r *compare.Result, w int) []string {
	var lines []string
	say := func(role themes.Role, text string) {
		lines = append(lines, e.Display.Wrapped(" ", role, text, w)...)
	}
	c := report.Comparison{Result: r}
	say(themes.Plain, c.Sentence())
	if len(r.Pairs) > 0 {
		t, g, width, n := e.Display.Theme, e.Display.Glyphs, max(3, min(60, w-40)), float64(len(r.Pairs))
		wins := int(math.Round(float64(r.Wins) / n * float64(width)))
		losses := min(width-wins, int(math.Round(float64(r.Losses)/n*float64(width))))
		lines = append(lines, " "+t.Paint(themes.Positive, strings.Repeat(g.MeterFull, wins))+
			t.Paint(themes.Track, strings.Repeat(g.MeterEmpty, width-wins-losses))+
			t.Paint(themes.Negative, strings.Repeat(g.MeterFull, losses))+fmt.Sprintf("  +%d better  %d equal  −%d worse", r.Wins, r.Ties,
			r.Losses))
	}
	if r.Scales != "" {
		say(themes.Warn, r.Scales)
	}
	lines = append(lines, DifficultyLines(e, r.Bins, w)...)
	if len(r.Pairs) > 0 {
		say(themes.Dim, "compared: "+c.Compared())
	}
	say(themes.Dim, "left out: "+c.LeftOut())
	return lines
}

// DifficultyLines returns the mean difference at each difficulty, none for less than two of them.
func DifficultyLines(e env.Env, bins []compare.Bin, w int) []string {
	if len(bins) < 2 {
		return nil
	}
	t, width := e.Display.Theme, min(16, (w-14)/len(bins))
	if width < 10 {
		return nil
	}
	row := func(head string, cell func(compare.Bin) string) string {
		return " " + t.Paint(themes.Dim, cells.Fit(head, 14)) + strings.Join(model.Mapped(bins, cell), "")
	}
	return []string{
		row("reward, both", func(b compare.Bin) string {
			return t.Paint(themes.Dim, cells.FitRight(units.Fixed(b.Lo, 2)+"–"+units.Fixed(b.Hi, 2), width))
		}),
		row("mean Δ "+e.Display.PlusMinus()+" s.e.", func(b compare.Bin) string {
			delta := units.Missing
			if b.Pairs > 0 {
				delta = e.Display.SignedDelta(b.Delta)
			}
			if width >= 12 && b.Pairs > 1 {
				delta += t.Paint(themes.Dim, e.Display.PlusMinus()+strings.TrimPrefix(units.Fixed(b.StdErr, 2), "0"))
			}
			return cells.FitRight(delta, width)
		}),
		row("prompts", func(b compare.Bin) string { return t.Paint(themes.Dim, cells.FitRight(units.Count(b.Pairs), width)) }),
	}
}

func (s View) table(e env.Env, r *compare.Result, w, h int) pane.Content {
	t := e.Display.Theme
	if len(r.Pairs) == 0 {
		const instead = "without a prompt that both saw, compare the runs by their steps: Esc, then 3 and 3 again, draws any metric of both"
		return pane.Content{Title: " prompts  none in common", Lines: e.Display.SentenceLines(instead, themes.Dim, w)}
	}
	names := e.RunNames()
	var widths [2]int
	for side, name := range names {
		widths[side] = min(max(9, cells.Width(name)+2), max(11, w/6))
		names[side] = cells.TruncateLeft(name, widths[side]-2)
	}
	c := pane.Content{Lines: []string{t.Paint(themes.Dim, cells.FitRight(names[env.SideBaseline], widths[env.SideBaseline])+
		cells.FitRight(names[env.SideCandidate], widths[env.SideCandidate])+
		cells.FitRight("Δ", 9)+cells.FitRight("samples", 10)+"  prompt")}}
	cursor := pane.ClampIndex(s.Cursor, len(r.Pairs))
	shared := env.SharedBeginning(len(r.Pairs), func(i int) string { return r.Pairs[i].Preview })
	e.Display.AddRows(&c, pane.OnRow, cursor, len(r.Pairs), w, h, func(i int) string {
		p := s.pairAt(i)
		return cells.FitRight(units.Fixed(p.Baseline, 3), widths[env.SideBaseline]) +
			cells.FitRight(units.Fixed(p.Candidate, 3), widths[env.SideCandidate]) +
			cells.FitRight(e.Display.Theme.Paint(pane.SignRole(p.Delta()), report.SignedDelta(p.Delta())), 9) +
			cells.FitRight(fmt.Sprintf("%d/%d", p.OfBaseline, p.OfCandidate), 10) + "  " + env.WithoutShared(p.Preview, shared)
	})
	order := "worst for " + e.RunNames()[env.SideCandidate] + " first"
	if s.bestFirst {
		order = "best for " + e.RunNames()[env.SideCandidate] + " first"
	}
	c.Title = fmt.Sprintf(" prompts  %s · %s", units.Count(len(r.Pairs)), order)
	return c
}

// Exported returns the prompts.
func (s *View) Exported(e env.Env) report.Table {
	names := e.RunNames()
	t := report.Table{
		Title: fmt.Sprintf("%s against %s, prompt by prompt", names[env.SideCandidate], names[env.SideBaseline]),
		Columns: []string{
			"prompt", "reward of " + names[env.SideBaseline], "reward of " + names[env.SideCandidate], "delta",
			"samples of " + names[env.SideBaseline], "samples of " + names[env.SideCandidate], "samples_compared", "same_steps",
		},
	}
	for i := range s.pairs() {
		p := s.pairAt(i)
		t.Rows = append(t.Rows, []any{p.Preview, p.Baseline, p.Candidate, p.Delta(), p.OfBaseline, p.OfCandidate, p.Samples, p.SameSteps})
	}
	return t
}

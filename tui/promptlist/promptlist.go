// Package promptlist is the view of the prompts over all steps: which of them teach, are solved, hopeless or suspect.
package promptlist

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/figures"
	"vantage/model/ledger"
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

// View is the state of the view of the prompts over the whole run.
type View struct {
	job    job.Job[promptsKey, *report.Prompts]
	cursor int    // row of the table
	order  string // the figure by which they are sorted, "" for the usual one
	where  string // the query that selects them
	draft  string // the same while it is typed
}

// promptsKey is all that the accounts of the prompts, and their order, depend on.
type promptsKey struct {
	revision     int
	set          model.Settings
	where, order string
}

// answersRead is how many answers are read to find suspect prompts.
const answersRead = 4096

// Work requests the accounts while their view is open.
func (s *View) Work(e env.Env, open bool, c *job.Queue, msg tea.Msg) {
	if s.job.Take(c, msg) {
		s.cursor = pane.ClampIndex(s.cursor, len(s.shown()))
	}
	key := promptsKey{e.Snap.Revision, e.Settings.Now, s.where, s.sortedBy()}
	if !open || e.Snap.Rows == 0 || !s.job.Lacks(key, job.InTurn) {
		return
	}
	snap, texts, old := e.Snap, e.Texts[0], s.job.Value
	if was := s.job.Of; was.revision != key.revision || was.set != key.set {
		old = nil // else the accounts are the same in another order
	}
	s.job.Start(c, key, job.Once(func(ctx context.Context) (*report.Prompts, error) {
		return addUpPrompts(ctx, key, snap, texts, old)
	}))
}

func addUpPrompts(ctx context.Context, key promptsKey, snap model.Snapshot, texts env.TextReader,
	old *report.Prompts,
) (*report.Prompts, error) {
	p := &report.Prompts{Where: key.where, Solved: snap.SolvedNotes(snap.RewardScales(key.set))}
	where, err := figures.ParsePromptQuery(key.where)
	if err != nil {
		return nil, err
	}
	if old != nil {
		p.Ledger = old.Ledger
		return p, p.Select(where, key.order)
	}
	var read analysis.ReadTexts
	if texts != nil {
		read = analysis.ReadTextsOf(texts)
	}
	if p.Ledger, err = ledger.Of(ctx, snap, key.set, ledger.Options{Read: read, Texts: answersRead}); err != nil {
		return nil, err
	}
	return p, p.Select(where, key.order)
}

// Rows makes it a list.
func (s *View) Rows(env.Env) (*int, int) { return &s.cursor, len(s.shown()) }

// OpenRow goes to its newest group.
func (s *View) OpenRow(e env.Env) view.Want { return s.open(e) }

// Explains returns those of the accounts, and of the samples that they are of.
func (*View) Explains(env.Env) glossary.List {
	l := glossary.List{}.At(figures.Prompt, "state", "seen", "rate", "reward", "trend", "±", "signal", "Σ|A|", "tokens", "Σ|A|/1k",
		"last_step")
	return l.At(figures.Sample, "reward", "proc")
}

// Keys of the prompts.
func (*View) Keys() view.Section {
	return view.Section{Name: "prompts", Bindings: append(view.ListKeys("j k move"),
		view.Binding{
			Keys: []string{"enter"}, Label: "⏎", Hint: "Enter open",
			Doc: "the newest group of the prompt",
			Do:  view.Key((*View).open),
		},
		view.Binding{Keys: []string{"o"}, Label: "o", Hint: "o sort", Doc: "sort by the next metric", Do: view.Key((*View).sort)},
		view.Binding{Keys: []string{"O"}, Label: "O", Doc: "reverse the order", Do: view.Key((*View).reverse)},
		view.Binding{
			Keys: []string{"/"}, Label: "/", Hint: "/ filter",
			Doc: "filter the prompts: state:hopeless tokens>10000 prompt~triangle",
			Do:  view.Key((*View).openFilter),
		},
		view.Binding{Keys: []string{"esc", "L"}, Label: "Esc", Hint: "Esc back", Doc: "back", Do: view.Ask(view.Escape{})})}
}

// Filter is the view while the filter is typed.
type Filter struct{ *View }

// StateOf is that of the prompts.
func (Filter) StateOf() view.Name { return view.Prompts }

// Text and the others make it a view with a line.
func (f Filter) Text() *string { return &f.draft }

// Limit is that of a query.
func (Filter) Limit() int { return figures.MaxQuery }

// Edited changes nothing before the query is entered.
func (Filter) Edited(env.Env, bool) view.Want { return nil }

// Keys of the filter.
func (Filter) Keys() view.Section {
	return view.Section{Name: "filter of prompts", Bindings: []view.Binding{
		{Keys: []string{"enter"}, Label: "⏎", Hint: "Enter keep", Doc: "keep the filter", Do: view.Key(Filter.applyFilter)},
		{
			Keys: []string{"esc"}, Label: "Esc", Hint: "Esc leave",
			Doc: "leave the filter as it was",
			Do:  view.Ask(view.Open{View: view.Prompts}),
		},
	}}
}

func (s View) sortedBy() string {
	return cmp.Or(s.order, report.DefaultPromptOrder)
}

func (s *View) sort(env.Env) view.Want {
	all := []string{"per_1k", "sum_abs", "tokens", "rate", "reward", "trend", "signal", "seen", "last_step", "state"}
	at := slices.Index(all, strings.TrimPrefix(s.sortedBy(), "-"))
	s.order, s.cursor = all[(at+1)%len(all)], 0
	unit := model.LengthTokens
	if p := s.job.Value; p != nil {
		unit = p.Unit
	}
	return view.Say("prompts by " + orderWords(s.order, unit))
}

// orderWords says by what prompts are in order: by the head of its column.
func orderWords(order string, unit model.LengthUnit) string {
	name, least := strings.CutPrefix(order, "-")
	heads := map[string]string{"per_1k": "Σ|A|/1k", "sum_abs": "Σ|A|", "tokens": unit.String(), "last_step": "last step"}
	words := cmp.Or(heads[name], name)
	if least {
		words += ", least first"
	}
	return words
}

func (s *View) reverse(env.Env) view.Want {
	name, least := strings.CutPrefix(s.sortedBy(), "-")
	if !least {
		name = "-" + name
	}
	s.order, s.cursor = name, 0
	return nil
}

func (s *View) openFilter(env.Env) view.Want {
	s.draft = s.where
	return view.Open{View: view.PromptFilter}
}

// applyFilter applies the filter. A wrong one stays in the line, to be corrected.
func (s *View) applyFilter(env.Env) view.Want {
	text := strings.TrimSpace(s.draft)
	if _, err := figures.ParsePromptQuery(text); err != nil {
		return view.Say("invalid filter: " + err.Error())
	}
	s.where, s.cursor = text, 0
	return view.Open{View: view.Prompts}
}

// Prompt returns the line in w cells.
func (Filter) Prompt(e env.Env, w int) string {
	typed := e.Typing
	line := " " + e.Display.Theme.Paint(themes.Accent, "/"+typed.Shown(w-3))
	return cells.JoinFitting(
		w, " — ", line, e.Display.Theme.Paint(themes.Dim, "state:hopeless seen>4 solve_rate<0.5 tokens>10000 prompt~triangle"),
	)
}

func (s View) shown() []*ledger.Prompt {
	if s.job.Value == nil {
		return nil
	}
	return s.job.Value.Selected
}

func (s *View) open(env.Env) view.Want {
	all := s.shown()
	if len(all) == 0 {
		return nil
	}
	p := all[pane.ClampIndex(s.cursor, len(all))]
	return view.GoTo(env.Destination{Step: p.Last, Group: p.Name(), Prompt: p.Name()})
}

// factLabel is the width of the name of a fact.
const factLabel = 12

// Draw draws what the states cost and gave, a row per prompt, and below why the one under the cursor is in its state.
func (s *View) Draw(e env.Env, w, h int) []string {
	p, t, inner := s.job.Value, e.Display.Theme, w-3
	c := pane.Content{Title: " prompts — which of them teach, over all steps"}
	if p == nil || s.job.Err != nil {
		text := "adding up the prompts of all steps …"
		if err := s.job.Err; err != nil {
			text = err.Error()
		}
		return e.Display.Waiting(c.Title, text, w, h)
	}
	c.Title += ", by " + orderWords(p.Order, p.Unit)
	if p.Where != "" {
		c.Title += ", where " + sanitize.Line(p.Where)
	}
	facts := report.PromptFacts(p)
	if h < 26 { // of the states only how many there are
		counts := report.PromptCounts(p)
		_, ofStates, _ := strings.Cut(counts, " · ") // how many there are, the note says too
		facts = []report.Fact{{Label: "states", Text: pane.FirstFitting(inner-factLabel, counts, ofStates)}}
	}
	facts = slices.DeleteFunc(facts, func(f report.Fact) bool { return f.Label == "selected" || h < 30 && f.Label == "solved" })
	c.Lines = e.Display.FactLines(facts, inner)
	e.Display.AddTable(
		&c, pane.OnRow, s.cursor, len(p.Selected), inner, h-5-len(c.Lines),
		func(from, to int) []string { return report.PromptTable(p.Selected[from:to], p.Unit, inner) },
	)
	for len(c.Lines) < h-3 {
		c.Lines = append(c.Lines, "")
	}
	if len(p.Selected) > 0 {
		one := p.Selected[pane.ClampIndex(s.cursor, len(p.Selected))]
		c.Lines = append(c.Lines, cells.Fit(" "+t.Paint(themes.Accent, string(one.State()))+": "+sanitize.Line(one.Why()), inner))
	}
	c.Note = fmt.Sprintf("%s/%s", units.Count(min(s.cursor+1, len(p.Selected))), units.Count(len(p.Selected)))
	return e.Display.Box(layout.Rect{W: w, H: h}, true, c)
}

// Exported returns the prompts.
func (s *View) Exported(env.Env) report.Table {
	if s.job.Value == nil {
		return report.Table{}
	}
	return report.PromptsTable(s.job.Value)
}

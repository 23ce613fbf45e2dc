// Package grep is the view of the samples whose texts match a pattern.
package grep

import (
	"context"
	"errors"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/figures"
	"vantage/model/report"
	"vantage/model/sanitize"
	"vantage/model/textsearch"
	"vantage/tui/env"
	"vantage/tui/glossary"
	"vantage/tui/job"
	"vantage/tui/layout"
	"vantage/tui/pane"
	"vantage/tui/view"
)

// View is the state of the view of the samples that match a pattern.
type View struct {
	job     job.Job[grepKey, *report.Grep]
	pattern string
	cursor  int // row of the matches
}

// grepKey is all that the matches depend on.
type grepKey struct {
	revision int
	set      model.Settings
	pattern  string
}

// shownMatches is how many matches are listed, the first ones.
const shownMatches = 1000

// Work searches while the view is open.
func (s *View) Work(e env.Env, open bool, c *job.Queue, msg tea.Msg) {
	if s.job.Take(c, msg) {
		s.cursor = pane.ClampIndex(s.cursor, len(s.matches()))
	}
	if !open {
		s.job.Stop() // which reads the whole log
		return
	}
	key := grepKey{e.Snap.Revision, e.Settings.Now, s.pattern}
	if e.Snap.Rows == 0 || key == s.job.Of || !s.job.Lacks(key, func(was, wanted grepKey) bool {
		return was.pattern == wanted.pattern && was.set == wanted.set
	}) {
		return
	}
	snap, texts := e.Snap, e.Texts[0]
	s.job.Start(c, key, job.Once(func(ctx context.Context) (*report.Grep, error) {
		pattern, err := textsearch.Compile(key.pattern)
		if err != nil {
			return nil, err
		}
		if texts == nil {
			return nil, errors.New("the samples of this source cannot be read again, and so not searched")
		}
		g := &report.Grep{Pattern: key.pattern, In: textsearch.Parts()}
		s := textsearch.Search{Pattern: pattern, In: g.In, Most: shownMatches}
		g.Result, err = s.Run(ctx, snap, key.set, analysis.ReadTextsOf(texts))
		return g, err
	}))
}

// Find has the samples found whose texts match a pattern.
func (s *View) Find(pattern string) error {
	if pattern == "" {
		return errors.New("grep takes a pattern: grep Wait,")
	}
	if _, err := textsearch.Compile(pattern); err != nil {
		return err
	}
	s.pattern, s.cursor = pattern, 0
	return nil
}

// Rows makes it a list.
func (s *View) Rows(env.Env) (*int, int) { return &s.cursor, len(s.matches()) }

// OpenRow goes to the sample.
func (s *View) OpenRow(e env.Env) view.Want { return s.open(e) }

// Explains returns the metrics of a sample.
func (*View) Explains(env.Env) glossary.List {
	return glossary.List{}.At(figures.Sample, "reward", "proc")
}

// Keys of the matches.
func (*View) Keys() view.Section {
	return view.Section{Name: "matches", Bindings: append(view.ListKeys("j k move"),
		view.Binding{Keys: []string{"enter"}, Label: "⏎", Hint: "Enter open", Doc: "the sample", Do: view.Key((*View).open)},
		view.Binding{Keys: []string{"esc"}, Label: "Esc", Hint: "Esc back", Doc: "back", Do: view.Ask(view.Escape{})})}
}

// matches are the rows of the list, of the pattern that was asked for.
func (s View) matches() []textsearch.Match {
	if g := s.job.Value; g != nil && g.Result != nil && s.job.Of.pattern == s.pattern {
		return g.Matches
	}
	return nil
}

func (s *View) open(env.Env) view.Want {
	all := s.matches()
	if len(all) == 0 {
		return nil
	}
	m := all[pane.ClampIndex(s.cursor, len(all))]
	return view.GoTo(env.Destination{Step: m.Step, Group: m.Group, Sample: m.Sample})
}

// Draw draws the matches.
func (s *View) Draw(e env.Env, w, h int) []string {
	inner := w - 3
	c := pane.Content{Title: " grep " + sanitize.Line(s.pattern) + " — samples whose answer, prompt or truth matches, over all steps"}
	g, err := s.job.Value, s.job.Err
	if s.job.Of.pattern != s.pattern || g == nil || err != nil {
		text := "reading the texts of all samples …"
		if err != nil && s.job.Of.pattern == s.pattern {
			text = err.Error()
		}
		return e.Display.Waiting(c.Title, text, w, h)
	}
	c.Lines = e.Display.FactLines(report.GrepFacts(g), inner)
	if len(g.Matches) == 0 {
		return e.Display.Box(layout.Rect{W: w, H: h}, true, c)
	}
	e.Display.AddTable(&c, pane.OnRow, s.cursor, len(g.Matches), inner, h-3-len(c.Lines), func(from, to int) []string {
		window := *g.Result
		window.Matches = g.Matches[from:to]
		return report.GrepLines(&report.Grep{Result: &window}, inner)
	})
	if c.Note = fmt.Sprintf("%d/%d", min(s.cursor+1, len(g.Matches)), len(g.Matches)); g.With.Samples > len(g.Matches) {
		c.Note += ", the first matches"
	}
	return e.Display.Box(layout.Rect{W: w, H: h}, true, c)
}

// Exported returns the matches.
func (s *View) Exported(env.Env) report.Table {
	if len(s.matches()) == 0 {
		return report.Table{}
	}
	return report.GrepTable(s.job.Value)
}

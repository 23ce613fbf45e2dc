package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/report"
	"vantage/model/sanitize"
	"vantage/model/textsearch"
	"vantage/tui/layout"
)

// grepState is the state of the view of the samples that match a pattern.
type grepState struct {
	job     job[grepKey, *report.Grep]
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

// update searches while the view is open.
func (s *grepState) update(e env, open bool, c *commands, msg tea.Msg) {
	if s.job.take(c, msg) {
		s.cursor = clampIndex(s.cursor, len(s.matches()))
	}
	if !open {
		s.job.stop() // which reads the whole log
		return
	}
	key := grepKey{e.snap.Revision, e.settings.now, s.pattern}
	if e.snap.Rows == 0 || key == s.job.of || !s.job.lacks(key, func(was, wanted grepKey) bool { return was.pattern == wanted.pattern && was.set == wanted.set }) {
		return
	}
	snap, texts := e.snap, e.texts[0]
	s.job.start(c, key, once(func(ctx context.Context) (*report.Grep, error) {
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

// runGrep opens the view of the samples whose texts match a pattern.
func runGrep(a App, args []string) (App, error) {
	text := strings.Join(args, " ")
	if text == "" {
		return a, errors.New("grep takes a pattern: grep Wait,")
	}
	if _, err := textsearch.Compile(text); err != nil {
		return a, err
	}
	a.views.grep.pattern, a.views.grep.cursor = text, 0
	return a.pushView(viewGrep), nil
}

func grepKeys() keySection {
	return keySection{"matches", append(listKeys("j k move", onMatch),
		binding{[]string{"enter"}, "⏎", "Enter open", "the sample", within(grepOf, (*grepState).open)},
		binding{[]string{"esc"}, "Esc", "Esc back", "back", App.escape})}
}

// matches are the rows of the list, of the pattern that was asked for.
func (s grepState) matches() []textsearch.Match {
	if g := s.job.value; g != nil && g.Result != nil && s.job.of.pattern == s.pattern {
		return g.Matches
	}
	return nil
}

func (s *grepState) open(env) action {
	all := s.matches()
	if len(all) == 0 {
		return nil
	}
	m := all[clampIndex(s.cursor, len(all))]
	return going(destination{step: m.Step, group: m.Group, sample: m.Sample})
}

func (s grepState) view(e env, w, h int) []string {
	inner := w - 3
	c := paneContent{title: " grep " + sanitize.Line(s.pattern) + " — samples whose answer, prompt or truth matches, over all steps"}
	g, err := s.job.value, s.job.err
	if s.job.of.pattern != s.pattern || g == nil || err != nil {
		text := "reading the texts of all samples …"
		if err != nil && s.job.of.pattern == s.pattern {
			text = err.Error()
		}
		return e.display.waiting(c.title, text, w, h)
	}
	c.lines = e.display.factLines(report.GrepFacts(g), inner)
	if len(g.Matches) == 0 {
		return e.display.box(layout.Rect{W: w, H: h}, true, c)
	}
	e.display.addTable(&c, onMatch, s.cursor, len(g.Matches), inner, h-3-len(c.lines), func(from, to int) []string {
		window := *g.Result
		window.Matches = g.Matches[from:to]
		return report.GrepLines(&report.Grep{Result: &window}, inner)
	})
	if c.note = fmt.Sprintf("%d/%d", min(s.cursor+1, len(g.Matches)), len(g.Matches)); g.With.Samples > len(g.Matches) {
		c.note += ", the first matches"
	}
	return e.display.box(layout.Rect{W: w, H: h}, true, c)
}

func (s grepState) exported() report.Table {
	if len(s.matches()) == 0 {
		return report.Table{}
	}
	return report.GrepTable(s.job.value)
}

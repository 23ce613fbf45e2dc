// Package breakdown is the view of who pays: signal, push and tokens of each part of the samples.
package breakdown

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/analysis"
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

// View is the state of the view of who pays.
type View struct {
	by      string    // what divides the samples, "" for the first of analysis.PartKinds
	Scope   env.Scope // of which steps, up to the one on the screen
	topLine int       // the first in sight

	Job job.Job[Key, *report.Breakdown]
}

// Key is all that the figures depend on.
type Key struct {
	by, filter string
	Analysis   *analysis.Analysis // of these steps, if they are on the screen; else nil
	scope      env.Scope          // else the steps, of all of them the last one, and the revision of the snapshot
	end        int64
	revision   int
	set        model.Settings
}

// isOlder reports whether only rows came since a request.
func (r Key) isOlder(wanted Key) bool {
	if (r.Analysis == nil) != (wanted.Analysis == nil) || r.Analysis != nil && r.Analysis.Step != wanted.Analysis.Step {
		return false
	}
	r.revision, r.Analysis = wanted.revision, wanted.Analysis
	return r == wanted
}

// Work requests the figures while their view is open. A request that is left is cancelled, since it would keep its
// analysis in memory; the figures stay.
func (s *View) Work(e env.Env, open bool, c *job.Queue, msg tea.Msg) {
	if s.Job.Take(c, msg) {
		s.topLine = pane.ClampIndex(s.topLine, s.count(e))
	}
	if !open || e.Result.Analysis == nil {
		s.Job.Stop()
		return
	}
	key := s.wanted(e)
	if !s.Job.Lacks(key, Key.isOlder) {
		return
	}
	snap := e.Snap
	if key.Analysis == nil {
		snap = snap.Only(key.scope.StepsOf(snap, e.StepIndex()))
	}
	s.Job.Start(c, key, divide(key, snap, e.Texts[0]))
}

// wanted returns the request of the figures that belong on the screen. Those of all steps are of
// each of them, even if only some are on the overview.
func (s View) wanted(e env.Env) Key {
	r := Key{by: s.dividedBy(), filter: e.Settings.Filter, set: e.Settings.Now}
	switch {
	case s.Scope.Kind == env.ScopeStep:
		r.Analysis = e.Result.Analysis.Last()
	case s.Scope == e.Place.Scope.Scope && e.Result.Every == 1:
		r.Analysis = e.Result.Analysis
	default:
		r.scope, r.end, r.revision = s.Scope, e.Place.Step, e.Snap.Revision
	}
	return r
}

// errNoTexts says that a column of the log cannot be read.
var errNoTexts = errors.New("the samples of this source cannot be read again; difficulty, length, fate, step and numeric columns do " +
	"not need it")

func divide(r Key, snap model.Snapshot, source env.TextReader) job.Work[*report.Breakdown] {
	read := func(context.Context, model.Place) (model.Text, error) { return model.Text{}, errNoTexts }
	if source != nil {
		read = source.Text
	}
	return job.Once(func(ctx context.Context) (*report.Breakdown, error) {
		b := report.Breakdown{By: r.by, Where: r.filter, Settings: r.set.Effective(), Unit: snap.Run.LengthUnit}
		where, err := figures.ParseQuery(r.filter)
		add := func(a *analysis.Analysis) error { return cmp.Or(b.Add(ctx, a, where, read), ctx.Err()) }
		switch {
		case err != nil:
		case r.Analysis != nil:
			for _, part := range r.Analysis.Parts() {
				if err == nil {
					err = add(part)
				}
			}
		default:
			err = analysis.Each(ctx, snap, r.set, add)
		}
		b.Sort()
		return &b, err
	})
}

// Rows makes the text a list.
func (s *View) Rows(e env.Env) (*int, int) { return &s.topLine, s.count(e) }

// OnOpen goes to the top.
func (s *View) OnOpen(env.Env) { s.topLine = 0 }

// Keys of the view.
func (*View) Keys() view.Section {
	return view.Section{Name: "breakdown", Bindings: append(view.ListKeys("j k scroll"),
		view.Binding{
			Keys: []string{"l", "right", "v"}, Label: "→", Hint: "← → by",
			Doc: "break down by the next: difficulty, length, fate, step, numeric columns",
			Do:  view.By((*View).move, 1),
		},
		view.Binding{Keys: []string{"h", "left"}, Label: "←", Doc: "break down by the previous", Do: view.By((*View).move, -1)},
		view.Binding{
			Keys: []string{">"}, Label: ">", Hint: "< > steps",
			Doc: "of more steps: this one, the last 10, all",
			Do:  view.By((*View).moveScope, 1),
		},
		view.Binding{Keys: []string{"<"}, Label: "<", Doc: "of fewer steps", Do: view.By((*View).moveScope, -1)},
		view.Binding{Keys: []string{"esc"}, Label: "Esc", Hint: "Esc back", Doc: "back", Do: view.Ask(view.Escape{})})}
}

// DivideBy has the samples divided by something else: by step, of more than one.
func (s *View) DivideBy(by string) {
	if s.by = by; by == "step" && s.Scope.Kind == env.ScopeStep {
		s.Scope.Kind = env.ScopeAll
	}
}

// PartNames returns what the samples can be divided by as far as it is known without reading the log.
func PartNames(e env.Env) []string { return append(analysis.PartKinds(), e.RewardNames()...) }

func (s View) dividedBy() string { return cmp.Or(s.by, analysis.PartKinds()[0]) }

func (s *View) move(e env.Env, by int) view.Want {
	all, now := PartNames(e), s.dividedBy()
	if !slices.Contains(all, now) {
		all = append(all, now)
	}
	s.by, s.topLine = all[(slices.Index(all, now)+by+len(all))%len(all)], 0
	return nil
}

func (s *View) moveScope(_ env.Env, by int) view.Want {
	all := []env.ScopeKind{env.ScopeStep, env.ScopeLast, env.ScopeAll}
	switch to := slices.Index(all, s.Scope.Kind) + by; {
	case to < 0:
		return view.Say("one step is divided: > divides more")
	case to >= len(all):
		return view.Say("all steps are divided: < divides fewer")
	default:
		s.Scope, s.topLine = env.Scope{Kind: all[to], Last: s.Scope.LastSteps()}, 0
		return nil
	}
}

// Draw draws the parts.
func (s *View) Draw(e env.Env, w, h int) []string {
	lines := s.lines(e, w-3)
	c := pane.Content{Title: " breakdown by " + sanitize.Line(s.dividedBy()) + " — " + s.inWords(e)}.ScrolledTo(s.topLine, lines, h)
	return e.Display.Box(layout.Rect{W: w, H: h}, true, c)
}

// inWords says of which samples the figures are.
func (s View) inWords(e env.Env) string {
	scope := fmt.Sprintf("step %d", e.Result.Analysis.Step)
	switch s.Scope.Kind {
	case env.ScopeLast:
		if steps := s.Scope.StepsOf(e.Snap, e.StepIndex()); len(steps) > 1 {
			scope = fmt.Sprintf("steps %d-%d", steps[0].Number, steps[len(steps)-1].Number)
		}
	case env.ScopeAll:
		scope = "all " + units.Plural(len(e.Snap.Steps), "steps")
	default:
	}
	if e.Settings.Filter != "" {
		scope += ", where " + sanitize.Line(e.Settings.Filter)
	}
	if s.Job.Busy() && s.Job.Value != nil {
		scope += " …"
	}
	return scope
}

// lines returns the lines of the view, w cells of text each. Figures by something else than what
// is asked for are not shown while those are computed.
func (s View) lines(e env.Env, w int) []string {
	t, by, b := e.Display.Theme, s.dividedBy(), s.Job.Value
	message := func(text string) []string {
		return append([]string{""}, e.Display.Wrapped(" ", themes.Dim, sanitize.Line(text), min(w-2, pane.MaxProseWidth))...)
	}
	switch err := s.Job.Err; {
	case err != nil && !s.Job.Busy():
		return message("by " + by + ": " + err.Error() + view.DidYouMean(by, PartNames(e)))
	case b == nil || b.By != by:
		return message("computing the breakdown …")
	case b.Parts.All.Samples == 0:
		return message("no samples match " + e.Settings.Filter + " — / on the overview changes the filter")
	}
	name := min(28, max(breakdownNameWidth, w-90))
	var lines []string
	for i, line := range b.Lines(w - name - 1) {
		text := cells.Fit(" "+cells.Fit(line.Name, name)+line.Figures, w)
		if isHead := i == 0; isHead || i == len(b.Parts.Parts)+1 {
			text = t.Paint(themes.Dim, text)
		}
		lines = append(lines, text)
	}
	lines = append(lines, message(b.Legend())...)
	return lines
}

func (s View) count(e env.Env) int {
	return e.Display.FirstLines(len(s.lines(e, e.Display.W-3)))
}

// breakdownNameWidth has room for the longest of the names that are not the log's.
const breakdownNameWidth = 17

// Exported returns the parts.
func (s *View) Exported(env.Env) report.Table {
	if s.Job.Value == nil {
		return report.Table{}
	}
	return s.Job.Value.Table()
}

// Explains returns the figures of the columns, for the help.
func (s *View) Explains(env.Env) glossary.List {
	l := glossary.List{}.At(figures.Parts, s.dividedBy())
	if s.Job.Value != nil {
		l = l.At(figures.Parts, s.Job.Value.Columns()...)
	}
	return l
}

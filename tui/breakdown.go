package tui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

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
	"vantage/tui/job"
	"vantage/tui/layout"
	"vantage/tui/pane"
)

// breakdownState is the state of the view of who pays.
type breakdownState struct {
	by      string    // what divides the samples, "" for the first of analysis.PartKinds
	scope   env.Scope // of which steps, up to the one on the screen
	topLine int       // the first in sight

	job job.Job[breakdownKey, *report.Breakdown]
}

// breakdownKey is all that the figures depend on.
type breakdownKey struct {
	by, filter string
	analysis   *analysis.Analysis // of these steps, if they are on the screen; else nil
	scope      env.Scope          // else the steps, of all of them the last one, and the revision of the snapshot
	end        int64
	revision   int
	set        model.Settings
}

// isOlder reports whether only rows came since a request.
func (r breakdownKey) isOlder(wanted breakdownKey) bool {
	if (r.analysis == nil) != (wanted.analysis == nil) || r.analysis != nil && r.analysis.Step != wanted.analysis.Step {
		return false
	}
	r.revision, r.analysis = wanted.revision, wanted.analysis
	return r == wanted
}

// update requests the figures while their view is open. A request that is left is cancelled, since it would keep its
// analysis in memory; the figures stay.
func (s *breakdownState) update(e env.Env, open bool, c *job.Queue, msg tea.Msg) {
	if s.job.Take(c, msg) {
		s.topLine = pane.ClampIndex(s.topLine, s.count(e))
	}
	if !open || e.Result.Analysis == nil {
		s.job.Stop()
		return
	}
	key := s.wanted(e)
	if !s.job.Lacks(key, breakdownKey.isOlder) {
		return
	}
	snap := e.Snap
	if key.analysis == nil {
		snap = snap.Only(key.scope.StepsOf(snap, e.StepIndex()))
	}
	s.job.Start(c, key, divide(key, snap, e.Texts[0]))
}

// wanted returns the request of the figures that belong on the screen. Those of all steps are of
// each of them, even if only some are on the overview.
func (s breakdownState) wanted(e env.Env) breakdownKey {
	r := breakdownKey{by: s.dividedBy(), filter: e.Settings.Filter, set: e.Settings.Now}
	switch {
	case s.scope.Kind == env.ScopeStep:
		r.analysis = e.Result.Analysis.Last()
	case s.scope == e.Place.Scope.Scope && e.Result.Every == 1:
		r.analysis = e.Result.Analysis
	default:
		r.scope, r.end, r.revision = s.scope, e.Place.Step, e.Snap.Revision
	}
	return r
}

// errNoTexts says that a column of the log cannot be read.
var errNoTexts = errors.New("the samples of this source cannot be read again; difficulty, length, fate, step and numeric columns do not need it")

func divide(r breakdownKey, snap model.Snapshot, source env.TextReader) job.Work[*report.Breakdown] {
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
		case r.analysis != nil:
			for _, part := range r.analysis.Parts() {
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

func breakdownKeys() keySection {
	return keySection{"breakdown", append(listKeys("j k scroll", pane.OnParts),
		binding{[]string{"l", "right", "v"}, "→", "← → by", "break down by the next: difficulty, length, fate, step, numeric columns", within(breakdownOf, by((*breakdownState).move, 1))},
		binding{[]string{"h", "left"}, "←", "", "break down by the previous", within(breakdownOf, by((*breakdownState).move, -1))},
		binding{[]string{"tab"}, "Tab", "Tab steps", "of this step, the last 10 or all", within(breakdownOf, (*breakdownState).nextScope)},
		binding{[]string{"esc"}, "Esc", "Esc back", "back", App.escape})}
}

func (a App) openBreakdown() App {
	a.views.breakdown.topLine = 0
	return a.pushView(viewBreakdown)
}

func runBy(a App, args []string) (App, error) {
	b := &a.views.breakdown
	if len(args) == 0 {
		return a, fmt.Errorf("by takes %s, or a column of the log", strings.Join(analysis.PartKinds(), ", "))
	}
	if b.by = strings.Join(args, " "); b.by == "step" && b.scope.Kind == env.ScopeStep {
		b.scope.Kind = env.ScopeAll
	}
	return a.openBreakdown(), nil
}

// partNames returns what the samples can be divided by as far as it is known without reading the log.
func partNames(e env.Env) []string { return append(analysis.PartKinds(), e.RewardNames()...) }

func (s breakdownState) dividedBy() string { return cmp.Or(s.by, analysis.PartKinds()[0]) }

func (s *breakdownState) move(e env.Env, by int) action {
	all, now := partNames(e), s.dividedBy()
	if !slices.Contains(all, now) {
		all = append(all, now)
	}
	s.by, s.topLine = all[(slices.Index(all, now)+by+len(all))%len(all)], 0
	return nil
}

func (s *breakdownState) nextScope(env.Env) action {
	next := map[env.ScopeKind]env.ScopeKind{env.ScopeStep: env.ScopeLast, env.ScopeLast: env.ScopeAll, env.ScopeAll: env.ScopeStep}
	s.scope, s.topLine = env.Scope{Kind: next[s.scope.Kind], Last: s.scope.LastSteps()}, 0
	return nil
}

func (s breakdownState) view(e env.Env, w, h int) []string {
	lines := s.lines(e, w-3)
	c := pane.Content{Title: " breakdown by " + sanitize.Line(s.dividedBy()) + " — " + s.inWords(e)}.ScrolledTo(s.topLine, lines, h)
	return e.Display.Box(layout.Rect{W: w, H: h}, true, c)
}

// inWords says of which samples the figures are.
func (s breakdownState) inWords(e env.Env) string {
	scope := fmt.Sprintf("step %d", e.Result.Analysis.Step)
	switch s.scope.Kind {
	case env.ScopeLast:
		if steps := s.scope.StepsOf(e.Snap, e.StepIndex()); len(steps) > 1 {
			scope = fmt.Sprintf("steps %d-%d", steps[0].Number, steps[len(steps)-1].Number)
		}
	case env.ScopeAll:
		scope = "all " + units.Plural(len(e.Snap.Steps), "steps")
	default:
	}
	if e.Settings.Filter != "" {
		scope += ", where " + sanitize.Line(e.Settings.Filter)
	}
	if s.job.Busy() && s.job.Value != nil {
		scope += " …"
	}
	return scope
}

// lines returns the lines of the view, w cells of text each. Figures by something else than what
// is asked for are not shown while those are computed.
func (s breakdownState) lines(e env.Env, w int) []string {
	t, by, b := e.Display.Theme, s.dividedBy(), s.job.Value
	message := func(text string) []string {
		return append([]string{""}, e.Display.Wrapped(" ", themes.Dim, sanitize.Line(text), min(w-2, pane.MaxProseWidth))...)
	}
	switch err := s.job.Err; {
	case err != nil && !s.job.Busy():
		return message("by " + by + ": " + err.Error() + didYouMean(by, partNames(e)))
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

func (s breakdownState) count(e env.Env) int {
	return e.Display.FirstLines(len(s.lines(e, e.Display.W-3)))
}

// breakdownNameWidth has room for the longest of the names that are not the log's.
const breakdownNameWidth = 17

func (s breakdownState) exported() report.Table {
	if s.job.Value == nil {
		return report.Table{}
	}
	return s.job.Value.Table()
}

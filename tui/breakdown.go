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
	"vantage/tui/layout"
)

// breakdownState is the state of the view of who pays.
type breakdownState struct {
	by      string // what divides the samples, "" for the first of analysis.PartKinds
	scope   scope  // of which steps, up to the one on the screen
	topLine int    // the first in sight

	job job[breakdownKey, *report.Breakdown]
}

// breakdownKey is all that the figures depend on.
type breakdownKey struct {
	by, filter string
	analysis   *analysis.Analysis // of these steps, if they are on the screen; else nil
	scope      scope              // else the steps, of all of them the last one, and the revision of the snapshot
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

// updateBreakdown requests the figures while their view is open. A request that is left is cancelled, since it would keep its
// analysis in memory; the figures stay.
func (a App) updateBreakdown(msg tea.Msg) App {
	if a.breakdown.job.take(&a.commands, msg) {
		a = a.moveRow(onParts, 0)
	}
	if a.position.view != viewBreakdown || a.result.analysis == nil {
		a.breakdown.job.stop()
		return a
	}
	key := a.wantedBreakdown()
	if !a.breakdown.job.lacks(key, breakdownKey.isOlder) {
		return a
	}
	snap := a.snap
	if key.analysis == nil {
		snap = snap.Only(key.scope.stepsOf(snap, a.stepIndex()))
	}
	a.breakdown.job.start(&a.commands, key, divide(key, snap, a.texts[0]))
	return a
}

// wantedBreakdown returns the request of the figures that belong on the screen. Those of all steps are of
// each of them, even if only some are on the overview.
func (a App) wantedBreakdown() breakdownKey {
	r := breakdownKey{by: a.breakdown.dividedBy(), filter: a.settings.filter, set: a.settings.now}
	switch s := a.breakdown.scope; {
	case s.kind == scopeStep:
		r.analysis = a.result.analysis.Last()
	case s == a.place.scope.scope && a.result.every == 1:
		r.analysis = a.result.analysis
	default:
		r.scope, r.end, r.revision = s, a.place.step, a.snap.Revision
	}
	return r
}

// errNoTexts says that a column of the log cannot be read.
var errNoTexts = errors.New("the samples of this source cannot be read again; difficulty, length, fate, step and numeric columns do not need it")

func divide(r breakdownKey, snap model.Snapshot, source TextReader) work[*report.Breakdown] {
	read := func(context.Context, model.Place) (model.Text, error) { return model.Text{}, errNoTexts }
	if source != nil {
		read = source.Text
	}
	return once(func(ctx context.Context) (*report.Breakdown, error) {
		b := report.Breakdown{By: r.by, Where: r.filter, Settings: r.set.Effective()}
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
	return keySection{"breakdown", append(listKeys("j k scroll", onParts),
		binding{[]string{"l", "right", "v"}, "→", "← → by", "break down by the next: difficulty, length, fate, step, numeric columns", move(App.moveBreakdown, 1)},
		binding{[]string{"h", "left"}, "←", "", "break down by the previous", move(App.moveBreakdown, -1)},
		binding{[]string{"tab"}, "Tab", "Tab steps", "of this step, the last 10 or all", App.nextBreakdownScope},
		binding{[]string{"esc"}, "Esc", "Esc back", "back", App.escape})}
}

func (a App) openBreakdown() App {
	a.breakdown.topLine = 0
	return a.pushView(viewBreakdown)
}

func runBy(a App, args []string) (App, error) {
	b := &a.breakdown
	if len(args) == 0 {
		return a, fmt.Errorf("by takes %s, or a column of the log", strings.Join(analysis.PartKinds(), ", "))
	}
	if b.by = strings.Join(args, " "); b.by == "step" && b.scope.kind == scopeStep {
		b.scope.kind = scopeAll
	}
	return a.openBreakdown(), nil
}

// partNames returns what the samples can be divided by as far as it is known without reading the log.
func (a App) partNames() []string { return append(analysis.PartKinds(), a.rewardNames()...) }

func (s breakdownState) dividedBy() string { return cmp.Or(s.by, analysis.PartKinds()[0]) }

func (a App) moveBreakdown(by int) App {
	all, now := a.partNames(), a.breakdown.dividedBy()
	if !slices.Contains(all, now) {
		all = append(all, now)
	}
	a.breakdown.by, a.breakdown.topLine = all[(slices.Index(all, now)+by+len(all))%len(all)], 0
	return a
}

func (a App) nextBreakdownScope() App {
	b := &a.breakdown
	next := map[scopeKind]scopeKind{scopeStep: scopeLast, scopeLast: scopeAll, scopeAll: scopeStep}
	b.scope, b.topLine = scope{kind: next[b.scope.kind], last: b.scope.lastSteps()}, 0
	return a
}

func (a App) breakdownView(w, h int) []string {
	lines := a.breakdownLines(w - 3)
	c := paneContent{title: " breakdown by " + sanitize.Line(a.breakdown.dividedBy()) + " — " + a.breakdownScope()}.scrolledTo(a.breakdown.topLine, lines, h)
	return a.box(layout.Rect{W: w, H: h}, true, c)
}

// breakdownScope says of which samples the figures are.
func (a App) breakdownScope() string {
	scope := fmt.Sprintf("step %d", a.result.analysis.Step)
	switch a.breakdown.scope.kind {
	case scopeLast:
		if steps := a.breakdown.scope.stepsOf(a.snap, a.stepIndex()); len(steps) > 1 {
			scope = fmt.Sprintf("steps %d-%d", steps[0].Number, steps[len(steps)-1].Number)
		}
	case scopeAll:
		scope = "all " + units.Plural(len(a.snap.Steps), "steps")
	default:
	}
	if a.settings.filter != "" {
		scope += ", where " + sanitize.Line(a.settings.filter)
	}
	if a.breakdown.job.busy() && a.breakdown.job.value != nil {
		scope += " …"
	}
	return scope
}

// breakdownLines returns the lines of the view, w cells of text each. Figures by something else than what
// is asked for are not shown while those are computed.
func (a App) breakdownLines(w int) []string {
	t, by, b := a.display.theme, a.breakdown.dividedBy(), a.breakdown.job.value
	message := func(text string) []string {
		return append([]string{""}, a.wrapped(" ", themes.Dim, sanitize.Line(text), min(w-2, maxProseWidth))...)
	}
	switch err := a.breakdown.job.err; {
	case err != nil && !a.breakdown.job.busy():
		return message("by " + by + ": " + err.Error() + didYouMean(by, a.partNames()))
	case b == nil || b.By != by:
		return message("computing the breakdown …")
	case b.Parts.All.Samples == 0:
		return message("no samples match " + a.settings.filter + " — / on the overview changes the filter")
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
	lines = append(lines, message(report.BreakdownLegend)...)
	return lines
}

// breakdownNameWidth has room for the longest of the names that are not the log's.
const breakdownNameWidth = 17

func (a App) exportedBreakdown() report.Table {
	if a.breakdown.job.value == nil {
		return report.Table{}
	}
	return a.breakdown.job.value.Table()
}

package tui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/glance"
	"vantage/model/report"
	"vantage/model/sweep"
)

// glanceState is the state of the view of the run at a glance.
type glanceState struct {
	job    job[glanceKey, runGlance]
	cursor int // row of the worst steps

	firstViewChosen bool // a log that does not grow has had its chance to open the view
	opened          bool // a step of it is on the screen: Esc leads back
}

// glanceKey is all that the run at a glance depends on.
type glanceKey struct {
	trend *analysis.Trend
	alike int // how many steps were read
}

// runGlance is the run at a glance.
type runGlance struct {
	glance *glance.Glance
	ratios string // what keep ratios to set, and what that costs; "" while it is computed
}

func glanceKeys() keySection {
	return keySection{"run at a glance", append(listKeys("j k step", onWorstStep),
		binding{[]string{"enter"}, "⏎", "Enter open", "to the step under the cursor, the first of several; Esc leads back", App.openWorstStep},
		binding{[]string{"esc", "1"}, "Esc 1", "1 groups", "to the groups of the step", App.showGroups},
	)}
}

// openGlance opens the view of the run at a glance.
func (a App) openGlance() App {
	a.glance.opened = false
	if a.position.view == viewGlance {
		a.notice = "this is the run at a glance: 1 shows the groups of the step, Enter those of the step under the cursor"
		return a
	}
	return a.pushView(viewGlance)
}

func (a App) worstSpans() []glance.Span {
	if g := a.glance.job.value.glance; g != nil {
		return g.Spans
	}
	return nil
}

// openWorstStep goes to the step under the cursor.
func (a App) openWorstStep() App {
	g := a.glance.job.value.glance
	if g == nil || a.glance.cursor >= len(g.Spans) {
		return a.showGroups()
	}
	i, found := a.snap.Find(g.Spans[a.glance.cursor].From)
	if !found {
		return a
	}
	a = a.showGroups()
	a.glance.opened = true
	return a.showStep(i)
}

// keysBelowGlance returns the keys that the run at a glance has besides its own: those of the overview and of
// steps lead to the overview and do there what they do.
func keysBelowGlance() []keySection {
	sections := append([]keySection{overviewKeys()}, commonKeys()...)
	for i, s := range sections {
		if s.name == "overview" || s.name == "steps" {
			sections[i] = leavingGlance(s)
		}
	}
	return sections
}

func leavingGlance(s keySection) keySection {
	leaving := keySection{name: s.name}
	for _, b := range s.bindings {
		act := b.action
		b.hint, b.action = "", func(a App) App {
			return act(a.showGroups())
		}
		leaving.bindings = append(leaving.bindings, b)
	}
	return leaving
}

// chooseFirstView opens the run at a glance if the log does not grow, once it is known: nothing was written
// for longer than between two steps, or the source has ended. What the person opened or typed before stays.
func (a App) chooseFirstView() App {
	p := a.snap.Run.Progress
	if a.glance.firstViewChosen || len(a.snap.Steps) == 0 || !a.sourceState.ended && !p.CaughtUp && p.BytesAll == 0 {
		return a
	}
	a.glance.firstViewChosen = true
	grows := !a.sourceState.ended && p.Freshness(a.sourceState.lastChunk) == model.Live
	if !grows && a.position.view == viewOverview {
		a.position.view = viewGlance
	}
	return a
}

// updateGlance requests the run at a glance while it is on the screen, if the trend has changed or answers were read. The cursor
// stays on its step.
func (a App) updateGlance(msg tea.Msg) App {
	selected, isAnswer := int64(-1), false
	if g := a.glance.job.value.glance; g != nil && a.glance.cursor > 0 && a.glance.cursor < len(g.Spans) {
		selected = g.Spans[a.glance.cursor].From
	}
	if a.glance.job, _, isAnswer = a.glance.job.take(msg); isAnswer {
		a.glance.cursor = max(0, slices.IndexFunc(a.glance.job.value.glance.Spans, func(s glance.Span) bool { return s.From <= selected && selected <= s.To }))
	}
	key := glanceKey{a.result.trend, len(a.alike.known)}
	if a.position.view != viewGlance || key.trend == nil || !a.glance.job.lacks(key, inTurn) {
		return a
	}
	changed := key.trend != a.glance.job.key.trend
	alike, snap, set, known := a.alikeSteps(), a.snap, a.settings.now, a.glance.job.value.ratios
	var cmd tea.Cmd
	a.glance.job, cmd = a.glance.job.start(a.ctx, key, once(func(ctx context.Context) (runGlance, error) {
		x := runGlance{glance.Of(key.trend, alike, snap.Run.LengthUnit), known}
		if changed && key.trend.Complete() {
			x.ratios = ratiosToSet(ctx, snap, set)
		}
		return x, nil
	}))
	return a.starts(cmd)
}

// maxRatioSamples bounds the newest steps that say which keep ratios to set.
const maxRatioSamples = 1 << 16

// ratiosToSet says which keep ratios suit the usual goal on the newest steps, and what they cost; "" if that
// is not known.
func ratiosToSet(ctx context.Context, snap model.Snapshot, set model.Settings) string {
	recompute := set.Recompute
	set.KeepPos, set.KeepNeg, set.Recompute = 1, 1, false
	entry, err := set.FindEstimator()
	if err != nil || !entry.TrainerFilters {
		return fmt.Sprintf("none: %s has no keep ratios; :framework easyr1 shows what they would do", set.Framework)
	}
	grid, err := sweep.New(set, sweep.DefaultRatios())
	if err != nil {
		return ""
	}
	var steps []int
	for i, samples := len(snap.Steps)-1, 0; i >= 0 && (samples == 0 || samples+len(snap.Steps[i].Rewards) <= maxRatioSamples); i-- {
		if !snap.Open(i) {
			steps, samples = append(steps, i), samples+len(snap.Steps[i].Rewards)
		}
	}
	if grid, err = grid.WithSteps(ctx, snap, steps, nil); err != nil {
		return ""
	}
	best := grid.Recommend(sweep.DefaultGoal(), recompute)
	if best.Cell == nil {
		return best.Reason
	}
	text := "best for signal: " + best.Cell.Sentence()
	if len(steps) < len(snap.Steps) {
		text += fmt.Sprintf(" (newest %d steps)", len(steps))
	}
	return text
}

// exportedGlance returns the worst steps.
func (a App) exportedGlance() report.Table {
	s := report.Table{Title: "worst steps", Columns: []string{"from", "to", "cause", "groups", "signal_groups", "samples", "nonzero_samples"}}
	if g := a.glance.job.value.glance; g != nil {
		for i := range g.Spans {
			x := &g.Spans[i]
			s.Rows = append(s.Rows, []any{x.From, x.To, x.Cause, x.Groups, x.Signal, x.Rows, x.Nonzero})
		}
	}
	return s
}

// glanceProgress says how many steps are computed, "" if all are.
func glanceProgress(g *glance.Glance) string {
	if g.Pending == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d steps so far", g.Steps-g.Pending, g.Steps)
}

// growingSteps says which steps are still being written, "" if none is.
func growingSteps(g *glance.Glance) string {
	var names []string
	for _, n := range g.Open {
		names = append(names, fmt.Sprint(n))
	}
	if len(names) == 0 {
		return ""
	}
	return "step " + strings.Join(names, ", ") + " is still being written and not judged"
}

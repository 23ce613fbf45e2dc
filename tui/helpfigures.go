package tui

import (
	"regexp"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"vantage/model/figures"
	"vantage/tui/glossary"
	"vantage/tui/pane"
	"vantage/tui/samples"
	"vantage/tui/trend"
	"vantage/tui/view"
)

// figuresUnderCursor returns the figures of the row, cell or pane that has the cursor, the most telling first.
func (a App) figuresUnderCursor() glossary.List {
	if a.env.Result.Analysis == nil {
		return nil
	}
	switch a.position.view {
	case view.Group:
		return samples.FiguresOfSample(a.env)
	case view.Steps:
		l := glossary.List{}.At(figures.Metrics, a.views.steps.DrawnMetric(a.env), a.views.steps.Second)
		return l.At(figures.Step, "step", "samples", "groups", "reward", "signal", "train", "kept", "Σ|A|", "flips")
	case view.Figures:
		names := trend.MetricNames(a.env)
		return glossary.List{}.At(figures.Metrics, names[pane.ClampIndex(a.views.steps.Figures.Cursor, len(names)):]...)
	case view.Compare:
		return glossary.List{}.At(figures.Compare, "baseline", "candidate", "Δ", "samples", "wins", "win rate", "p", "mean Δ", "±",
			"prompts")
	case view.Answers:
		return glossary.List{}.At(figures.Compare, "baseline", "candidate", "Δ").At(figures.Sample, "reward", "tokens")
	case view.GroupSize:
		return glossary.List{}.At(figures.Sizes, "size", "dead", "range", "all wrong", "all correct", "cost", "a")
	case view.Prompts, view.PromptFilter, view.Grep:
		return glossary.List{}.At(figures.Prompt, "state", "seen", "rate", "reward", "trend", "±", "signal", "sum_abs", "tokens", "per_1k",
			"last_step").At(
			figures.Sample, "reward", "proc",
		)
	case view.Sweep, view.Chain, view.OffPolicy, view.Breakdown:
		return a.viewOpen().(explained).Figures()
	case view.Glance:
		return glossary.List{}.At(figures.Step, "samples", "train", "groups", "signal", "Σ|A|", "flips")
	case view.Finding:
		return a.views.panes.FiguresOfGroup(a.env)
	case view.Overview, view.Filter:
		return a.views.panes.FiguresUnderCursor(a.env)
	case view.Estimators, view.Search, view.Problems, view.Copy, view.Command, view.FigureList, view.Value:
	}
	return nil
}

// explained is a view that knows its figures.
type explained interface{ Figures() glossary.List }

// figuresOnScreen returns the figures of the glossary whose names are on the screen, in the header or the body,
// without those that are known already.
func (a App) figuresOnScreen(known glossary.List) glossary.List {
	if a.env.Display.IsTooSmall() {
		return nil
	}
	a.overlays.help.Open, a.overlays.notice = false, ""
	text := passAt.ReplaceAllString(ansi.Strip(strings.Join(a.linesAbove(), "\n")), "pass@k")
	var l glossary.List
	if d := a.env.Diagnosis(); d != nil && d.Alarms() == 0 {
		l = l.At(figures.Check, d.Health()) // the header has it
	}
	for _, place := range []figures.Place{figures.Step, figures.Fates, figures.Metrics, figures.Warning, figures.Sweep, figures.Sample} {
		for _, e := range figures.All(place) {
			if glossary.ContainsEntry(known, e) {
				continue
			}
			i := slices.IndexFunc(e.AllNames(), func(name string) bool { return !l.Explains(name) && glossary.Mentions(text, name) })
			if i >= 0 {
				l = l.At(place, e.AllNames()[i])
			}
		}
	}
	return l
}

// passAt matches pass@8, of which the glossary has pass@k.
var passAt = regexp.MustCompile(`pass@\d+`)

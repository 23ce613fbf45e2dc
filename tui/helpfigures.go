package tui

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"vantage/model/analysis"
	"vantage/model/figures"
	"vantage/model/sweep"
)

// figure is a figure on the screen, by the name that it has there.
type figure struct {
	name  string
	entry figures.Entry
}

// figureList collects figures that are shown at a place.
type figureList []figure

// at adds figures of a place by their names. Names that the glossary does not have are left out.
func (l figureList) at(place figures.Place, names ...string) figureList {
	for _, name := range names {
		e, ok := figures.Explain(place, name)
		isThere := slices.ContainsFunc(l, func(f figure) bool { return f.name == name && f.entry.Equal(e) })
		if ok && !isThere {
			l = append(l, figure{name, e})
		}
	}
	return l
}

// figuresUnderCursor returns the figures of the row, cell or pane that has the cursor, the most telling first.
func (a App) figuresUnderCursor() figureList {
	if a.result.analysis == nil {
		return nil
	}
	switch a.view {
	case viewGroup:
		return a.figuresOfSample()
	case viewSteps:
		l := figureList{}.at(figures.Metrics, a.steps.drawnMetric(a.env), a.steps.second)
		return l.at(figures.Step, "step", "samples", "groups", "reward", "signal", a.nonzeroName(), "kept", "Σ|A|", "flips")
	case viewFigures:
		names := a.metricNames()
		return figureList{}.at(figures.Metrics, names[clampIndex(a.steps.figures.cursor, len(names)):]...)
	case viewSweep:
		return a.sweep.figures()
	case viewCompare:
		return figureList{}.at(figures.Compare, "baseline", "candidate", "Δ", "samples", "wins", "win rate", "p", "mean Δ", "±", "prompts")
	case viewAnswers:
		return figureList{}.at(figures.Compare, "baseline", "candidate", "Δ").at(figures.Sample, "reward", "tokens")
	case viewChain:
		return a.chain.figures()
	case viewGroupSize:
		return figureList{}.at(figures.Sizes, "size", "dead", "range", "all wrong", "all correct", "cost", "a")
	case viewPrompts, viewPromptFilter, viewGrep:
		return figureList{}.at(figures.Prompt, "state", "seen", "rate", "reward", "trend", "±", "signal", "sum_abs", "tokens", "per_1k", "last_step").at(figures.Sample, "reward", "proc")
	case viewBreakdown:
		return a.breakdown.figures()
	case viewGlance:
		return figureList{}.at(figures.Step, "samples", a.nonzeroName(), "groups", "signal", "Σ|A|", "flips")
	case viewFinding:
		return a.panes.figuresOfGroup(a.env)
	case viewOverview, viewFilter:
		return paneTable()[a.panes.focus].figures(a.panes, a.env)
	case viewEstimators, viewSearch, viewProblems, viewCopy, viewCommand, viewFigureList, viewValue:
	}
	return nil
}

func (p panes) figuresOfGroup(e env) (l figureList) {
	if g := e.selectedGroup(); g != nil {
		l = l.at(figures.Fates, g.Fate.String())
	}
	return l.at(figures.Group, "kept", "reward", "n", "prompt", "fate")
}

func (p panes) figuresOfWarnings(e env) (l figureList) {
	all := e.warningLines()
	for i := range all {
		l = l.at(figures.Warning, string(all[(p.warning+i)%len(all)].kind))
	}
	return l
}

func (p panes) figuresOfMetrics(e env) (l figureList) {
	if x := e.shownFigures(); x != nil {
		for _, m := range x.Metrics[clampIndex(p.metric, len(x.Metrics)):] {
			l = l.at(figures.Metrics, m.Name)
		}
	}
	return l
}

func (p panes) figuresOfHistogram(e env) figureList {
	if d, ok := p.distribution.chosen(e); ok {
		name, _, _ := strings.Cut(d.name, ",")
		l := figureList{}.at(figures.Sample, strings.TrimSuffix(name, "s"))
		return l.at(figures.Step, "std")
	}
	names := []string{"original", "processed"}
	if e.settings.base.on {
		names = []string{"A baseline", "B candidate"}
	}
	return figureList{}.at(figures.Step, append(names, "std", "at 0", e.nonzeroName(), "flips", "max |A|", "Σ|A|", "ESS")...)
}

func (e env) figuresOfSample() figureList {
	g := e.selectedGroup()
	if g == nil {
		return nil
	}
	l := figureList{}.at(figures.Fates, g.Fate.String())
	for _, column := range e.sampleColumns(g) {
		if name := column.name; column.width == componentWidth && name != "rollout" {
			l = l.at(figures.Sample, "reward component")
		} else {
			l = l.at(figures.Sample, name)
		}
	}
	if g.Flips.Total() > 0 {
		for _, k := range analysis.FlipKinds() {
			l = l.at(figures.Sample, k.Label)
		}
	}
	return l.at(figures.Sample, "drop", "#").at(figures.Group, "kept", "reward", "flips")
}

// figures returns the figure that is on the map, then those of the cell and of the advice.
func (s sweepState) figures() figureList {
	l := figureList{}.at(figures.Sweep, sweep.Figures()[s.figure].Name, "recommended", "on_front", "keep_pos_ratio")
	for _, f := range sweep.Figures() {
		l = l.at(figures.Sweep, f.Name)
	}
	return l.at(figures.Sweep, "Σ|A|", "+ : −")
}

// figures returns the figures of the stage under the cursor, then those of the others.
func (s chainState) figures() figureList {
	stages := [][]string{
		{"reward", "samples", "groups"},
		{"lowered"},
		{"admitted", "refill"},
		{"kept", "Σ|A|"},
		{"A≠0", "signal"},
		{"Σw|A|", "−/+", "dilution", "longest quarter"},
	}
	l := figureList{}.at(figures.Step, stages[s.stage]...)
	for _, names := range stages {
		l = l.at(figures.Step, names...)
	}
	return l
}

func (s breakdownState) figures() figureList {
	l := figureList{}.at(figures.Parts, s.dividedBy())
	if s.job.value != nil {
		l = l.at(figures.Parts, s.job.value.Columns()...)
	}
	return l
}

// figuresOnScreen returns the figures of the glossary whose names are on the screen, in the header or the body,
// without those that are known already.
func (a App) figuresOnScreen(known figureList) figureList {
	if a.isTooSmall() {
		return nil
	}
	a.help.open, a.notice = false, ""
	text := passAt.ReplaceAllString(ansi.Strip(strings.Join(a.linesAbove(), "\n")), "pass@k")
	var l figureList
	if d := a.diagnosis(); d != nil && d.Alarms() == 0 {
		l = l.at(figures.Check, d.Health()) // the header has it
	}
	for _, place := range []figures.Place{figures.Step, figures.Fates, figures.Metrics, figures.Warning, figures.Sweep, figures.Sample} {
		for _, e := range figures.All(place) {
			if containsEntry(known, e) {
				continue
			}
			i := slices.IndexFunc(e.AllNames(), func(name string) bool { return !l.explains(name) && mentions(text, name) })
			if i >= 0 {
				l = l.at(place, e.AllNames()[i])
			}
		}
	}
	return l
}

// passAt matches pass@8, of which the glossary has pass@k.
var passAt = regexp.MustCompile(`pass@\d+`)

func (l figureList) explains(name string) bool {
	return slices.ContainsFunc(l, func(f figure) bool { return slices.Contains(f.entry.AllNames(), name) })
}

func containsEntry(l []figure, e figures.Entry) bool {
	return slices.ContainsFunc(l, func(f figure) bool { return f.entry.Equal(e) })
}

// mentions reports whether a text has a name as a word of its own. A name of a letter is a figure only where a
// view says so.
func mentions(text, name string) bool {
	if len(name) < 2 {
		return false
	}
	for rest := text; ; {
		at := strings.Index(rest, name)
		if at < 0 {
			return false
		}
		before, _ := utf8.DecodeLastRuneInString(rest[:at])
		after, _ := utf8.DecodeRuneInString(rest[at+len(name):])
		if !inWord(before) && !inWord(after) {
			return true
		}
		rest = rest[at+len(name):]
	}
}

func inWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '/'
}

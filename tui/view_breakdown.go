package tui

import (
	"fmt"
	"slices"
	"strings"

	"vantage/model/analysis"
	"vantage/model/report"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/layout"
)

func breakdownKeys() keySection {
	return keySection{"breakdown", append(listKeys("j k scroll", onParts),
		binding{[]string{"l", "right", "v"}, "→", "← → by", "break down by the next: difficulty, length, fate, step, numeric columns", do(App.moveBreakdown, 1)},
		binding{[]string{"h", "left"}, "←", "", "break down by the previous", do(App.moveBreakdown, -1)},
		binding{[]string{"tab"}, "Tab", "Tab steps", "of this step, the last 10 or all", App.nextBreakdownScope},
		binding{[]string{"esc"}, "Esc", "Esc back", "back", App.escape})}
}

// openBreakdown opens the view of who pays.
func (a App) openBreakdown() App {
	a.breakdown.topLine = 0
	return a.pushView(viewBreakdown)
}

// runBy opens the view, divided by a column or a kind.
func runBy(a App, args []string) (App, error) {
	if len(args) == 0 {
		return a, fmt.Errorf("by takes %s, or a column of the log", strings.Join(analysis.PartKinds(), ", "))
	}
	a.breakdown.by = strings.Join(args, " ")
	if a.breakdown.by == "step" && a.breakdown.scope.kind == scopeStep {
		a.breakdown.scope.kind = scopeAll
	}
	a = a.openBreakdown()
	return a, nil
}

// partNames returns what the samples can be divided by as far as it is known without reading the log.
func (a App) partNames() []string { return append(analysis.PartKinds(), a.rewardNames()...) }

// breakdownBy returns what the samples are divided by.
func (a App) breakdownBy() string {
	if a.breakdown.by == "" {
		return analysis.PartKinds()[0]
	}
	return a.breakdown.by
}

func (a App) moveBreakdown(by int) App {
	all := a.partNames()
	if !slices.Contains(all, a.breakdownBy()) {
		all = append(all, a.breakdownBy())
	}
	a.breakdown.by = all[(slices.Index(all, a.breakdownBy())+by+len(all))%len(all)]
	a.breakdown.topLine = 0
	return a
}

func (a App) nextBreakdownScope() App {
	next := map[scopeKind]scopeKind{scopeStep: scopeLast, scopeLast: scopeAll, scopeAll: scopeStep}
	a.breakdown.scope = scope{kind: next[a.breakdown.scope.kind], last: a.breakdown.scope.lastSteps()}
	a.breakdown.topLine = 0
	return a
}

// breakdownView draws a row per part.
func (a App) breakdownView(w, h int) []string {
	lines := a.breakdownLines(w - 3)
	c := paneContent{title: " breakdown by " + sanitize.Line(a.breakdownBy()) + " — " + a.breakdownScope()}.scrolledTo(a.breakdown.topLine, lines, h)
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
	t, b := a.display.theme, a.breakdown.job.value
	switch {
	case a.breakdown.job.err != nil && !a.breakdown.job.busy():
		return a.breakdownMessage("by "+a.breakdownBy()+": "+a.breakdown.job.err.Error()+didYouMean(a.breakdownBy(), a.partNames()), w)
	case b == nil || b.By != a.breakdownBy():
		return a.breakdownMessage("computing the breakdown …", w)
	case b.Parts.All.Samples == 0:
		return a.breakdownMessage("no samples match "+a.settings.filter+" — / on the overview changes the filter", w)
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
	for _, note := range []string{report.BreakdownLegend, sanitize.Line(b.Note)} {
		if note != "" {
			lines = append(append(lines, ""), a.breakdownMessage(note, w)[1:]...)
		}
	}
	return lines
}

// breakdownNameWidth has room for the longest of the names that are not the log's.
const breakdownNameWidth = 17

// breakdownMessage wraps a text behind an empty line.
func (e env) breakdownMessage(text string, w int) []string {
	lines := []string{""}
	for _, line := range cells.Wrap(sanitize.Line(text), min(w-2, maxProseWidth)) {
		lines = append(lines, " "+e.display.theme.Paint(themes.Dim, line))
	}
	return lines
}

// exportedBreakdown returns the figures.
func (a App) exportedBreakdown() report.Table {
	if a.breakdown.job.value == nil {
		return report.Table{}
	}
	return a.breakdown.job.value.Table()
}

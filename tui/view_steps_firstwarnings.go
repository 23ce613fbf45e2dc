package tui

import (
	"fmt"
	"slices"
	"strings"

	"vantage/model/analysis"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
)

// firstWarnings returns the first warnings of each kind, by step, with that of answers that are alike.
func (a App) firstWarnings() []analysis.FirstWarning {
	all := a.result.trend.FirstWarnings()
	alike, found := a.firstAlike()
	if !found {
		return all
	}
	at := slices.IndexFunc(all, func(o analysis.FirstWarning) bool { return o.StepIndex > alike.StepIndex })
	if at < 0 {
		at = len(all)
	}
	return slices.Insert(all, at, alike)
}

// moveFirstWarning goes to the next step where a kind of warning appears first, or to the
// previous one, around the ends, and says which kinds.
func (a App) moveFirstWarning(by int) App {
	steps := a.firstWarningSteps()
	if len(steps) == 0 {
		a.notice = "no warnings at any step"
		if t := a.result.trend; t == nil || !t.Complete() {
			a.notice = "no warnings yet: not all steps are computed"
		}
		return a
	}
	here := a.result.analysis.Step
	to, exact := slices.BinarySearch(steps, here)
	switch {
	case by < 0:
		to--
	case exact:
		to++
	}
	step := steps[(to+len(steps))%len(steps)]
	var sentences []string
	for _, o := range a.firstWarnings() {
		if o.Step == step {
			sentences = append(sentences, o.Sentence())
		}
	}
	a.notice = fmt.Sprintf("first at step %d: %s", step, strings.Join(sentences, "; "))
	i, _ := a.snap.Find(step)
	return a.showStep(i)
}

// firstWarningSteps returns the steps where warnings appear first, ascending, each once.
func (a App) firstWarningSteps() []int64 {
	if a.result.trend == nil || a.result.analysis == nil {
		return nil
	}
	var steps []int64
	for _, o := range a.firstWarnings() {
		if n := len(steps); n == 0 || steps[n-1] != o.Step {
			steps = append(steps, o.Step)
		}
	}
	return steps
}

// widthForCounts is the width from which the list has the number of groups or samples.
const widthForCounts = 50

// firstWarningList lists the step at which each kind of warning appears first, scrolled to
// the step on the screen.
func (a App) firstWarningList(w, h int) paneContent {
	t, all := a.display.theme, a.firstWarnings()
	c := paneContent{title: " first occurrence of warnings"}
	if !a.result.trend.Complete() {
		for _, line := range cells.Wrap("shown when all steps are computed", w-2) {
			c.lines = append(c.lines, " "+t.Paint(themes.Dim, line))
		}
		return c
	}
	if len(all) == 0 {
		c.lines = []string{t.Paint(themes.Dim, " no warnings at any step")}
		return c
	}
	here := a.result.analysis.Step
	passed := slices.IndexFunc(all, func(o analysis.FirstWarning) bool { return o.Step > here })
	if passed < 0 {
		passed = len(all)
	}
	top := windowTop(passed, len(all), h)
	for _, o := range all[top:min(len(all), top+h)] {
		line := cells.FitRight(fmt.Sprint(o.Step), 6) + "  " + strings.ReplaceAll(string(o.Kind), "-", " ")
		if w >= widthForCounts {
			line = cells.Justify(line, t.Paint(themes.Dim, units.Count(o.Count)+" of "+units.Plural(o.Of, o.Unit)+" "), w)
		}
		a.addRow(&c, target{onStep, o.StepIndex}, line, w, o.Step == here)
	}
	c.note = fmt.Sprintf("%d/%d", passed, len(all))
	return c
}

package tui

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/figures"
	"vantage/model/glance"
	"vantage/model/report"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/env"
	"vantage/tui/layout"
	"vantage/tui/pane"
)

type stepsState struct {
	metric    string // "" is the first
	second    string // drawn over it; "": none
	large     bool   // the chart fills the view
	window    stepWindow
	smoothing float64 // the weight of the moving average, 0 without
	figures   figuresState
	picker    figurePicker
	cache     figureCache // what the next frame draws from
}

func stepsKeys() keySection {
	return keySection{"steps", slices.Concat([]binding{
		{[]string{"j", "down"}, "j ↓", "j k step", "next step", move(App.moveStepInWindow, 1)},
		{[]string{"k", "up"}, "k ↑", "", "previous step", move(App.moveStepInWindow, -1)},
		{[]string{"ctrl+d", "pgdown"}, "^D", "", "ten steps forward", move(App.moveStepInWindow, 10)},
		{[]string{"ctrl+u", "pgup"}, "^U", "", "ten steps back", move(App.moveStepInWindow, -10)},
		{[]string{"g", "home"}, "g", "", "to the first step", move(App.moveStepInWindow, math.MinInt32)},
		{[]string{"G", "end"}, "G", "", "to the newest, and follow it", App.followNewest},
		{[]string{"v"}, "v", "v metric", "draw the next metric", within(stepsOf, by((*stepsState).moveMetric, 1))},
		{[]string{"V"}, "V", "", "draw the previous metric", within(stepsOf, by((*stepsState).moveMetric, -1))},
		{[]string{"+"}, "+", "+ second", "draw the metric together with another, which v changes; again: remove it", within(stepsOf, (*stepsState).pinMetric)},
		{[]string{"tab"}, "Tab", "Tab all-metrics", "all metrics as small charts", App.openFigures},
		{[]string{"z"}, "z", "z large", "the chart alone on the screen, and back", App.toggleLarge},
	}, chartKeys(), []binding{
		{[]string{"left", "h"}, "h ←", "", "earlier steps, as H", within(stepsOf, by((*stepsState).pan, -1))},
		{[]string{"right", "l"}, "l →", "", "later steps, as L", within(stepsOf, by((*stepsState).pan, 1))},
		{[]string{"w"}, "w", "w first-warning", "to the next first occurrence of a warning", move(App.moveFirstWarning, 1)},
		{[]string{"W"}, "W", "", "to the previous one", move(App.moveFirstWarning, -1)},
		{[]string{"enter"}, "⏎", "Enter groups", "to the groups of the step", App.showGroups},
		{[]string{"esc", "3"}, "Esc 3", "Esc back", "back", App.leaveSteps},
	})}
}

// chartKeys are those of all charts over the steps.
func chartKeys() []binding {
	return []binding{
		{[]string{"/"}, "/", "/ find", "find a metric by name or meaning", within(stepsOf, (*stepsState).openPicker)},
		{[]string{"x"}, "x", "x zoom", "show half as many steps; :range 100 200 shows those", within(stepsOf, by((*stepsState).zoom, 1))},
		{[]string{"X"}, "X", "", "show twice as many, at last all", within(stepsOf, by((*stepsState).zoom, -1))},
		{[]string{"H"}, "H", "", "show earlier steps", within(stepsOf, by((*stepsState).pan, -1))},
		{[]string{"L"}, "L", "", "show later steps", within(stepsOf, by((*stepsState).pan, 1))},
		{[]string{"A"}, "A", "A average", "smooth the lines by a moving average: off, 0.6, 0.9", within(stepsOf, (*stepsState).nextSmoothing)},
	}
}

func (s *stepsState) nextSmoothing(env.Env) action {
	weights := []float64{0, 0.6, 0.9}
	s.smoothing = weights[(slices.Index(weights, s.smoothing)+1)%len(weights)]
	return nil
}

// toggleLarge draws the chart alone, or with the table again; a chart that was opened from the small ones goes back there.
func (a App) toggleLarge() App {
	a.views.steps.large = !a.views.steps.large
	if n := len(a.position.backStack); !a.views.steps.large && n > 0 && a.position.backStack[n-1] == viewFigures {
		return a.goBack()
	}
	return a
}

// leaveSteps goes back; from a large chart to the table.
func (a App) leaveSteps() App {
	if a.views.steps.large {
		return a.toggleLarge()
	}
	return a.goBack()
}

// metricNames returns the metrics of the step, those that the pane of steps shows first.
func metricNames(e env.Env) []string {
	var names []string
	for _, row := range tellingRows(e) {
		names = append(names, trendRows()[row].metric)
	}
	if e.Result.Analysis != nil {
		for _, m := range e.Result.Analysis.Metrics {
			if !slices.Contains(names, m.Name) {
				names = append(names, m.Name)
			}
		}
	}
	return names
}

func (s *stepsState) moveMetric(e env.Env, by int) action {
	names := metricNames(e)
	at := max(0, slices.Index(names, s.metric))
	s.metric = names[(at+by+len(names))%len(names)]
	return nil
}

func (s *stepsState) pinMetric(e env.Env) action {
	if s.second != "" {
		s.second = ""
		return nil
	}
	s.second = s.drawnMetric(e)
	return s.moveMetric(e, 1)
}

func (s stepsState) drawnMetric(e env.Env) string {
	if s.metric == "" {
		return metricNames(e)[0]
	}
	return s.metric
}

// computingSteps is what views of all steps say while there is none of them.
const computingSteps = "computing all steps …"

// widthForFirstWarnings is the width from which there is a list of first warnings; below it
// they are in the table.
const widthForFirstWarnings = 76

// view draws a metric over all steps, the list of first warnings, and the table.
func (s stepsState) view(e env.Env, w, h int) []string {
	if e.Result.Trend == nil {
		return e.Display.Waiting(" steps", computingSteps, w, h)
	}
	chart, list := s.layout(w, h)
	lines := e.Display.Box(chart, s.large, s.chart(e, chart.Inner().W, chart.Inner().H))
	if !list.Empty() {
		lines = pane.JoinColumns(lines, e.Display.Box(list, false, firstWarningList(e, list.W-2, list.H-2)))
	}
	if chart.H == h {
		return lines
	}
	return append(lines, e.Display.Box(layout.Rect{W: w, H: h - chart.H}, true, stepsTable(e, w-2, h-chart.H-2))...)
}

// layout returns where the chart is and, if there is room, the list of first warnings. The table is below.
func (s stepsState) layout(w, h int) (chart, list layout.Rect) {
	chart = layout.Rect{W: w, H: h}
	if s.large {
		return chart, list
	}
	chart.H = min(max(7, min(h*2/5, 20)), max(3, h-4))
	if w >= widthForFirstWarnings {
		list = layout.Rect{W: max(32, min(w/3, 56)), H: chart.H}
		chart.W -= list.W
	}
	return chart, list
}

func stepsTable(e env.Env, w, h int) pane.Content {
	t, trend := e.Display.Theme, e.Result.Trend
	c := pane.Content{Title: " all steps" + e.OfRun() + "  " + units.Count(len(trend.Steps))}
	if !trend.Complete() {
		c.Title += t.Paint(themes.Dim, "  computed: "+e.TrendProgress()+", newest first")
	}
	here := max(0, trendIndex(e))
	first := map[int][]string{}
	for _, o := range firstWarnings(e) {
		first[o.StepIndex] = append(first[o.StepIndex], string(o.Kind))
	}
	columns := stepColumns(e, w)
	head := " "
	for _, column := range columns {
		head += column.lay(column.Name, column.width)
	}
	c.Lines = []string{t.Paint(themes.Dim, head+"  "+pane.FirstFitting(w-cells.Width(head)-2, "groups without signal", "dead"))}
	e.Display.AddRows(&c, pane.OnStep, here, len(trend.Steps), w, h, func(i int) string { return stepRow(e, columns, &trend.Steps[i], first[i], w) })
	return c
}

// stepRow returns the row of a step; firstWarnings are the kinds of warnings that appear
// there first.
func stepRow(e env.Env, columns []stepColumn, s *analysis.StepFigures, firstWarnings []string, w int) string {
	t := e.Display.Theme
	line := " "
	for _, c := range columns {
		line += c.lay(c.cell(s), c.width)
	}
	line += "  "
	if s.Pending {
		return t.Paint(themes.Dim, line+"computing")
	}
	if len(firstWarnings) > 0 {
		line = t.Paint(themes.Warn, "!") + strings.TrimPrefix(line, " ")
		if w < widthForFirstWarnings-2 { // else there is a list of them
			line += t.Paint(themes.Warn, "first "+strings.Join(firstWarnings, ", ")) + "  "
		}
	}
	return line + stepFates(e, s, w-cells.Width(line))
}

// stepColumn is a column of the table of steps.
type stepColumn struct {
	figures.Column[*analysis.StepFigures]
	width int
	lay   func(text string, w int) string
	atEnd bool // not known while the step is being written
}

// cell returns the figure of a step as far as it is known.
func (c stepColumn) cell(s *analysis.StepFigures) string {
	switch {
	case !s.Pending && s.Open && c.atEnd:
		return units.Missing
	case !s.Pending, c.Name == "step", c.Name == "samples":
		return c.Value(s).String()
	case c.Name == "groups":
		return ""
	}
	return "…"
}

// stepColumns returns the columns that a table of w cells has. A narrow one leaves some out: samples and groups, which the shares
// are of, and kept, of which those with an advantage are the part that trains.
func stepColumns(e env.Env, w int) (columns []stepColumn) {
	all := figures.Steps()
	add := func(from int, name string, width int, lay func(string, int) string) {
		if c, ok := figures.Find(all, name); ok && w >= from {
			columns = append(columns, stepColumn{c, width, lay, name == "signal" || name == e.Display.NonzeroName()})
		}
	}
	add(0, "step", 7, cells.FitRight)
	add(128, "samples", 9, cells.FitRight)
	add(128, "groups", 8, cells.FitRight)
	add(0, "reward", 8, cells.FitRight)
	add(0, "signal", 16, afterSpaces)
	if w < 96 {
		add(76, e.Display.NonzeroName(), 6, shareAlone)
	}
	add(96, e.Display.NonzeroName(), 18, cells.Fit)
	for _, row := range tellingRows(e) { // where no filter is at work, these are the same at each step
		switch trendRows()[row].name {
		case "kept":
			add(96, "kept", 18, cells.Fit)
		case "Σ|A|":
			add(0, "Σ|A|", 7, cells.FitRight)
		case "flips":
			add(0, "flips", 6, cells.FitRight)
		}
	}
	return columns
}

// shareAlone leaves of a number and the share that it is only the share.
func shareAlone(text string, w int) string {
	if _, share, ok := strings.Cut(text, " ("); ok {
		text = strings.TrimSuffix(share, ")")
	}
	return cells.FitRight(text, w)
}

func afterSpaces(text string, w int) string { return "  " + cells.Fit(text, w-2) }

// stepFates counts the groups without signal by fate, in w cells: first those that are due
// to the settings, then those that are due to the rewards.
func stepFates(e env.Env, s *analysis.StepFigures, w int) string {
	if s.Open {
		return e.Display.Theme.Paint(themes.Warn, e.GroupsSoFar(s)+", still growing")
	}
	var parts []string
	for _, f := range []model.Fate{
		model.FateShort, model.FateKilled, model.FateInvalid, model.FateNoise,
		model.FateAllWrong, model.FateConstant, model.FateSingle, model.FateAllCorrect, model.FateSkipped,
	} {
		if n := s.Fates[f]; n > 0 {
			parts = append(parts, e.Display.Theme.Paint(e.Display.FateRole(f), fmt.Sprintf("%d %s", n, f)))
		}
	}
	line := cells.JoinFitting(w-2, "  ", parts...)
	if line != strings.Join(parts, "  ") {
		line += e.Display.Theme.Paint(themes.Dim, " …")
	}
	return line
}

// firstWarnings returns the first warnings of each kind, by step, with that of answers that are alike. A frame asks for it: it looks at the
// steps of which answers were read, which are few.
func firstWarnings(e env.Env) []analysis.FirstWarning {
	all, answers := e.Result.Trend.FirstWarnings(), e.AnswersRead()
	var first *analysis.FirstWarning
	for step := range answers.Alike {
		i, known := e.Result.Trend.Find(step)
		if !known || first != nil && i >= first.StepIndex {
			continue
		}
		if w := glance.AlikeWarning(answers, &e.Result.Trend.Steps[i], nil); w != nil {
			first = &analysis.FirstWarning{Warning: *w, StepIndex: i}
		}
	}
	if first == nil {
		return all
	}
	return slices.Insert(all, sort.Search(len(all), func(i int) bool { return all[i].StepIndex > first.StepIndex }), *first)
}

// moveFirstWarning goes to the next step where a kind of warning appears first, or to the
// previous one, around the ends, and says which kinds.
func (a App) moveFirstWarning(by int) App {
	t := a.env.Result.Trend
	if t == nil {
		return a.says("no warnings yet: not all steps are computed")
	}
	all := firstWarnings(a.env)
	if len(all) == 0 {
		a.overlays.notice = "no warnings at any step"
		if !t.Complete() {
			a.overlays.notice = "no warnings yet: not all steps are computed"
		}
		return a
	}
	here := a.env.Result.Analysis.Step
	to := sort.Search(len(all), func(i int) bool { return all[i].Step > here || by < 0 && all[i].Step == here })
	if by < 0 {
		to--
	}
	step := all[(to+len(all))%len(all)].Step
	var sentences []string
	for _, o := range all {
		if o.Step == step {
			sentences = append(sentences, o.Sentence())
		}
	}
	a.overlays.notice = fmt.Sprintf("first at step %d: %s", step, strings.Join(sentences, "; "))
	i, _ := a.env.Snap.Find(step)
	return a.showStep(i)
}

// widthForCounts is the width from which the list has the number of groups or samples.
const widthForCounts = 50

// firstWarningList lists the step at which each kind of warning appears first, scrolled to
// the step on the screen.
func firstWarningList(e env.Env, w, h int) pane.Content {
	t, all := e.Display.Theme, firstWarnings(e)
	c := pane.Content{Title: " first occurrence of warnings"}
	if !e.Result.Trend.Complete() {
		c.Lines = e.Display.Wrapped(" ", themes.Dim, "shown when all steps are computed", w-2)
		return c
	}
	if len(all) == 0 {
		c.Lines = []string{t.Paint(themes.Dim, " no warnings at any step")}
		return c
	}
	here := e.Result.Analysis.Step
	passed := sort.Search(len(all), func(i int) bool { return all[i].Step > here })
	top := pane.WindowTop(passed, len(all), h)
	for _, o := range all[top:min(len(all), top+h)] {
		line := cells.FitRight(fmt.Sprint(o.Step), 6) + "  " + strings.ReplaceAll(string(o.Kind), "-", " ")
		if w >= widthForCounts {
			line = cells.Justify(line, t.Paint(themes.Dim, units.Count(o.Count)+" of "+units.Plural(o.Of, o.Unit)+" "), w)
		}
		e.Display.AddRow(&c, pane.Target{Kind: pane.OnStep, N: o.StepIndex}, line, w, o.Step == here)
	}
	c.Note = fmt.Sprintf("%d/%d", passed, len(all))
	return c
}

// exported returns the computed steps, with every figure of the table and the one
// that is drawn.
func (s stepsState) exported(e env.Env) report.Table {
	columns := figures.Select(figures.Steps(), "step", "samples", "groups", "signal", "kept", "nonzero", "flips")
	columns = append(columns, figures.Metric("critic/score/mean"), figures.Metric("vantage/abs_advantage_ratio"))
	drawn := s.drawnMetric(e)
	if !slices.ContainsFunc(columns, func(c figures.Column[*analysis.StepFigures]) bool { return c.Name == drawn }) {
		columns = append(columns, figures.Metric(drawn))
	}
	t := report.Table{Title: "steps"}
	for _, c := range columns {
		t.Columns = append(t.Columns, c.Name)
	}
	if e.Result.Trend == nil {
		return t
	}
	for i := range e.Result.Trend.Steps {
		x := &e.Result.Trend.Steps[i]
		if x.Pending {
			continue
		}
		t.Rows = append(t.Rows, model.Mapped(columns, func(c figures.Column[*analysis.StepFigures]) any { return c.Value(x).Cell() }))
	}
	return t
}

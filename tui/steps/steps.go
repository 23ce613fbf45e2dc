// Package steps is the views of all steps: a metric over them with their table, all metrics as small charts, and the list of
// metrics.
package steps

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/figures"
	"vantage/model/report"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/env"
	"vantage/tui/finding"
	"vantage/tui/glossary"
	"vantage/tui/layout"
	"vantage/tui/pane"
	"vantage/tui/trend"
	"vantage/tui/view"
)

// View is what all steps are drawn by: metrics, window, average.
type View struct {
	Metric    string // "" is the first
	Second    string // drawn over it; "": none
	large     bool   // the chart fills the view
	Window    StepWindow
	smoothing float64 // the weight of the moving average, 0 without
	Figures   figuresState
	Picker    FigurePicker
	Cache     FigureCache // what the next frame draws from
}

// OnMouse has the wheel go from step to step.
func (*View) OnMouse(_ env.Env, m view.Mouse) (view.Want, bool) {
	if m.Wheel == 0 || m.On.Kind != pane.OnBody {
		return nil, false
	}
	return view.MoveStep(m.Wheel), true
}

// SavedAs is its name in the session.
func (*View) SavedAs() string { return "steps" }

// Prepare draws the chart.
func (s *View) Prepare(e env.Env, w, h int) {
	if e.Result.Trend == nil {
		return
	}
	box, _ := s.layout(w, h)
	in := box.Inner()
	s.Cache = s.DrawFigures(e, []string{s.DrawnMetric(e)}, s.Second, in.W, in.H-trend.RowsBelowPlot)
}

// Explains returns the metrics that are drawn, and those of the table.
func (s *View) Explains(e env.Env) glossary.List {
	l := glossary.List{}.At(figures.Metrics, s.DrawnMetric(e), s.Second)
	return l.At(figures.Step, "step", "samples", "groups", "reward", "signal", "train", "kept", "Σ|A|", "flips")
}

// Keys of all steps.
func (*View) Keys() view.Section {
	return view.Section{Name: "steps", Bindings: slices.Concat([]view.Binding{
		{Keys: []string{"j", "down"}, Label: "j ↓", Hint: "j k step", Doc: "next step", Do: view.Ask(view.MoveStepInChart(1))},
		{Keys: []string{"k", "up"}, Label: "k ↑", Doc: "previous step", Do: view.Ask(view.MoveStepInChart(-1))},
		{Keys: []string{"ctrl+d", "pgdown"}, Label: "^D", Doc: "ten steps forward", Do: view.Ask(view.MoveStepInChart(10))},
		{Keys: []string{"ctrl+u", "pgup"}, Label: "^U", Doc: "ten steps back", Do: view.Ask(view.MoveStepInChart(-10))},
		{Keys: []string{"g", "home"}, Label: "g", Doc: "to the first step", Do: view.Ask(view.MoveStepInChart(math.MinInt32))},
		{Keys: []string{"G", "end"}, Label: "G", Doc: "to the newest, and follow it", Do: view.Ask(view.FollowNewest{})},
		{Keys: []string{"v"}, Label: "v", Hint: "v metric", Doc: "draw the next metric", Do: view.By((*View).moveMetric, 1)},
		{Keys: []string{"V"}, Label: "V", Doc: "draw the previous metric", Do: view.By((*View).moveMetric, -1)},
		{
			Keys: []string{"+"}, Label: "+", Hint: "+ second",
			Doc: "draw the metric together with another, which v changes; again: remove it",
			Do:  view.Key((*View).pinMetric),
		},
		{
			Keys: []string{"tab"}, Label: "Tab", Hint: "Tab all-metrics",
			Doc: "all metrics as small charts",
			Do:  view.Ask(view.Push{View: view.Figures}),
		},
		{
			Keys: []string{"z"}, Label: "z", Hint: "z large",
			Doc: "the chart alone on the screen, and back",
			Do:  view.Key((*View).toggleLarge),
		},
	}, chartKeys[*View](), []view.Binding{
		{Keys: []string{"left", "h"}, Label: "h ←", Doc: "earlier steps, as ,", Do: view.By((*View).pan, -1)},
		{Keys: []string{"right", "l"}, Label: "l →", Doc: "later steps, as .", Do: view.By((*View).pan, 1)},
		{
			Keys: []string{"w"}, Label: "w", Hint: "w first-warning",
			Doc: "to the next first occurrence of a warning",
			Do:  view.By((*View).moveFirstWarning, 1),
		},
		{Keys: []string{"W"}, Label: "W", Doc: "to the previous one", Do: view.By((*View).moveFirstWarning, -1)},
		{Keys: []string{"enter"}, Label: "⏎", Hint: "Enter groups", Doc: "to the groups of the step", Do: view.Ask(view.ShowGroups{})},
		{Keys: []string{"esc", "3"}, Label: "Esc 3", Hint: "Esc back", Doc: "back", Do: view.Key((*View).leave)},
	})}
}

// chartKeys are those of all charts over the steps.
func chartKeys[V charts]() []view.Binding {
	return []view.Binding{
		{
			Keys: []string{"/"}, Label: "/", Hint: "/ find",
			Doc: "find a metric by name or meaning",
			Do:  view.Ask(view.Push{View: view.FigureList}),
		},
		{
			Keys: []string{"x"}, Label: "x", Hint: "x zoom",
			Doc: "show half as many steps; :range 100 200 shows those",
			Do:  view.By(V.zoom, 1),
		},
		{Keys: []string{"X"}, Label: "X", Doc: "show twice as many, at last all", Do: view.By(V.zoom, -1)},
		{Keys: []string{","}, Label: ",", Doc: "show earlier steps", Do: view.By(V.pan, -1)},
		{Keys: []string{"."}, Label: ".", Doc: "show later steps", Do: view.By(V.pan, 1)},
		{
			Keys: []string{"A"}, Label: "A", Hint: "A average",
			Doc: "smooth the lines by a moving average: off, 0.6, 0.9",
			Do:  view.Key(V.nextSmoothing),
		},
	}
}

// charts are views of charts over the steps.
type charts interface {
	view.View
	zoom(e env.Env, by int) view.Want
	pan(e env.Env, by int) view.Want
	nextSmoothing(env.Env) view.Want
}

func (s *View) nextSmoothing(env.Env) view.Want {
	weights := []float64{0, 0.6, 0.9}
	s.smoothing = weights[(slices.Index(weights, s.smoothing)+1)%len(weights)]
	return nil
}

// toggleLarge draws the chart alone, or with the table again; a chart that was opened from the small ones goes back there.
func (s *View) toggleLarge(env.Env) view.Want {
	if s.large = !s.large; s.large {
		return nil
	}
	return view.BackTo{View: view.Figures}
}

// leave goes back; from a large chart to the table.
func (s *View) leave(e env.Env) view.Want {
	if s.large {
		return s.toggleLarge(e)
	}
	return view.Back{}
}

func (s *View) moveMetric(e env.Env, by int) view.Want {
	names := trend.MetricNames(e)
	at := max(0, slices.Index(names, s.Metric))
	s.Metric = names[(at+by+len(names))%len(names)]
	return nil
}

func (s *View) pinMetric(e env.Env) view.Want {
	if s.Second != "" {
		s.Second = ""
		return nil
	}
	s.Second = s.DrawnMetric(e)
	return s.moveMetric(e, 1)
}

// DrawnMetric returns the metric that is drawn.
func (s View) DrawnMetric(e env.Env) string {
	if s.Metric == "" {
		return trend.MetricNames(e)[0]
	}
	return s.Metric
}

// widthForFirstWarnings is the width from which there is a list of first warnings; below it
// they are in the table.
const widthForFirstWarnings = 76

// Draw draws a metric over all steps, the list of findings and first warnings, and the table.
func (s *View) Draw(e env.Env, w, h int) []string {
	if e.Result.Trend == nil {
		return e.Display.Waiting(" steps", trend.ComputingSteps, w, h)
	}
	chart, list := s.layout(w, h)
	lines := e.Display.Box(chart, s.large, s.chart(e, chart.Inner().W, chart.Inner().H))
	if !list.Empty() {
		lines = pane.JoinColumns(lines, e.Display.Box(list, false, firstWarningList(e, list.W-2, list.H-2)))
	}
	if chart.H == h {
		return lines
	}
	return append(lines, e.Display.Box(layout.Rect{W: w, H: h - chart.H}, true, Table(e, w-2, h-chart.H-2))...)
}

// layout returns where the chart is and, if there is room, the list of first warnings. The table is below.
func (s View) layout(w, h int) (chart, list layout.Rect) {
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

// Table lists all steps.
func Table(e env.Env, w, h int) pane.Content {
	t, all := e.Display.Theme, e.Result.Trend
	c := pane.Content{Title: " all steps" + e.OfRun() + "  " + units.Count(len(all.Steps))}
	if !all.Complete() {
		c.Title += t.Paint(themes.Dim, "  computed: "+e.TrendProgress()+", newest first")
	}
	here := max(0, trend.Index(e))
	first := map[int][]string{}
	for _, o := range trend.FirstWarnings(e) {
		first[o.StepIndex] = append(first[o.StepIndex], string(o.Kind))
	}
	columns := stepColumns(e, w)
	head := " "
	for _, column := range columns {
		head += column.lay(column.Name, column.width)
	}
	c.Lines = []string{t.Paint(themes.Dim, head+"  "+pane.FirstFitting(w-cells.Width(head)-2, "groups without signal", "dead"))}
	e.Display.AddRows(
		&c, pane.OnStep, here, len(all.Steps), w, h, func(i int) string { return stepRow(e, columns, &all.Steps[i], first[i], w) },
	)
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
			columns = append(columns, stepColumn{c, width, lay, name == "signal" || name == "train"})
		}
	}
	add(0, "step", 7, cells.FitRight)
	add(128, "samples", 9, cells.FitRight)
	add(128, "groups", 8, cells.FitRight)
	add(0, "reward", 8, cells.FitRight)
	add(0, "signal", 16, afterSpaces)
	switch {
	case e.Snap.Run.Evaluates(): // no sample trains
	case w < 96:
		add(76, "train", 6, shareAlone)
	default:
		add(96, "train", 18, cells.Fit)
	}
	for _, row := range trend.TellingRows(e) { // where no filter is at work, these are the same at each step
		switch trend.Rows()[row].Name {
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
			fate := strings.TrimPrefix(f.String(), "all ") // which the number says
			parts = append(parts, e.Display.Theme.Paint(e.Display.FateRole(f), fmt.Sprintf("%d %s", n, fate)))
		}
	}
	line := cells.JoinFitting(w-2, "  ", parts...)
	if line != strings.Join(parts, "  ") {
		line += e.Display.Theme.Paint(themes.Dim, " …")
	}
	return line
}

// moveFirstWarning goes to the next step where a kind of warning appears first, or to the
// previous one, around the ends, and says which kinds.
func (s *View) moveFirstWarning(e env.Env, by int) view.Want {
	t := e.Result.Trend
	if t == nil {
		return view.Say("no warnings yet: not all steps are computed")
	}
	all := trend.FirstWarnings(e)
	switch {
	case len(all) == 0 && !t.Complete():
		return view.Say("no warnings yet: not all steps are computed")
	case len(all) == 0:
		return view.Say("no warnings at any step")
	}
	here := e.Result.Analysis.Step
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
	i, _ := e.Snap.Find(step)
	return view.All{view.Say(fmt.Sprintf("first at step %d: %s", step, strings.Join(sentences, "; "))), view.GoToStep{Index: i}}
}

// widthForCounts is the width from which the list has the number of groups or samples.
const widthForCounts = 50

// firstWarningList lists the steps at which what ails the run sets in, and at which each kind of warning appears first, scrolled to the
// step on the screen.
func firstWarningList(e env.Env, w, h int) pane.Content {
	all := onsets(e)
	c := pane.Content{Title: " findings, first warnings"}
	if !e.Result.Trend.Complete() {
		c.Lines = e.Display.Wrapped(" ", themes.Dim, "shown when all steps are computed", w-2)
		return c
	}
	if len(all) == 0 {
		text := "none at any step"
		if looking := e.StillLooking(); looking != "" { // what is not there yet may still be found
			text = looking
		}
		c.Lines = e.Display.Wrapped(" ", themes.Dim, text, w-2)
		return c
	}
	here := e.Result.Analysis.Step
	passed := sort.Search(len(all), func(i int) bool { return all[i].step > here })
	top := pane.WindowTop(passed, len(all), h)
	for _, o := range all[top:min(len(all), top+h)] {
		e.Display.AddRow(&c, pane.Target{Kind: pane.OnStep, N: o.index}, o.line(e, w), w, o.step == here)
	}
	c.Note = fmt.Sprintf("%d/%d", passed, len(all))
	return c
}

// onset is where a finding sets in, or a kind of warning appears first.
type onset struct {
	step   int64
	index  int    // of the step
	mark   string // of a finding, its severity
	what   string // its kind, in words
	counts string // of a warning, how many of how many
}

// onsets returns all, by step; of one step the findings first.
func onsets(e env.Env) (all []onset) {
	for _, f := range e.FoundList() {
		if i, known := e.Result.Trend.Find(f.Since); known {
			all = append(all, onset{step: f.Since, index: i, mark: finding.SeverityMark(e, f.Severity), what: f.Kind.Words()})
		}
	}
	for _, o := range trend.FirstWarnings(e) {
		what, counts := strings.ReplaceAll(string(o.Kind), "-", " "), units.Count(o.Count)+" of "+units.Plural(o.Of, o.Unit)+" "
		all = append(all, onset{step: o.Step, index: o.StepIndex, mark: " ", what: what, counts: counts})
	}
	slices.SortStableFunc(all, func(a, b onset) int { return cmp.Compare(a.step, b.step) })
	return all
}

// line returns the line of a list of w cells.
func (o onset) line(e env.Env, w int) string {
	line := o.mark + cells.FitRight(fmt.Sprint(o.step), 6) + "  " + o.what
	if w >= widthForCounts && o.counts != "" {
		line = cells.Justify(line, e.Display.Theme.Paint(themes.Dim, o.counts), w)
	}
	return line
}

// Exported returns the computed steps, with every figure of the table and the one
// that is drawn.
func (s *View) Exported(e env.Env) report.Table {
	drawn := s.DrawnMetric(e)
	columns := figures.Select(figures.Steps(), "step", "samples", "groups", "signal", "kept", "nonzero", "flips")
	columns = append(columns, figures.Metric("critic/score/mean"), figures.Metric("vantage/abs_advantage_ratio"))
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

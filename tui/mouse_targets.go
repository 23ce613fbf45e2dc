package tui

import (
	"math"

	"vantage/model/sweep"
	"vantage/tui/chart"
	"vantage/tui/layout"
)

// targetKind is what the mouse can be on.
type targetKind int

// The kinds of targets, with the meaning of their number.
const (
	onNothing   targetKind = iota
	onBody                 // the view, between header and hints
	onKey                  // a key: see keyCode
	onSetting              // a key in the header
	onMeter                // the slider of a ratio: 0 keep_pos_ratio, 1 keep_neg_ratio
	onRatio                // its value
	onBorder               // a layout.Split
	onPane                 // a layout.Pane
	onHeading              // a column of the groups: index in sortings
	onGroup                // a row of the groups
	onBin                  // the distribution: 0 above its axis, 1 below
	onWarning              // a line of the warnings
	onMetric               // a metric, by its index
	onTrend                // a figure over the steps: index in trendRows
	onChart                // a line of the chart of all steps: how wide the drawing behind the labels is
	onStep                 // a step, by its index in the trend
	onReading              // a part of an open group: 0 samples, 1 text
	onSample               // a row of its samples
	onSweepCell            // a cell of the map: see sweepCellNumber
	onPair                 // a prompt of both runs
	onAnswer               // a side of the answers
	onMarked               // a row of the marks
	onEstimator            // a row of the list of estimators
	onFigure               // a row of the list of figures
	onStage                // a stage of the chain
	onWorstStep            // a row of the worst steps
	onProblems             // the text on how the log was read
	onSizes                // that on sizes of groups
	onParts                // that on parts of the samples
	onHelp                 // the help

	targetKinds = iota
)

// hit is a press on a target.
type hit struct {
	n    int // the target's number
	x, w int // the column pressed, of so many
}

// targetActions is what the mouse does on a target; nil: nothing.
type targetActions struct {
	click  func(App, hit) App                // the button is pressed
	open   func(a App, n int) App            // pressed twice
	drag   func(a App, s spot, x, y int) App // moved while it is down
	scroll func(a App, n, by int) App        // the wheel, by 1 or -1
}

// mouseActions returns what the mouse does, by the kind of the target.
func mouseActions() [targetKinds]targetActions {
	all := [targetKinds]targetActions{
		onBody:      {scroll: App.scrollView},
		onKey:       {click: App.pressKey},
		onSetting:   {click: App.pressSetting},
		onMeter:     {click: App.pressMeter, drag: App.dragMeter, scroll: App.scrollRatio},
		onRatio:     {open: App.typeRatio, drag: App.dragRatio, scroll: App.scrollRatio},
		onBorder:    {open: App.restoreBorder, drag: App.dragBorder},
		onPane:      {click: App.clickPane, open: App.openPane, scroll: App.scrollPane},
		onHeading:   {click: App.sortByHeading},
		onBin:       {click: App.toggleBin},
		onWarning:   {click: App.clickWarning},
		onMetric:    {click: App.clickMetric, open: App.openMetric},
		onTrend:     {click: App.clickTrend, open: App.openTrend},
		onChart:     {click: App.clickChart, scroll: App.scrollSteps},
		onStep:      {click: App.clickStep, open: App.openStep},
		onReading:   {click: App.clickReading, scroll: App.scrollReading},
		onSweepCell: {click: App.clickSweepCell, open: asKey(App.applySweep), scroll: App.scrollSweep},
		onAnswer:    {click: App.clickAnswer, scroll: App.scrollBothAnswers},
		onHelp:      {scroll: App.scrollHelp},
	}
	for kind, l := range lists() {
		if l.cursor == nil {
			continue
		}
		if all[kind].click == nil {
			all[kind].click = func(a App, h hit) App { return a.toRow(targetKind(kind), h.n) }
		}
		if l.open != nil {
			all[kind].open = asKey(l.open)
		}
	}
	return all
}

// wheelLines is how many lines a notch of the wheel scrolls.
const wheelLines = 3

// asKey returns what a key does, for a target that the first click has put the cursor on.
func asKey(f action) func(App, int) App {
	return func(a App, _ int) App { return f(a) }
}

// scrollView scrolls a view that scrolls as a whole.
func (a App) scrollView(_, by int) App {
	switch v := a.viewInSight(); {
	case v == viewAnswers:
		return a.scrollAnswers(wheelLines * by)
	case v == viewChain:
		return a.moveRow(onStage, by)
	case v == viewSteps:
		return a.moveStep(by)
	case viewTable()[v].list != onNothing:
		return a.moveRow(viewTable()[v].list, wheelLines*by)
	}
	return a
}

func (a App) clickPane(h hit) App { return a.focusPane(layout.Pane(h.n)) }

// openPane opens what Enter opens in the pane.
func (a App) openPane(n int) App {
	if layout.Pane(n) == layout.Groups {
		return a // its rows open
	}
	return a.focusPane(layout.Pane(n)).enterPane()
}

// scrollPane scrolls a pane; the focus stays where it is.
func (a App) scrollPane(n, by int) App {
	if layout.Pane(n) == layout.Steps {
		return a.moveStep(by)
	}
	focus := a.panes.focus
	a.panes.focus = layout.Pane(n)
	a = a.moveFocused(wheelLines * by)
	a.panes.focus = focus
	return a
}

func (a App) sortByHeading(h hit) App { return a.sortBy(h.n) }

func (a App) clickWarning(h hit) App {
	a.panes.warning = h.n
	return a.moveWarning(0)
}

func (a App) clickMetric(h hit) App {
	a.panes.metric = h.n
	return a
}

// openMetric draws a metric over all steps.
func (a App) openMetric(n int) App {
	if x := a.shownFigures(); x != nil && n < len(x.Metrics) {
		a.steps.metric = x.Metrics[n].Name
	}
	return a.openSteps()
}

// openTrend draws a figure of the pane of steps over all steps.
func (a App) openTrend(n int) App {
	a.steps.metric = trendRows()[n].metric
	return a.openSteps()
}

// clickTrend goes to the step that a chart over all steps draws nearest to the column pressed.
func (a App) clickTrend(h hit) App { return a.stepAtColumn(a.stepAxis(), h) }

// clickChart is clickTrend for the chart of the view of steps, which may show some of them.
func (a App) clickChart(h hit) App {
	return a.stepAtColumn(a.windowAxis(), hit{x: h.x - valueWidth, w: h.n})
}

func (a App) stepAtColumn(x chart.Axis, h hit) App {
	nearest, least := 0, math.MaxInt
	for i, s := range a.result.trend.Steps {
		column := x.PlotColumn(float64(s.Step), h.w)
		if far := max(column-h.x, h.x-column); far < least {
			nearest, least = i, far
		}
	}
	return a.showTrendStep(nearest)
}

func (a App) clickStep(h hit) App { return a.showTrendStep(h.n) }

// showTrendStep goes to a step by its index in the trend.
func (a App) showTrendStep(i int) App {
	steps := a.result.trend.Steps
	if len(steps) == 0 {
		return a
	}
	at, _ := a.snap.Find(steps[clampIndex(i, len(steps))].Step)
	return a.showStep(at)
}

// openStep shows the groups of the step that was clicked.
func (a App) openStep(int) App { return a.showGroups() }

func (a App) scrollSteps(_, by int) App { return a.moveStep(by) }

func (a App) clickReading(h hit) App {
	a.sampleReader.inText = h.n == 1
	return a.clampTextScroll()
}

func (a App) scrollReading(n, by int) App {
	if n == 1 {
		return a.scrollText(wheelLines * by)
	}
	inText := a.sampleReader.inText
	a.sampleReader.inText = false
	a = a.moveReading(by)
	a.sampleReader.inText = inText
	return a
}

// sweepCellNumber is the number of the cell at these indexes of keep_pos and keep_neg.
func sweepCellNumber(pos, neg int) int { return pos*len(sweep.DefaultRatios().Neg) + neg }

func (a App) clickSweepCell(h hit) App {
	n := len(sweep.DefaultRatios().Neg)
	a.sweep.followStar = false
	a.sweep.pos, a.sweep.neg = h.n/n, h.n%n
	return a
}

func (a App) scrollSweep(_, by int) App { return a.moveSweepPos(-by) }

func (a App) clickAnswer(h hit) App {
	a.answers.focus = h.n
	return a
}

func (a App) scrollBothAnswers(_, by int) App {
	return a.scrollAnswers(wheelLines * by)
}

func (a App) scrollHelp(_, by int) App {
	size := a.helpPageSize()
	a.help.search.scroll = a.helpColumns(size.W, size.H).clampScroll(a.help.search.scroll + wheelLines*by)
	return a
}

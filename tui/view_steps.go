package tui

import (
	"math"
	"slices"

	"vantage/themes"
	"vantage/tui/layout"
)

// stepsState is what the views of all steps draw.
type stepsState struct {
	metric    string // "" is the first
	second    string // drawn over it; "": none
	large     bool   // the chart fills the view
	window    stepWindow
	smoothing int // index of smoothings
	figures   figuresState
	picker    figurePicker
}

func stepsKeys() keySection {
	return keySection{"steps", slices.Concat([]binding{
		{[]string{"j", "down"}, "j ↓", "j k step", "next step", do(App.moveStepInWindow, 1)},
		{[]string{"k", "up"}, "k ↑", "", "previous step", do(App.moveStepInWindow, -1)},
		{[]string{"ctrl+d", "pgdown"}, "^D", "", "ten steps forward", do(App.moveStepInWindow, 10)},
		{[]string{"ctrl+u", "pgup"}, "^U", "", "ten steps back", do(App.moveStepInWindow, -10)},
		{[]string{"g", "home"}, "g", "", "to the first step", do(App.moveStepInWindow, math.MinInt32)},
		{[]string{"G", "end"}, "G", "", "to the newest, and follow it", App.followNewest},
		{[]string{"v"}, "v", "v figure", "draw the next figure", move(App.moveMetric, 1)},
		{[]string{"V"}, "V", "", "draw the previous figure", move(App.moveMetric, -1)},
		{[]string{"+"}, "+", "+ second", "draw the figure together with another, which v changes; again: remove it", App.pinMetric},
		{[]string{"tab"}, "Tab", "Tab all-figures", "all figures as small charts", App.openFigures},
		{[]string{"z"}, "z", "z large", "the chart alone on the screen, and back", App.toggleLarge},
	}, chartKeys(), []binding{
		{[]string{"left", "h"}, "h ←", "", "earlier steps, as H", move(App.panSteps, -1)},
		{[]string{"right", "l"}, "l →", "", "later steps, as L", move(App.panSteps, 1)},
		{[]string{"w"}, "w", "w first-warning", "to the next first occurrence of a warning", do(App.moveFirstWarning, 1)},
		{[]string{"W"}, "W", "", "to the previous one", do(App.moveFirstWarning, -1)},
		{[]string{"enter"}, "⏎", "Enter groups", "to the groups of the step", App.showGroups},
		{[]string{"esc", "3"}, "Esc 3", "Esc back", "back", App.leaveSteps},
	})}
}

// chartKeys are those of all charts over the steps.
func chartKeys() []binding {
	return []binding{
		{[]string{"/"}, "/", "/ find", "find a figure by name or meaning", App.openPicker},
		{[]string{"x"}, "x", "x zoom", "show half as many steps; :range 100 200 shows those", move(App.zoomSteps, 1)},
		{[]string{"X"}, "X", "", "show twice as many, at last all", move(App.zoomSteps, -1)},
		{[]string{"H"}, "H", "", "show earlier steps", move(App.panSteps, -1)},
		{[]string{"L"}, "L", "", "show later steps", move(App.panSteps, 1)},
		{[]string{"A"}, "A", "A average", "smooth the lines by a moving average: off, 0.6, 0.9", App.nextSmoothing},
	}
}

// nextSmoothing goes to the next weight of the moving average.
func (a App) nextSmoothing() App {
	a.steps.smoothing = (a.steps.smoothing + 1) % len(smoothings())
	return a
}

// toggleLarge draws the chart alone, or with the table again; a chart that was opened from the small ones goes back there.
func (a App) toggleLarge() App {
	a.steps.large = !a.steps.large
	if !a.steps.large && a.cameFrom(viewFigures) {
		return a.goBack()
	}
	return a
}

// cameFrom reports whether going back leads to a view.
func (a App) cameFrom(v viewName) bool {
	n := len(a.position.backStack)
	return n > 0 && a.position.backStack[n-1] == v
}

// leaveSteps goes back; from a large chart to the table.
func (a App) leaveSteps() App {
	if a.steps.large {
		return a.toggleLarge()
	}
	return a.goBack()
}

// openSteps opens the view of all steps.
func (a App) openSteps() App { return a.pushView(viewSteps) }

// enterPane opens the view of what the focused pane shows.
func (a App) enterPane() App {
	switch a.panes.focus {
	case layout.Steps:
		return a.openSteps()
	case layout.Warnings:
		return a.enterWarning()
	case layout.Metrics:
		return a.drawMetric()
	default:
		return a.openGroup()
	}
}

// metricNames returns the metrics of the step, those of the pane of steps first.
func (a App) metricNames() []string {
	var names []string
	for _, row := range trendRows() {
		names = append(names, row.metric)
	}
	if a.result.analysis != nil {
		for _, m := range a.result.analysis.Metrics {
			if !slices.Contains(names, m.Name) {
				names = append(names, m.Name)
			}
		}
	}
	return names
}

func (a App) moveMetric(by int) App {
	names := a.metricNames()
	at := max(0, slices.Index(names, a.steps.metric))
	a.steps.metric = names[(at+by+len(names))%len(names)]
	return a
}

func (a App) pinMetric() App {
	if a.steps.second != "" {
		a.steps.second = ""
		return a
	}
	a.steps.second = a.drawnMetric()
	return a.moveMetric(1)
}

func (a App) drawnMetric() string {
	if a.steps.metric == "" {
		return a.metricNames()[0]
	}
	return a.steps.metric
}

// widthForFirstWarnings is the width from which there is a list of first warnings; below it
// they are in the table.
const widthForFirstWarnings = 76

// stepsView draws a metric over all steps, the list of first warnings, and the table.
func (a App) stepsView(w, h int) []string {
	if a.result.trend == nil {
		return a.box(layout.Rect{W: w, H: h}, true, paneContent{title: " steps", lines: []string{"", " " + a.display.theme.Paint(themes.Dim, "computing all steps …")}})
	}
	chart, list := a.stepsLayout(w, h)
	lines := a.box(chart, a.steps.large, a.stepsChart(chart.Inner().W, chart.Inner().H))
	if !list.Empty() {
		lines = joinColumns(lines, a.box(list, false, a.firstWarningList(list.W-2, list.H-2)))
	}
	if chart.H == h {
		return lines
	}
	return append(lines, a.box(layout.Rect{W: w, H: h - chart.H}, true, a.stepsTable(w-2, h-chart.H-2))...)
}

// stepsLayout returns where the chart is and, if there is room, the list of first warnings. The table is below.
func (a App) stepsLayout(w, h int) (chart, list layout.Rect) {
	chart = layout.Rect{W: w, H: h}
	if a.steps.large {
		return chart, list
	}
	chart.H = min(max(7, min(h*2/5, 20)), max(3, h-4))
	if w >= widthForFirstWarnings {
		list = layout.Rect{W: max(32, min(w/3, 56)), H: chart.H}
		chart.W -= list.W
	}
	return chart, list
}

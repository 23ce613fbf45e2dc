package tui

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/layout"
)

// figuresState is where the person is among the small charts.
type figuresState struct {
	cursor int // index of the figure
	topRow int // the first row of charts in sight
}

func figuresKeys() keySection {
	return keySection{"all metrics", slices.Concat([]binding{
		{[]string{"h", "left"}, "h ←", "h j k l metric", "the metric to the left", within(stepsOf, by((*stepsState).moveFigure, -1))},
		{[]string{"l", "right"}, "l →", "", "the metric to the right", within(stepsOf, by((*stepsState).moveFigure, 1))},
		{[]string{"j", "down"}, "j ↓", "", "a row down", within(stepsOf, by((*stepsState).moveFigureRow, 1))},
		{[]string{"k", "up"}, "k ↑", "", "a row up", within(stepsOf, by((*stepsState).moveFigureRow, -1))},
		{[]string{"ctrl+d", "pgdown"}, "^D", "", "five rows down", within(stepsOf, by((*stepsState).moveFigureRow, 5))},
		{[]string{"ctrl+u", "pgup"}, "^U", "", "five rows up", within(stepsOf, by((*stepsState).moveFigureRow, -5))},
		{[]string{"g", "home"}, "g", "", "to the first metric", within(stepsOf, by((*stepsState).moveFigure, math.MinInt32))},
		{[]string{"G", "end"}, "G", "", "to the last", within(stepsOf, by((*stepsState).moveFigure, math.MaxInt32))},
		{[]string{"z"}, "z", "z large", "the chart alone on the screen, and back", func(a App) App { a = a.openFigure(); a.views.steps.large = true; return a }},
		{[]string{"enter"}, "⏎", "Enter steps", "draw it above the table of steps", App.openFigure},
	}, chartKeys(), []binding{
		{[]string{"esc", "tab"}, "Esc", "Esc back", "back", App.escape},
	})}
}

func (a App) openFigures() App {
	a.views.steps.figures.cursor = max(0, slices.Index(a.env.metricNames(), a.views.steps.drawnMetric(a.env)))
	a.views.steps.large = false
	a = a.pushView(viewFigures)
	a.views.steps.moveFigure(a.env, 0)
	return a
}

// openFigure draws the figure under the cursor above the table of steps, from where Esc leads back.
func (a App) openFigure() App {
	names := a.env.metricNames()
	a.views.steps.metric = names[clampIndex(a.views.steps.figures.cursor, len(names))]
	a.views.steps.large = false
	a.position.backStack = append(slices.DeleteFunc(slices.Clone(a.position.backStack), func(v viewName) bool { return v == viewSteps || v == viewFigures }), viewFigures)
	return a.openView(viewSteps)
}

func (s *stepsState) moveFigure(e env, by int) action {
	s.figures.cursor = clampIndex(s.figures.cursor+by, len(e.metricNames()))
	return s.scrollFigures(e)
}

func (s *stepsState) moveFigureRow(e env, by int) action {
	columns := s.figureGridOnScreen(e).columns
	at, n := s.figures.cursor, len(e.metricNames())
	if to := at + by*columns; to >= 0 && to < n || by < -1 || by > 1 {
		s.figures.cursor = clampIndex(to, n)
	}
	return s.scrollFigures(e)
}

func (s *stepsState) scrollFigures(e env) action {
	grid := s.figureGridOnScreen(e)
	row := s.figures.cursor / grid.columns
	top := min(s.figures.topRow, row)
	s.figures.topRow = max(top, row-grid.rows+1)
	return nil
}

// The least size of a small chart with its title.
const (
	smallChartWidth  = 38
	smallChartHeight = 5
)

// figureGrid is where the small charts are.
type figureGrid struct {
	columns, rows int // of charts in sight
	first         int // index of the first chart in sight
	inSight       []string
	w, h          int // of a chart with its title
}

func (s stepsState) figureGrid(e env, w, h int) figureGrid {
	in, names := layout.Rect{W: w, H: h}.Inner(), e.metricNames()
	g := figureGrid{columns: max(1, in.W/smallChartWidth), rows: max(1, (in.H-rowsBelowPlot)/smallChartHeight)}
	g.w, g.h = in.W/g.columns, max(2, (in.H-rowsBelowPlot)/g.rows)
	last := max(0, (len(names)+g.columns-1)/g.columns-g.rows)
	g.first = min(s.figures.topRow, last) * g.columns
	g.inSight = names[g.first:min(len(names), g.first+g.columns*g.rows)]
	return g
}

func (s stepsState) figureGridOnScreen(e env) figureGrid {
	return s.figureGrid(e, e.display.w, max(3, e.display.bodyHeight()))
}

// figuresView draws all figures over the steps as small charts with a common axis of steps, each below its name and its value at the
// step on the screen.
func (s stepsState) figuresView(e env, w, h int) []string {
	if e.result.trend == nil {
		return e.display.waiting(" all metrics", computingSteps, w, h)
	}
	t, g, n := e.display.theme, s.figureGrid(e, w, h), len(e.metricNames())
	here := clampIndex(s.figures.cursor, n)
	c := paneContent{title: " all metrics  " + units.Count(n) + e.legend()}
	drawn, meanOf := s.drawFigures(e, g.inSight, "", g.w, g.h-1).charts, 1
	c.lines = make([]string, g.rows*g.h)
	for i, one := range drawn {
		name := g.inSight[i]
		meanOf = one.meanOf
		value := metricText(name, e.result.analysis.Last().Metric(name))
		title := cells.Justify(t.Paint(themes.Title, trimPath(sanitize.Line(name), g.w-len(value)-4)), t.Paint(themes.Accent, value), g.w-2)
		for y, line := range append([]string{e.display.cell(title, g.first+i == here)}, one.rows...) {
			c.lines[i/g.columns*g.h+y] += cells.Fit(line, g.w)
		}
	}
	if len(drawn) > 0 {
		for _, line := range e.chartAxis(drawn[0]) {
			c.lines = append(c.lines, strings.Repeat(cells.Fit(line, g.w), g.columns))
		}
	}
	c.note = s.chartNote(e, fmt.Sprintf("%d/%d", here+1, n), meanOf, w-2)
	return e.display.box(layout.Rect{W: w, H: h}, true, c)
}

// figureCache is the charts over the steps as they are drawn: computed once for each change of what they show,
// since each goes through all steps of all runs.
type figureCache struct {
	key    figureKey
	charts []stepChart
}

// figureKey is all that a figureCache depends on.
type figureKey struct {
	trend, base, second *analysis.Trend
	names, over         string // the figures, and the one over each
	w, h                int
	window              stepWindow
	smoothing           float64
	theme               *themes.Theme
	ascii               bool
}

// drawFigures returns the charts of figures in w columns and h rows each, those of the cache if it has them.
func (s stepsState) drawFigures(e env, names []string, second string, w, h int) figureCache {
	key := figureKey{
		trend: e.result.trend, second: e.second.trend.value.trend, names: strings.Join(names, "\n"), over: second, w: w, h: h,
		window: s.window, smoothing: s.smoothing, theme: e.display.theme, ascii: e.display.glyphs.ASCII,
	}
	if e.settings.base.on {
		key.base = e.result.baseTrend
	}
	if key == s.cache.key {
		return s.cache
	}
	charts := model.Mapped(names, func(name string) stepChart { return s.newChart(e, name, second, w, h) })
	return figureCache{key, charts}
}

// updateFigureCache draws what the next frame shows of figures over the steps, unless it is there.
func (a App) updateFigureCache() App {
	if a.env.result.trend == nil || a.env.result.analysis == nil || !a.position.drawsSteps() || a.env.display.isTooSmall() {
		return a
	}
	frame := a.shortened(len(a.bottomLines(a.env.display.w)) - 1)
	w, h := frame.env.display.w, frame.env.display.bodyHeight()
	names, second := []string{a.views.steps.drawnMetric(a.env)}, a.views.steps.second
	if a.position.viewInSight() == viewFigures {
		grid := a.views.steps.figureGrid(a.env, w, h)
		names, second, w, h = grid.inSight, "", grid.w, grid.h-1
	} else {
		chart, _ := a.views.steps.layout(w, h)
		w, h = chart.Inner().W, chart.Inner().H-rowsBelowPlot
	}
	a.views.steps.cache = a.views.steps.drawFigures(a.env, names, second, w, h)
	return a
}

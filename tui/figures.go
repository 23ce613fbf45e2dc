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
	"vantage/tui/env"
	"vantage/tui/layout"
	"vantage/tui/pane"
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
	a.views.steps.figures.cursor = max(0, slices.Index(metricNames(a.env), a.views.steps.drawnMetric(a.env)))
	a.views.steps.large = false
	a = a.pushView(viewFigures)
	a.views.steps.moveFigure(a.env, 0)
	return a
}

// openFigure draws the figure under the cursor above the table of steps, from where Esc leads back.
func (a App) openFigure() App {
	names := metricNames(a.env)
	a.views.steps.metric = names[pane.ClampIndex(a.views.steps.figures.cursor, len(names))]
	a.views.steps.large = false
	a.position.backStack = append(slices.DeleteFunc(slices.Clone(a.position.backStack), func(v viewName) bool { return v == viewSteps || v == viewFigures }), viewFigures)
	return a.openView(viewSteps)
}

func (s *stepsState) moveFigure(e env.Env, by int) action {
	s.figures.cursor = pane.ClampIndex(s.figures.cursor+by, len(metricNames(e)))
	return s.scrollFigures(e)
}

func (s *stepsState) moveFigureRow(e env.Env, by int) action {
	columns := s.figureGridOnScreen(e).columns
	at, n := s.figures.cursor, len(metricNames(e))
	if to := at + by*columns; to >= 0 && to < n || by < -1 || by > 1 {
		s.figures.cursor = pane.ClampIndex(to, n)
	}
	return s.scrollFigures(e)
}

func (s *stepsState) scrollFigures(e env.Env) action {
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

func (s stepsState) figureGrid(e env.Env, w, h int) figureGrid {
	in, names := layout.Rect{W: w, H: h}.Inner(), metricNames(e)
	g := figureGrid{columns: max(1, in.W/smallChartWidth), rows: max(1, (in.H-rowsBelowPlot)/smallChartHeight)}
	g.w, g.h = in.W/g.columns, max(2, (in.H-rowsBelowPlot)/g.rows)
	last := max(0, (len(names)+g.columns-1)/g.columns-g.rows)
	g.first = min(s.figures.topRow, last) * g.columns
	g.inSight = names[g.first:min(len(names), g.first+g.columns*g.rows)]
	return g
}

func (s stepsState) figureGridOnScreen(e env.Env) figureGrid {
	return s.figureGrid(e, e.Display.W, max(3, e.Display.BodyHeight()))
}

// figuresView draws all figures over the steps as small charts with a common axis of steps, each below its name and its value at the
// step on the screen.
func (s stepsState) figuresView(e env.Env, w, h int) []string {
	if e.Result.Trend == nil {
		return e.Display.Waiting(" all metrics", computingSteps, w, h)
	}
	t, g, n := e.Display.Theme, s.figureGrid(e, w, h), len(metricNames(e))
	here := pane.ClampIndex(s.figures.cursor, n)
	c := pane.Content{Title: " all metrics  " + units.Count(n) + runLegend(e)}
	drawn, meanOf := s.drawFigures(e, g.inSight, "", g.w, g.h-1).charts, 1
	c.Lines = make([]string, g.rows*g.h)
	for i, one := range drawn {
		name := g.inSight[i]
		meanOf = one.meanOf
		value := metricText(name, e.Result.Analysis.Last().Metric(name))
		title := cells.Justify(t.Paint(themes.Title, trimPath(sanitize.Line(name), g.w-len(value)-4)), t.Paint(themes.Accent, value), g.w-2)
		for y, line := range append([]string{e.Display.Cell(title, g.first+i == here)}, one.rows...) {
			c.Lines[i/g.columns*g.h+y] += cells.Fit(line, g.w)
		}
	}
	if len(drawn) > 0 {
		for _, line := range chartAxis(e, drawn[0]) {
			c.Lines = append(c.Lines, strings.Repeat(cells.Fit(line, g.w), g.columns))
		}
	}
	c.Note = s.chartNote(e, fmt.Sprintf("%d/%d", here+1, n), meanOf, w-2)
	return e.Display.Box(layout.Rect{W: w, H: h}, true, c)
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
func (s stepsState) drawFigures(e env.Env, names []string, second string, w, h int) figureCache {
	key := figureKey{
		trend: e.Result.Trend, second: e.Second.Trend.Value.Trend, names: strings.Join(names, "\n"), over: second, w: w, h: h,
		window: s.window, smoothing: s.smoothing, theme: e.Display.Theme, ascii: e.Display.Glyphs.ASCII,
	}
	if e.Settings.Base.On {
		key.base = e.Result.BaseTrend
	}
	if key == s.cache.key {
		return s.cache
	}
	charts := model.Mapped(names, func(name string) stepChart { return s.newChart(e, name, second, w, h) })
	return figureCache{key, charts}
}

// updateFigureCache draws what the next frame shows of figures over the steps, unless it is there.
func (a App) updateFigureCache() App {
	if a.env.Result.Trend == nil || a.env.Result.Analysis == nil || !a.position.drawsSteps() || a.env.Display.IsTooSmall() {
		return a
	}
	frame := a.shortened(len(a.bottomLines(a.env.Display.W)) - 1)
	w, h := frame.env.Display.W, frame.env.Display.BodyHeight()
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

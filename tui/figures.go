package tui

import (
	"fmt"
	"math"
	"slices"
	"strings"

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
	return keySection{"all figures", slices.Concat([]binding{
		{[]string{"h", "left"}, "h ←", "h j k l figure", "the figure to the left", move(App.moveFigure, -1)},
		{[]string{"l", "right"}, "l →", "", "the figure to the right", move(App.moveFigure, 1)},
		{[]string{"j", "down"}, "j ↓", "", "a row down", move(App.moveFigureRow, 1)},
		{[]string{"k", "up"}, "k ↑", "", "a row up", move(App.moveFigureRow, -1)},
		{[]string{"ctrl+d", "pgdown"}, "^D", "", "five rows down", move(App.moveFigureRow, 5)},
		{[]string{"ctrl+u", "pgup"}, "^U", "", "five rows up", move(App.moveFigureRow, -5)},
		{[]string{"g", "home"}, "g", "", "to the first figure", move(App.moveFigure, math.MinInt32)},
		{[]string{"G", "end"}, "G", "", "to the last", move(App.moveFigure, math.MaxInt32)},
		{[]string{"z"}, "z", "z large", "the chart alone on the screen, and back", App.enlargeFigure},
		{[]string{"enter"}, "⏎", "Enter steps", "draw it above the table of steps", App.openFigure},
	}, chartKeys(), []binding{
		{[]string{"esc", "tab"}, "Esc", "Esc back", "back", App.escape},
	})}
}

// openFigures opens the small charts, the cursor on the figure that is drawn.
func (a App) openFigures() App {
	a.steps.figures.cursor = max(0, slices.Index(a.metricNames(), a.drawnMetric()))
	a.steps.large = false
	a = a.pushView(viewFigures)
	return a.moveFigure(0)
}

// enlargeFigure draws the figure under the cursor alone.
func (a App) enlargeFigure() App {
	a = a.openFigure()
	a.steps.large = true
	return a
}

// openFigure draws the figure under the cursor above the table of steps, from where Esc leads back.
func (a App) openFigure() App {
	names := a.metricNames()
	a.steps.metric = names[clampIndex(a.steps.figures.cursor, len(names))]
	a.steps.large = false
	a.position.backStack = append(slices.DeleteFunc(slices.Clone(a.position.backStack), func(v viewName) bool { return v == viewSteps || v == viewFigures }), viewFigures)
	return a.openView(viewSteps)
}

func (a App) moveFigure(by int) App {
	a.steps.figures.cursor = clampIndex(a.steps.figures.cursor+by, len(a.metricNames()))
	return a.scrollFigures()
}

func (a App) moveFigureRow(by int) App {
	columns := a.figureGridOnScreen().columns
	at, n := a.steps.figures.cursor, len(a.metricNames())
	if to := at + by*columns; to >= 0 && to < n || by < -1 || by > 1 {
		a.steps.figures.cursor = clampIndex(to, n)
	}
	return a.scrollFigures()
}

// scrollFigures scrolls the cursor into sight.
func (a App) scrollFigures() App {
	grid := a.figureGridOnScreen()
	row := a.steps.figures.cursor / grid.columns
	top := min(a.steps.figures.topRow, row)
	a.steps.figures.topRow = max(top, row-grid.rows+1)
	return a
}

// figureGrid is where the small charts are.
type figureGrid struct {
	names         []string // of all figures
	columns, rows int      // of charts in sight
	first         int      // index of the first chart in sight
	w, h          int      // of a chart with its title
}

// The least size of a small chart with its title.
const (
	smallChartWidth  = 38
	smallChartHeight = 5
)

// figureGrid divides a box of w×h cells.
func (a App) figureGrid(w, h int) figureGrid {
	in := layout.Rect{W: w, H: h}.Inner()
	g := figureGrid{names: a.metricNames(), columns: max(1, in.W/smallChartWidth)}
	g.w = in.W / g.columns
	g.rows = max(1, (in.H-rowsBelowPlot)/smallChartHeight)
	g.h = max(2, (in.H-rowsBelowPlot)/g.rows)
	last := max(0, (len(g.names)+g.columns-1)/g.columns-g.rows)
	g.first = min(a.steps.figures.topRow, last) * g.columns
	return g
}

func (a App) figureGridOnScreen() figureGrid {
	s := a.screen()
	return a.figureGrid(a.display.w, max(3, a.display.h-s.Header.H-1))
}

// inSight returns the names of the figures in sight.
func (g figureGrid) inSight() []string {
	return g.names[g.first:min(len(g.names), g.first+g.columns*g.rows)]
}

// plotHeight returns the rows of a chart below its title.
func (g figureGrid) plotHeight() int { return g.h - 1 }

// figuresView draws all figures over the steps as small charts with a common axis of steps.
func (a App) figuresView(w, h int) []string {
	box, t := layout.Rect{W: w, H: h}, a.display.theme
	if a.result.trend == nil {
		return a.box(box, true, paneContent{title: " all figures", lines: []string{"", " " + t.Paint(themes.Dim, "computing all steps …")}})
	}
	g := a.figureGrid(w, h)
	c := paneContent{title: " all figures  " + units.Count(len(g.names)) + a.legend()}
	drawn, perDot := a.drawnFigures(g.inSight(), "", g.w, g.plotHeight()), 1
	for row := 0; row*g.columns < len(drawn); row++ {
		lines := make([]string, g.h)
		for i := row * g.columns; i < min(len(drawn), (row+1)*g.columns); i++ {
			perDot = drawn[i].chart.perDot
			for y, line := range append([]string{a.smallTitle(g.first+i, g)}, drawn[i].rows...) {
				lines[y] += cells.Fit(line, g.w)
			}
		}
		c.lines = append(c.lines, lines...)
	}
	for len(c.lines) < g.rows*g.h {
		c.lines = append(c.lines, "")
	}
	c.lines = append(c.lines, a.figureAxes(g, drawn)...)
	at := fmt.Sprintf("%d/%d", clampIndex(a.steps.figures.cursor, len(g.names))+1, len(g.names))
	c.note = a.chartNote(at, perDot, w-2)
	return a.box(box, true, c)
}

// smallTitle returns the name of a figure and its value at the step on the screen.
func (a App) smallTitle(i int, g figureGrid) string {
	t, name := a.display.theme, g.names[i]
	value := metricText(name, a.result.analysis.Last().Metric(name))
	title := cells.Justify(t.Paint(themes.Title, trimPathPrefix(sanitize.Line(name), g.w-len(value)-4)), t.Paint(themes.Accent, value), g.w-2)
	return a.cell(title, i == clampIndex(a.steps.figures.cursor, len(g.names)))
}

// figureAxes returns the ruler and the step numbers below each column of charts.
func (a App) figureAxes(g figureGrid, drawn []drawnFigure) []string {
	if len(drawn) == 0 {
		return nil
	}
	x, w := drawn[0].chart.plot.X, drawn[0].chart.plotWidth(g.w)
	ruler := cells.Fit(cells.Spaces(valueWidth)+a.stepsRuler(x, w), g.w)
	numbers := cells.Fit(cells.Spaces(valueWidth)+a.display.theme.Paint(themes.Dim, x.StepLabels(w)), g.w)
	return []string{strings.Repeat(ruler, g.columns), strings.Repeat(numbers, g.columns)}
}

// figureCache is the charts over the steps as they are drawn: computed once for each change of what they show,
// since each goes through all steps of all runs.
type figureCache struct {
	key    figureKey
	charts []drawnFigure
}

// drawnFigure is the chart of a figure.
type drawnFigure struct {
	chart stepChart
	rows  []string // plot and labels
}

// figureKey is all that a figureCache depends on.
type figureKey struct {
	trend, base, second *analysis.Trend
	names, over         string // the figures, and the one over each
	w, h                int
	window              stepWindow
	smoothing           int
	theme               *themes.Theme
	ascii               bool
}

// drawnFigures returns the charts of figures in w columns and h rows each, from the cache if it has them.
func (a App) drawnFigures(names []string, second string, w, h int) []drawnFigure {
	if key := a.figureKey(names, second, w, h); key != a.result.figures.key {
		return a.drawFigures(key, names)
	}
	return a.result.figures.charts
}

func (a App) figureKey(names []string, second string, w, h int) figureKey {
	key := figureKey{
		trend: a.result.trend, second: a.second.trend.value, names: strings.Join(names, "\n"), over: second, w: w, h: h,
		window: a.steps.window, smoothing: a.steps.smoothing, theme: a.display.theme, ascii: a.display.glyphs.ASCII,
	}
	if a.settings.base.on {
		key.base = a.result.baseTrend
	}
	return key
}

func (a App) drawFigures(key figureKey, names []string) []drawnFigure {
	all := make([]drawnFigure, len(names))
	for i, name := range names {
		c := a.newStepChart(name, key.over, key.w)
		all[i] = drawnFigure{c, c.draw(a.display.theme, a.display.glyphs, key.w, key.h)}
	}
	return all
}

// updateFigureCache draws what the next frame shows of figures over the steps, unless it is there.
func (a App) updateFigureCache() App {
	if a.result.trend == nil || a.result.analysis == nil || !a.drawsSteps() || a.screen().TooSmall {
		return a
	}
	frame := a.shortened(len(a.bottomLines(a.display.w)) - 1)
	w, h := frame.display.w, frame.display.h-frame.screen().Header.H-1
	names, second := []string{a.drawnMetric()}, a.steps.second
	if a.viewInSight() == viewFigures {
		grid := a.figureGrid(w, h)
		names, second, w, h = grid.inSight(), "", grid.w, grid.plotHeight()
	} else {
		chart, _ := a.stepsLayout(w, h)
		w, h = chart.Inner().W, chart.Inner().H-rowsBelowPlot
	}
	if key := a.figureKey(names, second, w, h); key != a.result.figures.key {
		a.result.figures = figureCache{key, a.drawFigures(key, names)}
	}
	return a
}

package steps

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/diagnosis"
	"vantage/model/figures"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/env"
	"vantage/tui/glossary"
	"vantage/tui/layout"
	"vantage/tui/pane"
	"vantage/tui/trend"
	"vantage/tui/view"
)

// figuresState is where the person is among the small charts.
type figuresState struct {
	Cursor int // index of the figure
	topRow int // the first row of charts in sight
}

// Small is the view of all metrics as small charts.
type Small struct{ *View }

// StateOf is that of the view of all steps.
func (Small) StateOf() view.Name { return view.Steps }

// Draw draws them.
func (s Small) Draw(e env.Env, w, h int) []string { return s.figuresView(e, w, h) }

// SavedAs leaves it to the view that it was opened from.
func (Small) SavedAs() string { return "" }

// Prepare draws the charts that are in sight.
func (s Small) Prepare(e env.Env, w, h int) {
	if e.Result.Trend != nil {
		grid := s.gridIn(e, w, h)
		s.Cache = s.DrawFigures(e, grid.InSight, "", grid.W, grid.H-1)
	}
}

// OnMouse leaves the wheel to what is below the pointer.
func (Small) OnMouse(env.Env, view.Mouse) (view.Want, bool) { return nil, false }

// Explains returns the metrics of the charts, from that under the cursor on.
func (s Small) Explains(e env.Env) glossary.List {
	names := trend.MetricNames(e)
	return glossary.List{}.At(figures.Metrics, names[pane.ClampIndex(s.Figures.Cursor, len(names)):]...)
}

// Keys of the charts.
func (Small) Keys() view.Section {
	return view.Section{Name: "all metrics", Bindings: slices.Concat([]view.Binding{
		{
			Keys: []string{"h", "left"}, Label: "h ←", Hint: "h j k l metric",
			Doc: "the metric to the left",
			Do:  view.By(Small.moveFigure, -1),
		},
		{Keys: []string{"l", "right"}, Label: "l →", Doc: "the metric to the right", Do: view.By(Small.moveFigure, 1)},
		{Keys: []string{"j", "down"}, Label: "j ↓", Doc: "a row down", Do: view.By(Small.moveFigureRow, 1)},
		{Keys: []string{"k", "up"}, Label: "k ↑", Doc: "a row up", Do: view.By(Small.moveFigureRow, -1)},
		{Keys: []string{"ctrl+d", "pgdown"}, Label: "^D", Doc: "five rows down", Do: view.By(Small.moveFigureRow, 5)},
		{Keys: []string{"ctrl+u", "pgup"}, Label: "^U", Doc: "five rows up", Do: view.By(Small.moveFigureRow, -5)},
		{Keys: []string{"g", "home"}, Label: "g", Doc: "to the first metric", Do: view.By(Small.moveFigure, math.MinInt32)},
		{Keys: []string{"G", "end"}, Label: "G", Doc: "to the last", Do: view.By(Small.moveFigure, math.MaxInt32)},
		{Keys: []string{"z"}, Label: "z", Hint: "z large", Doc: "the chart alone on the screen, and back", Do: view.Key(Small.drawLarge)},
		{Keys: []string{"enter"}, Label: "⏎", Hint: "Enter steps", Doc: "draw it above the table of steps", Do: view.Key(Small.draw)},
	}, chartKeys[Small](), []view.Binding{
		{Keys: []string{"esc", "tab"}, Label: "Esc", Hint: "Esc back", Doc: "back", Do: view.Ask(view.Escape{})},
	})}
}

// OnOpen puts the cursor on the metric that is drawn.
func (s Small) OnOpen(e env.Env) {
	s.Figures.Cursor = max(0, slices.Index(trend.MetricNames(e), s.DrawnMetric(e)))
	s.large = false
	s.moveFigure(e, 0)
}

// draw draws the figure under the cursor above the table of steps, from where Esc leads back.
func (s Small) draw(e env.Env) view.Want {
	names := trend.MetricNames(e)
	s.Metric = names[pane.ClampIndex(s.Figures.Cursor, len(names))]
	s.large = false
	return view.PushAnew{View: view.Steps}
}

// drawLarge has the chart alone on the screen.
func (s Small) drawLarge(e env.Env) view.Want {
	w := s.draw(e)
	s.large = true
	return w
}

func (s *View) moveFigure(e env.Env, by int) view.Want {
	s.Figures.Cursor = pane.ClampIndex(s.Figures.Cursor+by, len(trend.MetricNames(e)))
	return s.ScrollFigures(e)
}

func (s *View) moveFigureRow(e env.Env, by int) view.Want {
	columns := s.figureGridOnScreen(e).columns
	at, n := s.Figures.Cursor, len(trend.MetricNames(e))
	to, byPages := at+by*columns, by < -1 || by > 1
	if isChart := to >= 0 && to < n; isChart || byPages {
		s.Figures.Cursor = pane.ClampIndex(to, n)
	}
	return s.ScrollFigures(e)
}

// ScrollFigures brings the chart under the cursor into sight.
func (s *View) ScrollFigures(e env.Env) view.Want {
	grid := s.figureGridOnScreen(e)
	row := s.Figures.Cursor / grid.columns
	top := min(s.Figures.topRow, row)
	s.Figures.topRow = max(top, row-grid.rows+1)
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
	InSight       []string
	W, H          int // of a chart with its title
}

// gridIn returns where the charts are in w×h cells.
func (s View) gridIn(e env.Env, w, h int) figureGrid {
	in, names := layout.Rect{W: w, H: h}.Inner(), trend.MetricNames(e)
	g := figureGrid{columns: max(1, in.W/smallChartWidth), rows: max(1, (in.H-trend.RowsBelowPlot)/smallChartHeight)}
	g.W, g.H = in.W/g.columns, max(2, (in.H-trend.RowsBelowPlot)/g.rows)
	last := max(0, (len(names)+g.columns-1)/g.columns-g.rows)
	g.first = min(s.Figures.topRow, last) * g.columns
	g.InSight = names[g.first:min(len(names), g.first+g.columns*g.rows)]
	return g
}

func (s View) figureGridOnScreen(e env.Env) figureGrid {
	return s.gridIn(e, e.Display.W, max(3, e.Display.BodyHeight()))
}

// figuresView draws all figures over the steps as small charts with a common axis of steps, each below its name and its value at the
// step on the screen.
func (s View) figuresView(e env.Env, w, h int) []string {
	if e.Result.Trend == nil {
		return e.Display.Waiting(" all metrics", trend.ComputingSteps, w, h)
	}
	t, g, n := e.Display.Theme, s.gridIn(e, w, h), len(trend.MetricNames(e))
	here := pane.ClampIndex(s.Figures.Cursor, n)
	inSight := fmt.Sprintf("%d–%d of %s", g.first+1, g.first+len(g.InSight), units.Count(n))
	c := pane.Content{Title: " all metrics  " + inSight + runLegend(e)}
	drawn, meanOf, last := s.DrawFigures(e, g.InSight, "", g.W, g.H-1).Charts, 1, e.Result.Analysis.Last()
	c.Lines = make([]string, g.rows*g.H)
	for i, one := range drawn {
		name := g.InSight[i]
		meanOf = one.MeanOf
		value := trend.MetricText(name, last.Metric(name)) + trend.WithoutNaN(&last.StepFigures, name)
		short := trend.TrimPath(sanitize.Line(name), g.W-len(value)-4)
		title := cells.Justify(t.Paint(themes.Title, short), t.Paint(themes.Accent, value), g.W-2)
		for y, line := range append([]string{e.Display.Cell(title, g.first+i == here)}, one.Rows...) {
			c.Lines[i/g.columns*g.H+y] += cells.Fit(line, g.W)
		}
	}
	if len(drawn) > 0 {
		for _, line := range trend.ChartAxis(e, drawn[0]) {
			c.Lines = append(c.Lines, strings.Repeat(cells.Fit(line, g.W), g.columns))
		}
	}
	c.Note = s.chartNote(e, fmt.Sprintf("%d/%d", here+1, n), meanOf, w-2)
	return e.Display.Box(layout.Rect{W: w, H: h}, true, c)
}

// FigureCache is the charts over the steps as they are drawn: computed once for each change of what they show,
// since each goes through all steps of all runs.
type FigureCache struct {
	Key    figureKey
	Charts []trend.StepChart
}

// figureKey is all that a FigureCache depends on.
type figureKey struct {
	trend, base, second *analysis.Trend
	Names, Over         string             // the figures, and the one over each
	worst               *diagnosis.Finding // whose steps are in red
	W, H                int
	window              StepWindow
	smoothing           float64
	theme               *themes.Theme
	ascii               bool
}

// DrawFigures returns the charts of figures in w columns and h rows each, those of the cache if it has them.
func (s View) DrawFigures(e env.Env, names []string, second string, w, h int) FigureCache {
	key := figureKey{
		trend: e.Result.Trend, second: e.Second.Trend.Value.Trend, Names: strings.Join(names, "\n"), Over: second, W: w, H: h,
		worst: e.Found(0), window: s.Window, smoothing: s.smoothing, theme: e.Display.Theme, ascii: e.Display.Glyphs.ASCII,
	}
	if e.Settings.Base.On {
		key.base = e.Result.BaseTrend
	}
	if key == s.Cache.Key {
		return s.Cache
	}
	charts := model.Mapped(names, func(name string) trend.StepChart { return s.NewChart(e, name, second, w, h) })
	return FigureCache{key, charts}
}

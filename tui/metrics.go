package tui

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/figures"
	"vantage/model/report"
	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/env"
	"vantage/tui/layout"
	"vantage/tui/pane"
)

// metricWidth is the least width of a column, without a difference from the baseline.
const metricWidth = 36

// deltaWidth is the width of a difference from the baseline.
const deltaWidth = 10

// metrics lists the metrics of the step, under the trainers' names, in columns.
func (p panes) metrics(e env.Env, w, h int) pane.Content {
	x := e.ShownFigures()
	if x == nil {
		return pane.Content{Title: "metrics  " + e.ShownCount(), Lines: []string{" " + e.Display.Theme.Paint(themes.Dim, "computing the metrics of the groups shown …")}}
	}
	all, t := x.Metrics, e.Display.Theme
	columns, hidden := metricLayout(e, len(all), w, h)
	width := w / columns
	c := pane.Content{Title: fmt.Sprintf("metrics  %d · %s", len(all), e.ScopeWords())}
	if of := e.ShownCount(); of != "" {
		c.Title += " · " + of + " groups shown"
	}
	c.Title += " · advantages by length" // those of the pane beside it are of samples
	if hidden > 0 {
		c.Note = fmt.Sprintf("%d–%d/%d", p.metricScroll*columns+1, min(len(all), (p.metricScroll+h)*columns), len(all))
	}
	deltaRoom, base := 0, e.BaselineFigures()
	if base != nil {
		deltaRoom = deltaWidth
		c.Title += " · Δ against " + env.SettingsInWords(e.Settings.Base.Settings)
	}
	for y := range h {
		line := ""
		for x := range columns {
			at := p.metricScroll*columns + x*h + y
			if at >= len(all) {
				break
			}
			name := t.Paint(themes.Dim, trimPath(sanitize.Line(all[at].Name), width-9-deltaRoom))
			value := metricText(all[at].Name, all[at].Value)
			if base != nil {
				value += cells.FitRight(e.Display.PaintDelta(all[at].Value-base.Metric(all[at].Name)), deltaWidth)
			}
			line += e.Display.Mark(pane.OnMetric, at, e.Display.Cell(cells.Justify(name, value, width-2), p.focus == layout.Metrics && at == pane.ClampIndex(p.metric, len(all))))
		}
		c.Lines = append(c.Lines, line)
	}
	return c
}

// metricText returns the value of a metric. Where one of ours is not defined it is missing; a trainer's is nan, as
// the trainer logs it.
func metricText(name string, x float64) string {
	if math.IsNaN(x) && strings.HasPrefix(name, "vantage/") {
		return units.Missing
	}
	return units.Short(x)
}

// metricLayout returns in how many columns n metrics are listed in w×h cells, as many as fit and are needed, and how many rows are
// out of sight.
func metricLayout(e env.Env, n, w, h int) (columns, hidden int) {
	width := metricWidth
	if e.BaselineFigures() != nil {
		width += deltaWidth
	}
	columns = max(1, min(w/width, (n+h-1)/max(1, h)))
	return columns, max(0, (n+columns-1)/columns-h)
}

// trimPath cuts a path to w cells: before its last element, which tells it from its neighbours, as long as the beginning says whose it is.
func trimPath(name string, w int) string {
	const leastBegin = 4
	at := strings.LastIndexByte(name, '/')
	room := w - cells.Width(name[at+1:]) - 1
	switch {
	case cells.Width(name) <= w:
		return name
	case at < 0 || room < leastBegin:
		return cells.TruncateLeft(name, w)
	}
	return cells.Truncate(name[:at], room) + name[at:]
}

func (p *panes) moveMetric(e env.Env, by int) {
	x, in := e.ShownFigures(), p.screen(e).Panes[layout.Metrics].Inner()
	if x == nil || in.H == 0 {
		return
	}
	p.metric = pane.ClampIndex(p.metric+by, len(x.Metrics))
	columns, hidden := metricLayout(e, len(x.Metrics), in.W, in.H)
	top := min(p.metricScroll, p.metric/columns)
	least := (p.metric - columns*in.H + columns) / columns // the row at the top while it is in the last cell
	p.metricScroll = min(max(0, top, least), hidden)
}

func (p *panes) drawMetric(e env.Env) action {
	x := e.ShownFigures()
	if x == nil || len(x.Metrics) == 0 {
		return nil
	}
	return drawing(x.Metrics[pane.ClampIndex(p.metric, len(x.Metrics))].Name)
}

// figurePicker is the state of the list of figures.
type figurePicker struct {
	query  string
	cursor int
}

func figureListKeys() keySection {
	return keySection{"list of metrics", pickerKeys(pane.OnFigure,
		binding{[]string{"enter"}, "⏎", "Enter draw", "draw the metric over the steps", within(stepsOf, (*stepsState).drawPicked)})}
}

func (s *stepsState) openPicker(e env.Env) action {
	s.picker = figurePicker{cursor: max(0, slices.Index(metricNames(e), s.drawnMetric(e)))}
	return pushing(viewFigureList)
}

// pickedFigures returns the figures that the query fits: first those whose name contains it, then those whose name has its
// letters in their order, then those whose meaning contains it.
func (s stepsState) pickedFigures(e env.Env) []string {
	names := metricNames(e)
	words := strings.Fields(strings.ToLower(s.picker.query))
	if len(words) == 0 {
		return names
	}
	ranked := make([][]string, 3)
	for _, name := range names {
		if rank := rankFigure(name, words); rank >= 0 {
			ranked[rank] = append(ranked[rank], name)
		}
	}
	return slices.Concat(ranked...)
}

// rankFigure returns how a figure fits to words, 0 being best; −1: it does not.
func rankFigure(name string, words []string) int {
	rank, lower, meaning := 0, strings.ToLower(name), strings.ToLower(figureMeaning(name))
	for _, word := range words {
		switch {
		case strings.Contains(lower, word):
		case model.HasLettersInOrder(lower, word):
			rank = max(rank, 1)
		case strings.Contains(meaning, word):
			rank = 2
		default:
			return -1
		}
	}
	return rank
}

func figureMeaning(name string) string {
	entry, _ := figures.Explain(figures.Metrics, name)
	return entry.Meaning
}

func (s *stepsState) drawPicked(e env.Env) action {
	list := s.pickedFigures(e)
	if len(list) == 0 {
		return saying("no metric is called that: Backspace widens the list")
	}
	return drawing(list[s.picker.cursor])
}

// drawFigure draws a figure over the steps: in the view of all steps, or among the small charts if they are open.
func (a App) drawFigure(name string) App {
	a.views.steps.metric = name
	if a.position.view == viewFigureList {
		a = a.goBack()
	}
	if a.position.viewInSight() == viewFigures {
		a.views.steps.figures.cursor = max(0, slices.Index(metricNames(a.env), name))
		a.views.steps.scrollFigures(a.env)
		return a
	}
	if a.position.viewInSight() == viewSteps {
		return a
	}
	return a.pushView(viewSteps)
}

// runFigure draws a figure over the steps; without a name it opens the list.
func runFigure(a App, args []string) (App, error) {
	if len(args) == 0 {
		return within(stepsOf, (*stepsState).openPicker)(a), nil
	}
	a.views.steps.picker.query = strings.Join(args, " ")
	list := a.views.steps.pickedFigures(a.env)
	if len(list) == 0 {
		return a, fmt.Errorf("no metric is called %q: :metric without a name lists all", sanitize.Line(strings.Join(args, " ")))
	}
	return a.drawFigure(list[0]), nil
}

func (s stepsState) figureList(e env.Env, typed cells.Line, w, h int) []string {
	t, list := e.Display.Theme, s.pickedFigures(e)
	box := layout.Rect{W: w, H: h}
	in := box.Inner()
	c := pane.Content{Title: " metrics  " + typedOr(typed, "type a part of its name or meaning")}
	name := 0
	for _, n := range metricNames(e) {
		name = max(name, cells.Width(n))
	}
	name = min(name, in.W/2)
	e.Display.AddRows(&c, pane.OnFigure, s.picker.cursor, len(list), in.W, in.H-maxExplained-1, func(i int) string {
		return " " + cells.Fit(trimPath(sanitize.Line(list[i]), name), name) + " " +
			t.Paint(themes.Accent, cells.FitRight(metricText(list[i], e.Result.Analysis.Last().Metric(list[i])), valueWidth)) + "  " + t.Paint(themes.Dim, figureMeaning(list[i]))
	})
	if len(list) == 0 {
		c.Lines = []string{" " + t.Paint(themes.Dim, "no metric is called that: Backspace widens the list")}
		return e.Display.Box(box, true, c)
	}
	for len(c.Lines) < in.H-maxExplained {
		c.Lines = append(c.Lines, "")
	}
	here := list[pane.ClampIndex(s.picker.cursor, len(list))]
	if entry, ok := figures.Explain(figures.Metrics, here); ok {
		text := entry.Explanation()
		if entry.Trainers != "" {
			text += "; " + entry.Trainers
		}
		c.Lines = append(c.Lines, cells.Indent(" ", e.Display.CutLines(cells.Wrap(sanitize.Line(here)+": "+text, in.W-2), maxExplained, in.W-1))...)
	}
	return e.Display.Box(box, true, c)
}

func typedOr(line cells.Line, otherwise string) string {
	if line.Text == "" {
		return otherwise
	}
	return line.Shown(maxTyped + 1)
}

// maxExplained is how many lines below the list explain the figure under the cursor.
const maxExplained = 3

func exportedMetrics(e env.Env) report.Table {
	s := report.Table{Title: "metrics", Columns: []string{"metric", "value"}}
	if e.Result.Analysis == nil || e.ShownFigures() == nil {
		return s
	}
	s.Title = fmt.Sprintf("metrics of %s %s", e.ScopeWords(), e.ShownCount())
	s.Rows = model.Mapped(e.ShownFigures().Metrics, func(m analysis.Metric) []any { return []any{m.Name, m.Value} })
	return s
}

package steps

import (
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/figures"
	"vantage/model/sanitize"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/env"
	"vantage/tui/layout"
	"vantage/tui/pane"
	"vantage/tui/trend"
	"vantage/tui/view"
)

// FigurePicker is the state of the list of figures.
type FigurePicker struct {
	Query  string
	cursor int
}

// List is the list of metrics, one of which is to be drawn.
type List struct{ *View }

// StateOf is that of the view of all steps.
func (List) StateOf() view.Name { return view.Steps }

// Text and the others make it a view with a line.
func (s List) Text() *string { return &s.Picker.Query }

// Limit is that of a word.
func (List) Limit() int { return view.MaxTyped }

// Edited narrows the list.
func (s List) Edited(e env.Env, longer bool) view.Want { return view.Narrowed(s, e, longer) }

// Rows makes it a list.
func (s List) Rows(e env.Env) (*int, int) { return &s.Picker.cursor, len(s.listed(e)) }

// SavedAs leaves it to the view that it was opened from.
func (List) SavedAs() string { return "" }

// Prepare draws nothing: the list has no charts.
func (List) Prepare(env.Env, int, int) {}

// OnMouse leaves the mouse to the rows.
func (List) OnMouse(env.Env, view.Mouse) (view.Want, bool) { return nil, false }

// Draw draws the list.
func (s List) Draw(e env.Env, w, h int) []string { return s.figureList(e, e.Typing, w, h) }

// Keys of the list.
func (List) Keys() view.Section {
	return view.Section{
		Name: "list of metrics",
		Bindings: view.PickerKeys(view.Binding{
			Keys: []string{"enter"}, Label: "⏎", Hint: "Enter draw", Doc: "draw the metric over the steps",
			Do: view.Key(List.drawPicked),
		}),
	}
}

// OnOpen puts the cursor on the metric that is drawn.
func (s List) OnOpen(e env.Env) {
	s.Picker = FigurePicker{}
	s.Picker.cursor = max(0, slices.IndexFunc(s.listed(e), func(row trend.Listed) bool { return row.Metric.Name == s.DrawnMetric(e) }))
}

// PickedFigures returns the figures that the query fits: first those whose name contains it, then those whose name has its
// letters in their order, then those whose meaning contains it.
func (s View) PickedFigures(e env.Env) []string {
	names := trend.MetricNames(e)
	words := strings.Fields(strings.ToLower(s.Picker.Query))
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

// listed returns the rows of the list.
func (s View) listed(e env.Env) []trend.Listed {
	if e.Result.Analysis == nil {
		return nil
	}
	x := e.Result.Analysis.Last()
	return trend.List(model.Mapped(s.PickedFigures(e), func(name string) analysis.Metric {
		return analysis.Metric{Name: name, Value: x.Metric(name)}
	}))
}

// rankFigure returns how a figure fits to words, 0 being best; −1: it does not.
func rankFigure(name string, words []string) int {
	rank, lower, meaning := 0, strings.ToLower(name), strings.ToLower(FigureMeaning(name))
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

// FigureMeaning says what a metric is.
func FigureMeaning(name string) string {
	entry, _ := figures.Explain(figures.Metrics, name)
	return entry.Meaning
}

func (s *View) drawPicked(e env.Env) view.Want {
	list := s.listed(e)
	if len(list) == 0 {
		return view.Say("no metric is called that: Backspace widens the list")
	}
	return view.DrawFigure(list[s.Picker.cursor].Metric.Name)
}

func (s View) figureList(e env.Env, typed cells.Line, w, h int) []string {
	t, list, x := e.Display.Theme, s.listed(e), e.Result.Analysis.Last()
	box := layout.Rect{W: w, H: h}
	in := box.Inner()
	c := pane.Content{Title: " metrics  " + view.TypedOr(typed, "type a part of its name or meaning")}
	name := 0
	for _, n := range trend.MetricNames(e) {
		name = max(name, cells.Width(n))
	}
	name = min(name, in.W/2)
	e.Display.AddRows(&c, pane.OnRow, s.Picker.cursor, len(list), in.W, in.H-maxExplained-1, func(i int) string {
		of := list[i].Metric
		meaning := strings.TrimPrefix(trend.WithoutNaN(&x.StepFigures, of.Name)+", "+FigureMeaning(of.Name), ", ")
		value := t.Paint(themes.Accent, cells.FitRight(trend.MetricText(of.Name, of.Value), trend.ValueWidth))
		label := cells.Fit(trend.TrimPath(sanitize.Line(list[i].Name), name), name)
		return " " + label + " " + value + "  " + t.Paint(themes.Dim, meaning)
	})
	if len(list) == 0 {
		c.Lines = []string{" " + t.Paint(themes.Dim, "no metric is called that: Backspace widens the list")}
		return e.Display.Box(box, true, c)
	}
	for len(c.Lines) < in.H-maxExplained {
		c.Lines = append(c.Lines, "")
	}
	here := list[pane.ClampIndex(s.Picker.cursor, len(list))].Metric.Name
	if entry, ok := figures.Explain(figures.Metrics, here); ok {
		text := entry.Explanation()
		if entry.Trainers != "" {
			text += "; " + entry.Trainers
		}
		c.Lines = append(
			c.Lines, cells.Indent(" ", e.Display.CutLines(cells.Wrap(sanitize.Line(here)+": "+text, in.W-2), maxExplained, in.W-1))...,
		)
	}
	return e.Display.Box(box, true, c)
}

// maxExplained is how many lines below the list explain the figure under the cursor.
const maxExplained = 3

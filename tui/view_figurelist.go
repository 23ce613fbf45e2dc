package tui

import (
	"fmt"
	"slices"
	"strings"

	"vantage/model/figures"
	"vantage/model/fuzzy"
	"vantage/model/sanitize"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/layout"
)

// figurePicker is the state of the list of figures.
type figurePicker struct {
	query  string
	cursor int
}

func figureListKeys() keySection {
	return keySection{"list of figures", pickerKeys(onFigure,
		binding{[]string{"backspace"}, "⌫", "", "delete the last character", App.backspaceFigure},
		binding{[]string{"enter"}, "⏎", "Enter draw", "draw the figure over the steps", App.drawPickedFigure})}
}

// openPicker opens the list of figures, the cursor on the one that is drawn.
func (a App) openPicker() App {
	a.steps.picker = figurePicker{cursor: max(0, slices.Index(a.metricNames(), a.drawnMetric()))}
	return a.pushView(viewFigureList)
}

// pickedFigures returns the figures that the query fits: first those whose name contains it, then those whose name has its
// letters in their order, then those whose meaning contains it.
func (a App) pickedFigures() []string {
	names := a.metricNames()
	words := strings.Fields(strings.ToLower(a.steps.picker.query))
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
		case fuzzy.HasLettersInOrder(lower, word):
			rank = max(rank, 1)
		case strings.Contains(meaning, word):
			rank = 2
		default:
			return -1
		}
	}
	return rank
}

// figureMeaning returns what a figure means.
func figureMeaning(name string) string {
	entry, _ := figures.Explain(figures.Metrics, name)
	return entry.Meaning
}

// figureExplained returns the line of the glossary of the figure under the cursor, in lines of w cells.
func (a App) figureExplained(list []string, w int) []string {
	if len(list) == 0 {
		return nil
	}
	name := list[clampIndex(a.steps.picker.cursor, len(list))]
	entry, ok := figures.Explain(figures.Metrics, name)
	if !ok {
		return nil
	}
	_, text, _ := strings.Cut(entry.Line(), ": ")
	if entry.Trainers != "" {
		text += "; " + entry.Trainers
	}
	return cells.Wrap(sanitize.Line(name)+": "+text, w)
}

func (a App) typeFigure(typed string) App {
	a.steps.picker.query = appendTyped(a.steps.picker.query, typed, maxTyped)
	a.steps.picker.cursor = 0
	return a
}

func (a App) backspaceFigure() App {
	a.steps.picker.query = backspace(a.steps.picker.query)
	return a.moveRow(onFigure, 0)
}

func (a App) drawPickedFigure() App {
	list := a.pickedFigures()
	if len(list) == 0 {
		a.notice = "no figure is called that: Backspace widens the list"
		return a
	}
	return a.drawFigure(list[a.steps.picker.cursor])
}

// drawFigure draws a figure over the steps: in the view of all steps, or among the small charts if they are open.
func (a App) drawFigure(name string) App {
	a.steps.metric = name
	if a.position.view == viewFigureList {
		a = a.goBack()
	}
	if a.viewInSight() == viewFigures {
		a.steps.figures.cursor = max(0, slices.Index(a.metricNames(), name))
		return a.scrollFigures()
	}
	if a.viewInSight() == viewSteps {
		return a
	}
	return a.openSteps()
}

// runFigure draws a figure over the steps; without a name it opens the list.
func runFigure(a App, args []string) (App, error) {
	if len(args) == 0 {
		a = a.openPicker()
		return a, nil
	}
	a.steps.picker.query = strings.Join(args, " ")
	list := a.pickedFigures()
	if len(list) == 0 {
		return a, fmt.Errorf("no figure is called %q: figure without a name lists all", sanitize.Line(strings.Join(args, " ")))
	}
	a = a.drawFigure(list[0])
	return a, nil
}

// figureListView lists the figures, each with its value at the step on the screen and what it means.
func (a App) figureListView(w, h int) []string {
	t, list := a.display.theme, a.pickedFigures()
	box := layout.Rect{W: w, H: h}
	in := box.Inner()
	title := "type a part of its name or meaning"
	if a.steps.picker.query != "" {
		title = a.steps.picker.query + "▏"
	}
	c := paneContent{title: " figures  " + title}
	name := 0
	for _, n := range a.metricNames() {
		name = max(name, cells.Width(n))
	}
	name = min(name, in.W/2)
	explained := a.figureExplained(list, in.W-2)
	explained = explained[:min(len(explained), maxExplained)]
	rows := in.H - maxExplained - 1
	a.addRows(&c, onFigure, a.steps.picker.cursor, len(list), in.W, rows, func(i int) string {
		return " " + cells.Fit(trimPathPrefix(sanitize.Line(list[i]), name), name) + " " +
			t.Paint(themes.Accent, cells.FitRight(metricText(list[i], a.result.analysis.Last().Metric(list[i])), valueWidth)) + "  " + t.Paint(themes.Dim, figureMeaning(list[i]))
	})
	if len(list) == 0 {
		c.lines = []string{" " + t.Paint(themes.Dim, "no figure is called that: Backspace widens the list")}
	}
	for len(c.lines) < in.H-maxExplained {
		c.lines = append(c.lines, "")
	}
	for _, line := range explained {
		c.lines = append(c.lines, " "+line)
	}
	return a.box(box, true, c)
}

// maxExplained is how many lines below the list explain the figure under the cursor.
const maxExplained = 3

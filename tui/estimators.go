package tui

import (
	"strings"

	"vantage/estimators"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/layout"
)

// estimatorPicker is the state of the list of estimators.
type estimatorPicker struct {
	filter string // words that the listed ones contain
	cursor int
}

func estimatorKeys() keySection {
	return keySection{"list of estimators", pickerKeys(onEstimator,
		binding{[]string{"enter"}, "⏎", "Enter use", "use the estimator", App.pickEstimator})}
}

// openEstimators opens the list of estimators, the cursor on the one at work.
func (a App) openEstimators() App {
	a.picker = estimatorPicker{}
	for i, e := range a.matchingEstimators() {
		if e.Framework == a.settings.now.Framework && e.Name == a.settings.now.Estimator {
			a.picker.cursor = i
		}
	}
	return a.pushView(viewEstimators)
}

// matchingEstimators returns the estimators whose framework and name contain every word
// that is typed.
func (a App) matchingEstimators() []*estimators.Estimator {
	var some []*estimators.Estimator
	for _, e := range estimators.All() {
		fits := true
		for word := range strings.FieldsSeq(a.picker.filter) {
			fits = fits && strings.Contains(e.Framework+" "+e.Name, word)
		}
		if fits {
			some = append(some, e)
		}
	}
	return some
}

func (a App) pickEstimator() App {
	list := a.matchingEstimators()
	if len(list) == 0 {
		a.notice = "no estimator matches: Backspace widens the list"
		return a
	}
	e := list[a.picker.cursor]
	if err := a.snap.Missing(e); err != nil {
		a.notice = err.Error()
		return a
	}
	a = a.goBack()
	return a.switchTo(a.settings.now.WithFramework(e.Framework).WithEstimator(e.Name))
}

// estimatorsView draws the list, and to the right or below the estimator under the cursor.
func (a App) estimatorsView(w, h int) []string {
	if w < widthForEstimatorBeside {
		above := max(3, h/2)
		return append(a.estimatorTable(w, above), a.estimatorPane(w, h-above)...)
	}
	left, right, _ := a.estimatorColumns(w, h)
	return joinColumns(a.estimatorTable(left.W, h), a.estimatorPane(right.W, h))
}

// widthForEstimatorBeside is the width from which the estimator under the cursor is described beside the list.
const widthForEstimatorBeside = 100

func (e env) estimatorColumns(w, h int) (left, right layout.Rect, border layout.Border) {
	return e.display.shares.Beside(layout.EstimatorColumns, layout.Rect{W: w, H: h}, w*5/8)
}

// estimatorBorders returns the border between the list and the description, if they are side by side.
func (a App) estimatorBorders() []layout.Border {
	if a.display.w < widthForEstimatorBeside {
		return nil
	}
	s := a.screen()
	_, _, border := a.estimatorColumns(a.display.w, max(0, a.display.h-s.Header.H-s.Hints.H))
	return []layout.Border{border}
}

func (a App) estimatorTable(w, h int) []string {
	t, list := a.display.theme, a.matchingEstimators()
	in := layout.Rect{W: w, H: h}.Inner()
	var c paneContent
	framework, name := 16, 30
	if in.W < 70 {
		framework, name = 14, 22
	}
	a.addRows(&c, onEstimator, a.picker.cursor, len(list), in.W, in.H, func(i int) string {
		e := list[i]
		row := " " + cells.Fit(e.Framework, framework) + cells.Fit(e.Name, name) + scaleList(e)
		if why := a.snap.Missing(e); why != nil {
			row = t.Paint(themes.Dim, " "+cells.Fit(e.Framework, framework)+cells.Fit(e.Name, name)+"– "+why.Short())
		}
		return row
	})
	title := "type to narrow the list"
	if a.picker.filter != "" {
		title = a.picker.filter + "▏"
	}
	c.title = " estimators  " + title
	return a.box(layout.Rect{W: w, H: h}, true, c)
}

func scaleList(e *estimators.Estimator) string {
	names := make([]string, len(e.Scales))
	for i, s := range e.Scales {
		names[i] = string(s)
	}
	return strings.Join(names, " ")
}

// estimatorPane describes the estimator under the cursor.
func (a App) estimatorPane(w, h int) []string {
	list := a.matchingEstimators()
	c := paneContent{title: " no match"}
	if len(list) > 0 {
		e := list[a.picker.cursor]
		c.title = " " + e.Framework + " " + e.Name
		c.lines = a.estimatorPage(e, w-4)
	}
	return a.box(layout.Rect{W: w, H: h}, false, c)
}

func (e env) estimatorPage(of *estimators.Estimator, w int) []string {
	t := e.display.theme
	var lines []string
	part := func(name, text string) {
		if text == "" {
			return
		}
		lines = append(lines, " "+t.Paint(themes.Title, name))
		for _, line := range cells.Wrap(text, w-2) {
			lines = append(lines, "   "+line)
		}
	}
	part("formula", of.Formula)
	part("notes", of.Doc)
	part("scales", scaleList(of))
	for _, o := range of.Options {
		part("option", o.String())
	}
	part("precision", of.Precision())
	if why := e.snap.Missing(of); why != nil {
		part("why not with this log", why.Error())
	}
	part("source", of.Source)
	return lines
}

package tui

import (
	"slices"
	"strings"

	"vantage/estimators"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/layout"
	"vantage/tui/lineedit"
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
	a.picker.cursor = max(0, slices.IndexFunc(a.picker.matching(), func(e *estimators.Estimator) bool {
		return e.Framework == a.settings.now.Framework && e.Name == a.settings.now.Estimator
	}))
	return a.pushView(viewEstimators)
}

// matching returns the estimators whose framework and name contain every word that is typed.
func (p estimatorPicker) matching() []*estimators.Estimator {
	return slices.DeleteFunc(estimators.All(), func(e *estimators.Estimator) bool {
		for word := range strings.FieldsSeq(p.filter) {
			if !strings.Contains(e.Framework+" "+e.Name, word) {
				return true
			}
		}
		return false
	})
}

func (a App) pickEstimator() App {
	list := a.picker.matching()
	if len(list) == 0 {
		return a.says("no estimator matches: Backspace widens the list")
	}
	e := list[a.picker.cursor]
	if err := a.snap.Missing(e); err != nil {
		return a.says(err.Error())
	}
	a = a.goBack()
	return a.switchTo(a.settings.now.WithFramework(e.Framework).WithEstimator(e.Name))
}

// estimatorsView draws the list, and to the right or below the estimator under the cursor.
func (a App) estimatorsView(w, h int) []string {
	if w < widthForEstimatorBeside {
		above := max(3, h/2)
		return append(a.picker.table(a.env, a.lineOf(a.picker.filter), w, above), a.picker.pane(a.env, w, h-above)...)
	}
	left, right, _ := a.estimatorColumns(w, h)
	return joinColumns(a.picker.table(a.env, a.lineOf(a.picker.filter), left.W, h), a.picker.pane(a.env, right.W, h))
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

func (p estimatorPicker) table(e env, line lineedit.Line, w, h int) []string {
	list, in := p.matching(), layout.Rect{W: w, H: h}.Inner()
	c := paneContent{title: " estimators  " + typedOr(line, "type to narrow the list")}
	framework, name := 16, 30
	if in.W < 70 {
		framework, name = 14, 22
	}
	e.addRows(&c, onEstimator, p.cursor, len(list), in.W, in.H, func(i int) string {
		row := " " + cells.Fit(list[i].Framework, framework) + cells.Fit(list[i].Name, name)
		if why := e.snap.Missing(list[i]); why != nil {
			return e.display.theme.Paint(themes.Dim, row+"– "+why.Short())
		}
		return row + strings.Join(list[i].ScaleNames(), " ")
	})
	return e.box(layout.Rect{W: w, H: h}, true, c)
}

// pane describes the estimator under the cursor.
func (p estimatorPicker) pane(e env, w, h int) []string {
	c := paneContent{title: " no match"}
	if list := p.matching(); len(list) > 0 {
		of := list[p.cursor]
		c = paneContent{title: " " + of.Framework + " " + of.Name, lines: e.estimatorPage(of, w-4)}
	}
	return e.box(layout.Rect{W: w, H: h}, false, c)
}

func (e env) estimatorPage(of *estimators.Estimator, w int) []string {
	var lines []string
	part := func(name, text string) { lines = append(lines, e.paragraph(name, text, w-2)...) }
	part("formula", of.Formula)
	part("notes", of.Doc)
	part("scales", strings.Join(of.ScaleNames(), " "))
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

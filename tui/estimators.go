package tui

import (
	"slices"
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
	top    int // the first line in sight of what is said about the one under the cursor
}

func estimatorKeys() keySection {
	return keySection{"list of estimators", append(pickerKeys(onEstimator,
		binding{[]string{"enter"}, "⏎", "Enter use", "use the estimator", within(pickerOf, (*estimatorPicker).pick)}),
		binding{[]string{"tab"}, "Tab", "Tab read-on", "the next lines about it, at the end the first again", within(pickerOf, (*estimatorPicker).readOn)})}
}

// open opens the list of estimators, the cursor on the one at work.
func (p *estimatorPicker) open(e env) action {
	*p = estimatorPicker{}
	p.cursor = max(0, slices.IndexFunc(p.matching(), func(one *estimators.Estimator) bool {
		return one.Framework == e.settings.now.Framework && one.Name == e.settings.now.Estimator
	}))
	return pushing(viewEstimators)
}

// matching returns the estimators whose framework and name contain every word that is typed.
func (p estimatorPicker) matching() []*estimators.Estimator {
	return slices.DeleteFunc(estimators.All(), func(e *estimators.Estimator) bool {
		for word := range strings.FieldsSeq(strings.ToLower(p.filter)) {
			if !strings.Contains(strings.ToLower(e.Framework+" "+e.Title()), word) {
				return true
			}
		}
		return false
	})
}

func (p *estimatorPicker) pick(e env) action {
	list := p.matching()
	if len(list) == 0 {
		return saying("no estimator matches: Backspace widens the list")
	}
	chosen := list[p.cursor]
	if err := e.snap.Missing(chosen); err != nil {
		return saying(err.Error())
	}
	set := e.settings.now.WithFramework(chosen.Framework).WithEstimator(chosen.Name)
	return func(a App) App { return a.goBack().switchTo(set) }
}

// view draws the list, and to the right or below the estimator under the cursor.
func (p estimatorPicker) view(e env, typed cells.Line, w, h int) []string {
	list, page := estimatorParts(w, h)
	table, about := p.table(e, typed, list.W, list.H), p.pane(e, page.W, page.H)
	if w < widthForEstimatorBeside {
		return append(table, about...)
	}
	return joinColumns(table, about)
}

// widthForEstimatorBeside is the width from which the estimator under the cursor is described beside the list.
const widthForEstimatorBeside = 100

// estimatorParts returns where the list and what is said about the one under the cursor are.
func estimatorParts(w, h int) (list, page layout.Rect) {
	if w < widthForEstimatorBeside {
		above := max(3, h/2)
		return layout.Rect{W: w, H: above}, layout.Rect{Y: above, W: w, H: h - above}
	}
	return layout.Beside(layout.Rect{W: w, H: h}, w*5/8)
}

func (p *estimatorPicker) readOn(e env) action {
	_, page := estimatorParts(e.display.w, e.display.bodyHeight())
	list, visible, lines := p.matching(), max(1, page.Inner().H), 0
	if len(list) > 0 {
		lines = len(e.estimatorPage(list[p.cursor], page.W-4))
	}
	if lines <= visible {
		return saying("all that is known of it is on the screen")
	}
	if p.top += visible; p.top >= lines {
		p.top = 0
	}
	return nil
}

func (p estimatorPicker) table(e env, line cells.Line, w, h int) []string {
	list, in := p.matching(), layout.Rect{W: w, H: h}.Inner()
	c := paneContent{title: " estimators  " + typedOr(line, "type to narrow the list")}
	framework, name := 22, 30
	if in.W < 70 {
		framework, name = 14, 22
	}
	e.display.addRows(&c, onEstimator, p.cursor, len(list), in.W, in.H, func(i int) string {
		row := " " + cells.Fit(estimators.Title(list[i].Framework), framework) + cells.Fit(list[i].Name, name)
		if why := e.snap.Missing(list[i]); why != nil {
			return e.display.theme.Paint(themes.Dim, row+"– "+why.Short())
		}
		return row + strings.Join(list[i].ScaleNames(), " ")
	})
	return e.display.box(layout.Rect{W: w, H: h}, true, c)
}

// pane describes the estimator under the cursor.
func (p estimatorPicker) pane(e env, w, h int) []string {
	c := paneContent{title: " no match"}
	if list := p.matching(); len(list) > 0 {
		of := list[p.cursor]
		c = paneContent{title: " " + of.Title()}.scrolledTo(p.top, e.estimatorPage(of, w-4), h)
	}
	return e.display.box(layout.Rect{W: w, H: h}, false, c)
}

func (e env) estimatorPage(of *estimators.Estimator, w int) []string {
	var lines []string
	part := func(name, text string) { lines = append(lines, e.display.paragraph(name, text, w-2)...) }
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

package tui

import (
	"slices"
	"strings"

	"vantage/estimators"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/env"
	"vantage/tui/layout"
	"vantage/tui/pane"
)

// estimatorPicker is the state of the list of estimators.
type estimatorPicker struct {
	filter string // words that the listed ones contain
	cursor int
	top    int // the first line in sight of what is said about the one under the cursor
}

func estimatorKeys() keySection {
	return keySection{"list of estimators", append(pickerKeys(pane.OnEstimator,
		binding{[]string{"enter"}, "⏎", "Enter use", "use the estimator", within(pickerOf, (*estimatorPicker).pick)}),
		binding{[]string{"tab"}, "Tab", "Tab read-on", "the next lines about it, at the end the first again", within(pickerOf, (*estimatorPicker).readOn)})}
}

// open opens the list of estimators, the cursor on the one at work.
func (p *estimatorPicker) open(e env.Env) action {
	*p = estimatorPicker{}
	p.cursor = max(0, slices.IndexFunc(p.matching(), func(one *estimators.Estimator) bool {
		return one.Framework == e.Settings.Now.Framework && one.Name == e.Settings.Now.Estimator
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

func (p *estimatorPicker) pick(e env.Env) action {
	list := p.matching()
	if len(list) == 0 {
		return saying("no estimator matches: Backspace widens the list")
	}
	chosen := list[p.cursor]
	if err := e.Snap.Missing(chosen); err != nil {
		return saying(err.Error())
	}
	set := e.Settings.Now.WithFramework(chosen.Framework).WithEstimator(chosen.Name)
	return func(a App) App { return a.goBack().switchTo(set) }
}

// view draws the list, and to the right or below the estimator under the cursor.
func (p estimatorPicker) view(e env.Env, typed cells.Line, w, h int) []string {
	list, page := estimatorParts(w, h)
	table, about := p.table(e, typed, list.W, list.H), p.pane(e, page.W, page.H)
	if w < widthForEstimatorBeside {
		return append(table, about...)
	}
	return pane.JoinColumns(table, about)
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

func (p *estimatorPicker) readOn(e env.Env) action {
	_, page := estimatorParts(e.Display.W, e.Display.BodyHeight())
	list, visible, lines := p.matching(), max(1, page.Inner().H), 0
	if len(list) > 0 {
		lines = len(estimatorPage(e, list[p.cursor], page.W-4))
	}
	if lines <= visible {
		return saying("all that is known of it is on the screen")
	}
	if p.top += visible; p.top >= lines {
		p.top = 0
	}
	return nil
}

func (p estimatorPicker) table(e env.Env, line cells.Line, w, h int) []string {
	list, in := p.matching(), layout.Rect{W: w, H: h}.Inner()
	c := pane.Content{Title: " estimators  " + typedOr(line, "type to narrow the list")}
	framework, name := 22, 30
	if in.W < 70 {
		framework, name = 14, 22
	}
	e.Display.AddRows(&c, pane.OnEstimator, p.cursor, len(list), in.W, in.H, func(i int) string {
		row := " " + cells.Fit(estimators.Title(list[i].Framework), framework) + cells.Fit(list[i].Name, name)
		if why := e.Snap.Missing(list[i]); why != nil {
			return e.Display.Theme.Paint(themes.Dim, row+"– "+why.Short())
		}
		return row + strings.Join(list[i].ScaleNames(), " ")
	})
	return e.Display.Box(layout.Rect{W: w, H: h}, true, c)
}

// pane describes the estimator under the cursor.
func (p estimatorPicker) pane(e env.Env, w, h int) []string {
	c := pane.Content{Title: " no match"}
	if list := p.matching(); len(list) > 0 {
		of := list[p.cursor]
		c = pane.Content{Title: " " + of.Title()}.ScrolledTo(p.top, estimatorPage(e, of, w-4), h)
	}
	return e.Display.Box(layout.Rect{W: w, H: h}, false, c)
}

func estimatorPage(e env.Env, of *estimators.Estimator, w int) []string {
	var lines []string
	part := func(name, text string) { lines = append(lines, e.Display.Paragraph(name, text, w-2)...) }
	part("formula", of.Formula)
	part("notes", of.Doc)
	part("scales", strings.Join(of.ScaleNames(), " "))
	for _, o := range of.Options {
		part("option", o.String())
	}
	part("precision", of.Precision())
	if why := e.Snap.Missing(of); why != nil {
		part("why not with this log", why.Error())
	}
	part("source", of.Source)
	return lines
}

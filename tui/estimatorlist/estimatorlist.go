// Package estimatorlist is the list of all estimators, and what each needs in the log.
package estimatorlist

import (
	"slices"
	"strings"

	"vantage/estimators"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/env"
	"vantage/tui/layout"
	"vantage/tui/pane"
	"vantage/tui/view"
)

// View is the state of the list of estimators.
type View struct {
	filter string // words that the listed ones contain
	cursor int
	top    int // the first line in sight of what is said about the one under the cursor
}

// Text and the others make it a view with a line.
func (p *View) Text() *string { return &p.filter }

// Limit is that of a word.
func (*View) Limit() int { return view.MaxTyped }

// Edited narrows the list.
func (p *View) Edited(e env.Env, longer bool) view.Want {
	return view.Narrowed(p, e, longer)
}

// Rows makes it a list.
func (p *View) Rows(env.Env) (*int, int) { return &p.cursor, len(p.matching()) }

// OpenRow uses the estimator.
func (p *View) OpenRow(e env.Env) view.Want { return p.pick(e) }

// OnRow goes to the beginning of what is said about it.
func (p *View) OnRow(env.Env) view.Want {
	p.top = 0
	return nil
}

// Keys of the list.
func (*View) Keys() view.Section {
	return view.Section{Name: "list of estimators", Bindings: append(view.PickerKeys(view.Binding{
		Keys: []string{"enter"}, Label: "⏎", Hint: "Enter use", Doc: "use the estimator", Do: view.Key((*View).pick),
	}),
		view.Binding{
			Keys: []string{"tab"}, Label: "Tab", Hint: "Tab read-on",
			Doc: "the next lines about it, at the end the first again",
			Do:  view.Key((*View).readOn),
		})}
}

// DrawsEarly marks that the list is the same before a step is computed.
func (*View) DrawsEarly() {}

// OnOpen puts the cursor on the one at work.
func (p *View) OnOpen(e env.Env) {
	*p = View{}
	p.cursor = max(0, slices.IndexFunc(p.matching(), func(one *estimators.Estimator) bool {
		return one.Framework == e.Settings.Now.Framework && one.Name == e.Settings.Now.Estimator
	}))
}

// matching returns the estimators whose framework and name contain every word that is typed.
func (p View) matching() []*estimators.Estimator {
	return slices.DeleteFunc(estimators.All(), func(e *estimators.Estimator) bool {
		for word := range strings.FieldsSeq(strings.ToLower(p.filter)) {
			if !strings.Contains(strings.ToLower(e.Framework+" "+e.Title()), word) {
				return true
			}
		}
		return false
	})
}

func (p *View) pick(e env.Env) view.Want {
	list := p.matching()
	if len(list) == 0 {
		return view.Say("no estimator matches: Backspace widens the list")
	}
	chosen := list[p.cursor]
	if err := e.Snap.Missing(chosen); err != nil {
		return view.Say(err.Error())
	}
	set := e.Settings.Now.WithFramework(chosen.Framework).WithEstimator(chosen.Name)
	return view.All{view.Back{}, view.UseEffective{Settings: set}}
}

// Draw draws the list, and to the right or below the estimator under the cursor.
func (p *View) Draw(e env.Env, w, h int) []string {
	list, page := estimatorParts(w, h)
	table, about := p.table(e, e.Typing, list.W, list.H), p.pane(e, page.W, page.H)
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

func (p *View) readOn(e env.Env) view.Want {
	_, page := estimatorParts(e.Display.W, e.Display.BodyHeight())
	list, visible, lines := p.matching(), max(1, page.Inner().H), 0
	if len(list) > 0 {
		lines = len(EstimatorPage(e, list[p.cursor], page.W-4))
	}
	if lines <= visible {
		return view.Say("all that is known of it is on the screen")
	}
	if p.top += visible; p.top >= lines {
		p.top = 0
	}
	return nil
}

func (p View) table(e env.Env, line cells.Line, w, h int) []string {
	list, in := p.matching(), layout.Rect{W: w, H: h}.Inner()
	c := pane.Content{Title: " estimators  " + view.TypedOr(line, "type to narrow the list")}
	framework, name := 22, 30
	if in.W < 70 {
		framework, name = 14, 22
	}
	e.Display.AddRows(&c, pane.OnRow, p.cursor, len(list), in.W, in.H, func(i int) string {
		row := " " + cells.Fit(estimators.Title(list[i].Framework), framework) + cells.Fit(list[i].Name, name)
		if why := e.Snap.Missing(list[i]); why != nil {
			return e.Display.Theme.Paint(themes.Dim, row+"– "+why.Short())
		}
		return row + strings.Join(list[i].ScaleNames(), " ")
	})
	return e.Display.Box(layout.Rect{W: w, H: h}, true, c)
}

// pane describes the estimator under the cursor.
func (p View) pane(e env.Env, w, h int) []string {
	c := pane.Content{Title: " no match"}
	if list := p.matching(); len(list) > 0 {
		of := list[p.cursor]
		c = pane.Content{Title: " " + of.Title()}.ScrolledTo(p.top, EstimatorPage(e, of, w-4), h)
	}
	return e.Display.Box(layout.Rect{W: w, H: h}, false, c)
}

// EstimatorPage says what is known of an estimator, in lines of w cells.
func EstimatorPage(e env.Env, of *estimators.Estimator, w int) []string {
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

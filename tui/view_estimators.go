package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vantage/estimators"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/layout"
)

// picker is the state of the list of estimators.
type picker struct {
	text   string // what the list is narrowed to
	cursor int
}

func estimatorKeys() section {
	return section{"list of estimators", []binding{
		{[]string{"down", "ctrl+n"}, "↓", "↓ ↑ move", "down", func(a App) (App, tea.Cmd) { return a.pickBy(1), nil }},
		{[]string{"up", "ctrl+p"}, "↑", "", "up", func(a App) (App, tea.Cmd) { return a.pickBy(-1), nil }},
		{[]string{"pgdown", "ctrl+d"}, "^D", "", "ten down", func(a App) (App, tea.Cmd) { return a.pickBy(10), nil }},
		{[]string{"pgup", "ctrl+u"}, "^U", "", "ten up", func(a App) (App, tea.Cmd) { return a.pickBy(-10), nil }},
		{[]string{"backspace"}, "⌫", "", "widen the list again", App.widenPick},
		{[]string{"enter"}, "⏎", "Enter take", "compute under the estimator", App.pick},
		{[]string{"esc"}, "Esc", "Esc back", "back, without a change", App.escape},
	}}
}

// openEstimators lists every estimator, the cursor on the one that is set.
func (a App) openEstimators() (App, tea.Cmd) {
	a.place.picker = picker{}
	for i, e := range a.picked() {
		if e.Framework == a.set.now.Framework && e.Name == a.set.now.Estimator {
			a.place.picker.cursor = i
		}
	}
	return a.enter(viewEstimators)
}

// picked are the estimators whose framework and name hold every word typed.
func (a App) picked() []*estimators.Estimator {
	var some []*estimators.Estimator
	for _, e := range estimators.All() {
		fits := true
		for _, word := range strings.Fields(a.place.picker.text) {
			fits = fits && strings.Contains(e.Framework+" "+e.Name, word)
		}
		if fits {
			some = append(some, e)
		}
	}
	return some
}

func (a App) pickBy(by int) App {
	a.place.picker.cursor = within(a.place.picker.cursor+by, len(a.picked()))
	return a
}

// narrowPick takes a typed character.
func (a App) narrowPick(key string) App {
	if len(a.place.picker.text) < maxTyped {
		a.place.picker.text += key
	}
	a.place.picker.cursor = 0
	return a
}

func (a App) widenPick() (App, tea.Cmd) {
	if n := len(a.place.picker.text); n > 0 {
		a.place.picker.text = a.place.picker.text[:n-1]
	}
	return a.pickBy(0), nil
}

func (a App) pick() (App, tea.Cmd) {
	list := a.picked()
	if len(list) == 0 {
		a.notice = "no estimator is called that: Backspace widens the list"
		return a, nil
	}
	e := list[a.place.picker.cursor]
	if err := a.snap.Lacks(e); err != nil {
		a.notice = err.Error()
		return a, nil
	}
	a, _ = a.back()
	return a.walk(a.set.now.WithFramework(e.Framework).WithEstimator(e.Name))
}

// estimatorList shows the list on the left, or above, and the one under the
// cursor in full beside it.
func (a App) estimatorList(w, h int) []string {
	const wide = 100
	if w < wide {
		above := max(3, h/2)
		return append(a.estimatorRows(w, above), a.estimatorText(w, h-above)...)
	}
	left := w * 5 / 8
	list, text := a.estimatorRows(left, h), a.estimatorText(w-left, h)
	for i := range list {
		list[i] += text[i]
	}
	return list
}

func (a App) estimatorRows(w, h int) []string {
	t, list := a.look.theme, a.picked()
	in := layout.Rect{W: w, H: h}.Inner()
	top := max(0, min(a.place.picker.cursor-in.H/2, len(list)-in.H))
	var lines []string
	framework, name := 16, 30
	if in.W < 70 {
		framework, name = 14, 22
	}
	for i := top; i < len(list) && len(lines) < in.H; i++ {
		e := list[i]
		row := " " + cells.Fit(e.Framework, framework) + cells.Fit(e.Name, name) + scales(e)
		if why := a.snap.Lacks(e); why != nil {
			row = t.Paint(themes.Dim, " "+cells.Fit(e.Framework, framework)+cells.Fit(e.Name, name)+"– "+why.Short())
		}
		row = cells.Fit(row, in.W)
		if i == a.place.picker.cursor {
			row = t.Underlay(themes.Cursor, row)
		}
		lines = append(lines, row)
	}
	title := "type to narrow the list"
	if a.place.picker.text != "" {
		title = a.place.picker.text + "▏"
	}
	return a.box(layout.Rect{W: w, H: h}, true, content{
		title: " estimators  " + title, note: fmt.Sprintf("%d/%d", min(a.place.picker.cursor+1, len(list)), len(list)), lines: lines,
	})
}

func scales(e *estimators.Estimator) string {
	names := make([]string, len(e.Scales))
	for i, s := range e.Scales {
		names[i] = string(s)
	}
	return strings.Join(names, " ")
}

// estimatorText is everything that is known of the estimator under the cursor.
func (a App) estimatorText(w, h int) []string {
	list := a.picked()
	c := content{title: " nothing is called that"}
	if len(list) > 0 {
		e := list[a.place.picker.cursor]
		c.title = " " + e.Framework + " " + e.Name
		c.lines = a.estimatorPage(e, w-4)
	}
	return a.box(layout.Rect{W: w, H: h}, false, c)
}

func (a App) estimatorPage(e *estimators.Estimator, w int) []string {
	t := a.look.theme
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
	part("formula", e.Formula)
	part("what to know", e.Doc)
	part("scales", scales(e))
	part("precision", e.Precision())
	if why := a.snap.Lacks(e); why != nil {
		part("not with this log", why.Error())
	}
	part("source", e.Source)
	return lines
}

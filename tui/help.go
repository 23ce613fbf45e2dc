package tui

import (
	"math"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/figures"
	"vantage/model/sanitize"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/env"
	"vantage/tui/estimatorlist"
	"vantage/tui/help"
	"vantage/tui/pane"
	"vantage/tui/view"
)

// updateHelp wraps the help once for all frames, while it is open.
func (a App) updateHelp() App {
	if !a.overlays.help.Open {
		a.overlays.help.Shown = help.Columns{}
		return a
	}
	size := help.PageSize(a.env)
	a.overlays.help.Shown = a.helpColumns(size.W, size.H)
	return a
}

// helpPage explains the keys, what is under the cursor, the signs and the figures, in as many columns as they
// need; after a second ? it describes the current estimator.
func (a App) helpPage(w, h int) []string {
	if a.overlays.help.OnEstimator {
		return currentEstimatorPage(a.env, w, h)
	}
	t, page := a.env.Display.Theme, a.helpColumns(w, h-1)
	scroll := page.ClampScroll(a.overlays.help.Scroll)
	tab := "Tab all keys, signs and metrics"
	if a.overlays.help.Whole {
		tab = "Tab less"
	}
	prompt := cells.JoinFitting(w-2-help.PositionWidth, " · ", "type to search all of it", tab, "? current estimator")
	if a.overlays.help.Query != "" {
		prompt = a.overlays.input.line(a.overlays.help.Query).Shown(w - 2 - help.PositionWidth)
	}
	first := cells.Justify(" "+t.Paint(themes.Accent, prompt), t.Paint(themes.Dim, page.Position(scroll))+" ", w)
	return append([]string{first}, page.Draw(scroll, w)...)
}

func (a App) onHelpKey(key, text string) App {
	size := help.PageSize(a.env)
	if a.overlays.help.OnEstimator || key == "esc" || key == "enter" {
		a.overlays.help.Open, a.overlays.help.OnEstimator = false, false
		return a
	}
	if key == "tab" {
		a.overlays.help.Whole, a.overlays.help.Scroll = !a.overlays.help.Whole, 0
		return a
	}
	columns := a.helpColumns(size.W, size.H)
	page := columns.Across * columns.H
	by, scrolls := map[string]int{
		"down": help.ScrollLines, "up": -help.ScrollLines, "pgdown": page, "pgup": -page, "ctrl+d": page, "ctrl+u": -page,
		"home": math.MinInt32, "end": math.MaxInt32,
	}[key]
	switch {
	case scrolls:
		return a.scrollHelp(by)
	case text != "" && len(a.overlays.help.Query)+len(text) > view.MaxTyped:
		return a
	}
	line, _ := a.overlays.input.line(a.overlays.help.Query).Press(key)
	if text != "" {
		line = line.Insert(sanitize.Line(text))
	}
	if line.Text != a.overlays.help.Query {
		a.overlays.help.Scroll = 0
	}
	a.overlays.help.Query, a.overlays.input.behind = line.Text, line.Behind
	return a
}

func (a App) scrollHelp(by int) App {
	size := help.PageSize(a.env)
	a.overlays.help.Scroll = a.helpColumns(size.W, size.H).ClampScroll(a.overlays.help.Scroll + by)
	return a
}

// helpColumns returns the help for a page of w×h cells, wrapped to as few columns as hold it, at most three.
func (a App) helpColumns(w, h int) help.Columns {
	const most, least = 3, 56
	h = max(1, h)
	state := a.overlays.help
	r := help.Request{
		W: w, H: h, Query: state.Query, Whole: state.Whole, View: a.position.view, Theme: a.env.Display.Theme,
		ASCII: a.env.Display.Glyphs.ASCII, Analysis: a.env.Result.Analysis, Trend: a.env.Result.Trend,
	}
	if r == state.Shown.Request {
		return state.Shown
	}
	parts := a.helpParts()
	page := help.Columns{Request: r, H: h}
	for across := 1; across <= most && (across == 1 || w/across >= least); across++ {
		page.Across = across
		page.Lines = state.Lines(a.env, parts, w/across-2, h, math.MaxInt)
		if len(page.Lines) <= across*h {
			return page
		}
	}
	page.Lines = state.Lines(a.env, parts, w/page.Across-2, h, state.Room(page.Across, h))
	return page
}

func currentEstimatorPage(e env.Env, w, h int) []string {
	estimator, err := e.Settings.Now.FindEstimator()
	if err != nil {
		return cells.FitLines([]string{err.Error()}, w, h)
	}
	t := e.Display.Theme
	lines := append(
		[]string{" " + t.Paint(themes.Title, estimator.Title()), ""},
		estimatorlist.EstimatorPage(e, estimator, min(w-2, pane.MaxProseWidth))...,
	)
	return cells.FitLines(append(lines, "", t.Paint(themes.Dim, "   any key closes this page; E lists all estimators")), w, h)
}

// helpParts returns all that the help says and the search finds: the keys that work here first, the glossary last.
func (a App) helpParts() []help.Part {
	cursor := a.figuresUnderCursor()
	shown := slices.Concat(cursor[min(len(cursor), help.MaxUnderCursor):], a.figuresOnScreen(cursor))
	keys := a.position.activeKeys()
	here := help.FigureEntries(a.env, cursor[:min(len(cursor), help.MaxUnderCursor)])
	if noted, ok := a.viewOpen().(view.Noted); ok {
		for _, n := range noted.HelpNotes(a.env) {
			at := len(here)
			if n.First {
				at = 0
			}
			here = slices.Insert(here, at, help.Entry{Label: n.Label, Text: n.Text, Role: themes.Key, Names: n.Names})
		}
	}
	parts := []help.Part{
		{Name: "keys: " + keys[0].Name, Entries: help.KeyEntries(a.env, keys[0].Bindings)},
		{Name: "under the cursor", Entries: here},
		{Name: "fates of a group", Entries: help.FateEntries(a.env)},
		{Name: "signs", Entries: help.SignEntries(a.env)},
	}
	for _, s := range slices.Concat(keys[1:], []view.Section{lineKeys(), mouseSection()}) {
		parts = append(parts, help.Part{Name: "keys: " + s.Name, Entries: help.KeyEntries(a.env, s.Bindings)})
	}
	return append(parts,
		help.Part{Name: "commands", Entries: model.Mapped(lineCommands(), func(c lineCommand) help.Entry {
			return help.Entry{Label: ":" + c.name, Text: strings.TrimPrefix(c.args+" — "+c.doc, " — "), Role: themes.Key}
		})},
		help.Part{Name: "filter: size>=8 not fate:alive", Entries: model.Mapped(figures.Fields(), func(f figures.Field) help.Entry {
			return help.Entry{Label: f.Name, Text: f.Doc, Role: themes.Key}
		})},
		help.Part{Name: "metrics on this screen", Entries: help.FigureEntries(a.env, shown)},
		help.Part{Name: "other metrics", Entries: help.FigureEntries(a.env, help.OtherFigures(append(cursor, shown...))), SearchOnly: true})
}

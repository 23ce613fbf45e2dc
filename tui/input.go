package tui

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/figures"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/env"
	"vantage/tui/layout"
	"vantage/tui/overview"
	"vantage/tui/pane"
	"vantage/tui/view"
)

// input is what all lines have besides their text. One is open at a time.
type input struct {
	behind  int // bytes of the text behind the cursor, see [cells.Line]
	history []typedLine
	back    int    // how many lines of the history back the text was taken from; 0: it is typed
	draft   string // what was typed before it was taken from there
}

// typedLine is a line that was entered, and where.
type typedLine struct {
	view view.Name
	text string
}

// lineKeys returns the keys that work in every line, unless its view has them for something else.
func lineKeys() view.Section {
	s := view.Section{Name: "line of input", Bindings: []view.Binding{
		{Keys: []string{"up", "ctrl+p"}, Label: "↑", Doc: "the line entered before, also ^P", Do: own(move(App.recall, 1))},
		{Keys: []string{"down", "ctrl+n"}, Label: "↓", Doc: "the line entered after it, also ^N", Do: own(move(App.recall, -1))},
	}}
	for _, e := range cells.Edits() {
		s.Bindings = append(
			s.Bindings, view.Binding{Keys: e.Keys, Label: e.Label, Doc: e.Doc, Do: own(func(a App) App { return a.edited(e.Do) })},
		)
	}
	return s
}

// line returns the open line, or the search of the help, with its cursor.
func (i input) line(text string) cells.Line {
	return cells.Line{Text: text, Behind: i.behind}
}

// typed puts what was typed or pasted at the cursor, unless that makes the line longer than its limit.
func (a App) typed(text string) App {
	line := a.line()
	if limit, n := line.Limit(), len(*line.Text())+len(text); n > limit {
		return a.says(fmt.Sprintf("at most %d bytes fit into this line, not %d", limit, n))
	}
	return a.edited(func(l cells.Line) cells.Line { return l.Insert(text) })
}

func (a App) edited(edit func(cells.Line) cells.Line) App {
	line := a.line()
	at := line.Text()
	before, next := *at, edit(a.overlays.input.line(*at))
	*at, a.overlays.input.behind = next.Text, next.Behind
	if next.Text == before {
		return a
	}
	return a.grant(line.Edited(a.env, len(next.Text) > len(before)))
}

// paste types what was pasted, on one line, where a line is open.
func (a App) paste(text string) App {
	text = strings.Join(strings.Fields(text), " ")
	if a.overlays.help.Open || a.line() != nil {
		return a.onKey("", text)
	}
	return a.says("nothing is typed here: : / = and ? open a line, into which a text can be pasted")
}

func (a App) remember(in view.Name, text string) App {
	line := typedLine{in, text}
	if strings.TrimSpace(text) != "" &&
		(len(a.overlays.input.history) == 0 || a.overlays.input.history[len(a.overlays.input.history)-1] != line) {
		a.overlays.input.history = append(slices.Clip(a.overlays.input.history), line)
	}
	return a
}

// recall goes back by some lines that were entered in this view; past the newest is what was typed.
func (a App) recall(by int) App {
	texts := []string{a.overlays.input.draft}
	for _, line := range slices.Backward(a.overlays.input.history) {
		if line.view == a.position.view {
			texts = append(texts, line.text)
		}
	}
	if a.overlays.input.back == 0 {
		a.overlays.input.draft = *a.line().Text()
		texts[0] = a.overlays.input.draft
	}
	a.overlays.input.back = pane.ClampIndex(a.overlays.input.back+by, len(texts))
	return a.edited(func(cells.Line) cells.Line { return cells.Line{Text: texts[a.overlays.input.back]} })
}

// groupFilter is the overview while the filter is typed, which the table follows.
type groupFilter struct{ *overview.Panes }

// StateOf is that of the overview.
func (groupFilter) StateOf() view.Name { return view.Overview }

// Text and the others make it a view with a line.
func (f groupFilter) Text() *string { return &f.FilterDraft }

func (groupFilter) Limit() int { return figures.MaxQuery }

func (groupFilter) Edited(env.Env, bool) view.Want { return act(App.rearrange) }

// Keys of the filter.
func (groupFilter) Keys() view.Section {
	return view.Section{Name: "filter", Bindings: []view.Binding{
		{Keys: []string{"enter"}, Label: "⏎", Hint: "Enter keep", Doc: "keep the filter", Do: own(App.applyFilter)},
		{
			Keys: []string{"tab"}, Label: "Tab", Hint: "Tab field",
			Doc: "complete a field, and after fate: a fate; again: the next",
			Do:  own(App.completeField),
		},
		{Keys: []string{"esc"}, Label: "Esc", Hint: "Esc clear", Doc: "show all groups", Do: own(App.clearFilter)},
	}}
}

// openFilter opens the line for the filter; the table follows what is typed.
func (a App) openFilter() App {
	if a.env.Result.Analysis == nil {
		return a.says("no groups to filter yet")
	}
	a.views.panes.FilterDraft = a.env.Settings.Filter
	a = a.focusPane(layout.Groups)
	return a.openView(view.Filter)
}

// applyFilter applies the filter. A wrong one stays in the line, to be corrected.
func (a App) applyFilter() App {
	below := a
	below.position.view = view.Overview
	next, err := below.setFilter(a.views.panes.FilterDraft)
	if err != nil {
		return a.says(err.Error())
	}
	return next.rearrange()
}

// textTerm begins a filter that searches what the samples say, which is read from the log.
const textTerm = "text~"

func (a App) setFilter(text string) (App, error) {
	text = strings.TrimSpace(text)
	if pattern, ok := strings.CutPrefix(text, textTerm); ok {
		return runGrep(a, []string{strings.Trim(pattern, `"`)})
	} else if strings.Contains(text, textTerm) {
		return a, errors.New(textTerm + " searches the texts of all samples and must be alone: " + textTerm + "Wait,")
	}
	if _, err := figures.ParseQuery(text); err != nil {
		near := ""
		if wrong := (*figures.QueryError)(nil); errors.As(err, &wrong) {
			if near = view.DidYouMean(wrong.Word, wrong.Known); wrong.Word == strings.TrimSuffix(textTerm, "~") {
				near = "; " + textTerm + "Wait, lists the samples with that text"
			}
		}
		return a, fmt.Errorf("invalid filter: %w%s", err, near)
	}
	return a.change(func(s *env.State) { s.Filter = text }), nil
}

func (a App) clearFilter() App {
	a.position.view, a.views.panes.FilterDraft = view.Overview, ""
	return a.change(func(s *env.State) { s.Filter = "" }).rearrange()
}

// filterCompletions returns what the word before the cursor may be completed to, where it begins in the text before the
// cursor, and whether it is one of them already.
func filterCompletions(e env.Env, line cells.Line) (all []string, at int, complete bool) {
	text, _ := line.Cut()
	at = strings.LastIndexAny(text, " (") + 1
	terms := append(filterTerms(e, nil), textTerm)
	if values := valuesAfter(terms, text[at:]); len(values) > 0 {
		terms = values
	}
	all = withPrefix(terms, text[at:])
	if complete = slices.Contains(terms, text[at:]); complete && len(all) == 1 && strings.Contains(text[at:], ":") {
		all = terms // a fate: all of them follow
	}
	return all, at, complete
}

// completeField completes the word before the cursor to a field, with the operator of one that holds a text, and after
// fate: to a fate; a complete one becomes the next.
func (a App) completeField() App {
	line := a.overlays.input.line(a.views.panes.FilterDraft)
	all, at, complete := filterCompletions(a.env, line)
	text, behind := line.Cut()
	switch next := (slices.Index(all, text[at:]) + 1); {
	case complete && len(all) == 1:
		return a.says("type < > = and a number, as in " + text[at:] + ">0")
	case len(all) == 0:
		return a.says("the fields are " + strings.Join(model.Mapped(figures.Fields(), func(f figures.Field) string { return f.Name }), " "))
	default:
		a.views.panes.FilterDraft, a.overlays.input.behind = text[:at]+all[next%len(all)]+behind, len(behind)
	}
	return a.rearrange()
}

// Prompt returns the line in w cells: what is typed, what it may be completed to or what can be asked for, and the keys.
func (f groupFilter) Prompt(e env.Env, w int) string {
	t, typed := e.Display.Theme, e.Typing
	next := "groups by fate:killed std>0.4 prompt~triangle, samples by " + textTerm + "Wait,"
	if text, _ := typed.Cut(); text != "" {
		all, at, _ := filterCompletions(e, typed)
		if next = strings.Join(all[:min(len(all), maxCompletions)], " "); next == text[at:] {
			next = ""
		}
	}
	var hints []string
	for _, b := range f.Keys().Bindings {
		if w >= 120 || b.Keys[0] == "enter" {
			hints = append(hints, position{view: view.Filter}.hintText(e, b))
		}
	}
	line, keys := " "+t.Paint(themes.Accent, "/"+typed.Shown(w/2)), strings.Join(hints, "  ")
	return cells.Justify(cells.Truncate(line+" "+t.Paint(themes.Dim, next), w-cells.Width(keys)-2), keys+" ", w)
}

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
	"vantage/tui/pane"
)

// textLine is a line that is typed in.
type textLine struct {
	text   func(*App) *string
	limit  int                               // in bytes
	prompt func(App, cells.Line, int) string // the line in so many cells, where it is the last of the screen; nil: the view draws it
	edited func(a App, longer bool) App      // what follows a change; nil: nothing
}

// in returns the line with its cursor. Here, not in the caller, a copy of App goes to the heap.
func (l textLine) in(a App) cells.Line { return a.overlays.input.line(*l.text(&a)) }

// input is what all lines have besides their text. One is open at a time.
type input struct {
	behind  int // bytes of the text behind the cursor, see [cells.Line]
	history []typedLine
	back    int    // how many lines of the history back the text was taken from; 0: it is typed
	draft   string // what was typed before it was taken from there
}

// typedLine is a line that was entered, and where.
type typedLine struct {
	view viewName
	text string
}

// lineKeys returns the keys that work in every line, unless its view has them for something else.
func lineKeys() keySection {
	s := keySection{"line of input", []binding{
		{[]string{"up", "ctrl+p"}, "↑", "", "the line entered before, also ^P", move(App.recall, 1)},
		{[]string{"down", "ctrl+n"}, "↓", "", "the line entered after it, also ^N", move(App.recall, -1)},
	}}
	for _, e := range cells.Edits() {
		s.bindings = append(s.bindings, binding{e.Keys, e.Label, "", e.Doc, func(a App) App { return a.edited(e.Do) }})
	}
	return s
}

// line returns the open line, or the search of the help, with its cursor.
func (i input) line(text string) cells.Line {
	return cells.Line{Text: text, Behind: i.behind}
}

// typed puts what was typed or pasted at the cursor, unless that makes the line longer than its limit.
func (a App) typed(text string) App {
	line := a.position.currentView().line
	if limit, n := line.limit, len(*line.text(&a))+len(text); n > limit {
		return a.says(fmt.Sprintf("at most %d bytes fit into this line, not %d", limit, n))
	}
	return a.edited(func(l cells.Line) cells.Line { return l.Insert(text) })
}

func (a App) edited(edit func(cells.Line) cells.Line) App {
	line := a.position.currentView().line
	at := line.text(&a)
	before, next := *at, edit(a.overlays.input.line(*at))
	*at, a.overlays.input.behind = next.Text, next.Behind
	if line.edited != nil && next.Text != before {
		return line.edited(a, len(next.Text) > len(before))
	}
	return a
}

// paste types what was pasted, on one line, where a line is open.
func (a App) paste(text string) App {
	text = strings.Join(strings.Fields(text), " ")
	if a.overlays.help.open || a.position.currentView().line.text != nil {
		return a.onKey("", text)
	}
	return a.says("nothing is typed here: : / = and ? open a line, into which a text can be pasted")
}

func (a App) remember(view viewName, text string) App {
	line := typedLine{view, text}
	if strings.TrimSpace(text) != "" && (len(a.overlays.input.history) == 0 || a.overlays.input.history[len(a.overlays.input.history)-1] != line) {
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
		a.overlays.input.draft = *a.position.currentView().line.text(&a)
		texts[0] = a.overlays.input.draft
	}
	a.overlays.input.back = pane.ClampIndex(a.overlays.input.back+by, len(texts))
	return a.edited(func(cells.Line) cells.Line { return cells.Line{Text: texts[a.overlays.input.back]} })
}

// narrowed returns what follows a change of the words that narrow a list: its cursor goes to the top when there are more.
func narrowed(of pane.Kind) func(App, bool) App {
	return func(a App, longer bool) App {
		if longer {
			return a.toRow(of, 0)
		}
		return a.moveRow(of, 0)
	}
}

func filterKeys() keySection {
	return keySection{"filter", []binding{
		{[]string{"enter"}, "⏎", "Enter keep", "keep the filter", App.applyFilter},
		{[]string{"tab"}, "Tab", "Tab field", "complete a field, and after fate: a fate; again: the next", App.completeField},
		{[]string{"esc"}, "Esc", "Esc clear", "show all groups", App.clearFilter},
	}}
}

// openFilter opens the line for the filter; the table follows what is typed.
func (a App) openFilter() App {
	if a.env.Result.Analysis == nil {
		return a.says("no groups to filter yet")
	}
	a.panes.filterDraft = a.env.Settings.Filter
	a = a.focusPane(layout.Groups)
	return a.openView(viewFilter)
}

// applyFilter applies the filter. A wrong one stays in the line, to be corrected.
func (a App) applyFilter() App {
	below := a
	below.position.view = viewOverview
	next, err := below.setFilter(a.panes.filterDraft)
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
			if near = didYouMean(wrong.Word, wrong.Known); wrong.Word == strings.TrimSuffix(textTerm, "~") {
				near = "; " + textTerm + "Wait, lists the samples with that text"
			}
		}
		return a, fmt.Errorf("invalid filter: %w%s", err, near)
	}
	return a.change(func(s *env.State) { s.Filter = text }), nil
}

func (a App) clearFilter() App {
	a.position.view, a.panes.filterDraft = viewOverview, ""
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
	line := a.overlays.input.line(a.panes.filterDraft)
	all, at, complete := filterCompletions(a.env, line)
	text, behind := line.Cut()
	switch next := (slices.Index(all, text[at:]) + 1); {
	case complete && len(all) == 1:
		return a.says("type < > = and a number, as in " + text[at:] + ">0")
	case len(all) == 0:
		return a.says("the fields are " + strings.Join(model.Mapped(figures.Fields(), func(f figures.Field) string { return f.Name }), " "))
	default:
		a.panes.filterDraft, a.overlays.input.behind = text[:at]+all[next%len(all)]+behind, len(behind)
	}
	return a.rearrange()
}

// filterPrompt returns the line in w cells: what is typed, what it may be completed to or what can be asked for, and the keys.
func (a App) filterPrompt(typed cells.Line, w int) string {
	t := a.env.Display.Theme
	next := "groups by fate:killed std>0.4 prompt~triangle, samples by " + textTerm + "Wait,"
	if text, _ := typed.Cut(); text != "" {
		all, at, _ := filterCompletions(a.env, typed)
		if next = strings.Join(all[:min(len(all), maxCompletions)], " "); next == text[at:] {
			next = ""
		}
	}
	var hints []string
	for _, b := range filterKeys().bindings {
		if w >= 120 || b.keys[0] == "enter" {
			hints = append(hints, a.position.hintText(a.env, b))
		}
	}
	line, keys := " "+t.Paint(themes.Accent, "/"+typed.Shown(w/2)), strings.Join(hints, "  ")
	return cells.Justify(cells.Truncate(line+" "+t.Paint(themes.Dim, next), w-cells.Width(keys)-2), keys+" ", w)
}

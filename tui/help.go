package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/figures"
	"vantage/model/glance"
	"vantage/model/sanitize"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/layout"
)

// help is the page that ? opens.
type help struct {
	open        bool
	onEstimator bool // it shows the estimator at work, not the keys
	search      helpSearch
	shown       helpColumns
}

type helpSearch struct {
	query  string
	scroll int // lines scrolled past
}

// helpRequest is all that the columns of the help depend on.
type helpRequest struct {
	w, h     int
	query    string
	view     viewName
	theme    *themes.Theme
	ascii    bool
	analysis *analysis.Analysis
	trend    *analysis.Trend
}

// updateHelp wraps the help once for all frames, while it is open.
func (a App) updateHelp() App {
	if !a.help.open {
		a.help.shown = helpColumns{}
	} else if page := a.helpPageSize(); a.help.shown.request != a.helpRequest(page.W, page.H) {
		a.help.shown = a.wrapHelp(a.helpRequest(page.W, page.H))
	}
	return a
}

// helpPageSize is the room for the columns: the body without the line of the search.
func (a App) helpPageSize() layout.Rect {
	return layout.Rect{W: a.display.w, H: max(1, a.display.h-len(a.header(a.display.w))-2)}
}

func (a App) helpRequest(w, h int) helpRequest {
	return helpRequest{w, h, a.help.search.query, a.position.view, a.display.theme, a.display.glyphs.ASCII, a.result.analysis, a.result.trend}
}

// helpPage explains what is under the cursor, the signs, the figures and the keys, in as many columns as they
// need; after a second ? it describes the current estimator.
func (a App) helpPage(w, h int) []string {
	if a.help.onEstimator {
		return a.currentEstimatorPage(w, h)
	}
	t, page := a.display.theme, a.helpColumns(w, h-1)
	scroll := page.clampScroll(a.help.search.scroll)
	prompt := cells.JoinFitting(w-2-helpPositionWidth, " · ", "type to search the help", a.keyLabel("↓ ↑")+" scroll", "? current estimator")
	if a.help.search.query != "" {
		prompt = a.help.search.query + "▏"
	}
	first := cells.Justify(" "+t.Paint(themes.Accent, prompt), t.Paint(themes.Dim, page.position(scroll))+" ", w)
	return append([]string{first}, page.draw(scroll, w)...)
}

func (a App) onHelpKey(msg tea.KeyPressMsg) App {
	size := a.helpPageSize()
	page := a.helpColumns(size.W, size.H)
	switch key := msg.String(); {
	case a.help.onEstimator || key == "esc" || key == "enter":
		a.help.open, a.help.onEstimator = false, false
	case key == "down":
		return a.scrollHelp(helpScrollLines)
	case key == "up":
		return a.scrollHelp(-helpScrollLines)
	case key == "pgdown":
		return a.scrollHelp(page.across * page.h)
	case key == "pgup":
		return a.scrollHelp(-page.across * page.h)
	case key == "home":
		a.help.search.scroll = 0
	case key == "end":
		a.help.search.scroll = page.clampScroll(len(page.lines))
	case key == "backspace":
		a.help.search.query, a.help.search.scroll = backspace(a.help.search.query), 0
	case msg.Text != "":
		a.help.search.query, a.help.search.scroll = appendTyped(a.help.search.query, sanitize.Line(msg.Text), maxTyped), 0
	}
	return a
}

func (a App) scrollHelp(by int) App {
	size := a.helpPageSize()
	a.help.search.scroll = a.helpColumns(size.W, size.H).clampScroll(a.help.search.scroll + by)
	return a
}

// helpScrollLines is how far an arrow key scrolls the help.
const helpScrollLines = 5

type helpColumns struct {
	request   helpRequest
	lines     []string
	across, h int
}

// helpColumns returns the help for a page of w×h cells.
func (a App) helpColumns(w, h int) helpColumns {
	if want := a.helpRequest(w, max(1, h)); want != a.help.shown.request {
		return a.wrapHelp(want)
	}
	return a.help.shown
}

// wrapHelp wraps the help to as few columns as hold it, at most three.
func (a App) wrapHelp(r helpRequest) helpColumns {
	const most, least = 3, 36
	parts := a.helpParts()
	page := helpColumns{r, a.helpLines(parts, r.w-2, 1, r.h), 1, r.h}
	for page.across < most && r.w/(page.across+1) >= least && len(page.lines) > page.across*r.h {
		page.across++
		page.lines = a.helpLines(parts, r.w/page.across-2, page.across, r.h)
	}
	return page
}

// clampScroll returns how many lines can be scrolled past, at most n: no further than until the last line is
// in sight.
func (p helpColumns) clampScroll(n int) int {
	return max(0, min(n, len(p.lines)-p.across*p.h))
}

// helpPositionWidth is the width of the position.
const helpPositionWidth = len("1-100/300")

func (p helpColumns) position(scroll int) string {
	if len(p.lines) <= p.across*p.h {
		return ""
	}
	return fmt.Sprintf("%d–%d/%d", scroll+1, min(len(p.lines), scroll+p.across*p.h), len(p.lines))
}

func (p helpColumns) draw(scroll, w int) []string {
	lines := make([]string, p.h)
	for i := range lines {
		for x := range p.across {
			entry := ""
			if at := scroll + x*p.h + i; at < len(p.lines) {
				entry = p.lines[at]
			}
			lines[i] += " " + cells.Fit(entry, w/p.across-1)
		}
		lines[i] = cells.Fit(lines[i], w)
	}
	return lines
}

// helpLines returns the parts of the help below each other in w cells, for columns of h lines. No title is the
// last line of a column, as long as nothing is scrolled past.
func (a App) helpLines(parts []helpPart, w, across, h int) []string {
	if a.help.search.query == "" {
		parts = a.legendOnFirstPage(parts, w, across*h)
	}
	var lines []string
	for _, p := range parts {
		if found := a.matchingEntries(p); len(found) > 0 {
			if len(lines)%h == h-1 {
				lines = append(lines, "")
			}
			lines = append(append(lines, a.display.theme.Paint(themes.Title, p.name)), a.entryLines(found, w)...)
			lines = append(lines, "")
		}
	}
	if len(lines) == 0 {
		return []string{a.display.theme.Paint(themes.Dim, "nothing matches")}
	}
	return lines[:len(lines)-1]
}

// legendOnFirstPage moves figures that are under the cursor to the other figures on the screen until there is room
// for the legend on the first page.
func (e env) legendOnFirstPage(parts []helpPart, w, room int) []helpPart {
	const titles = 6 // of the cursor, the fates and the signs, with a blank line each
	parts = slices.Clone(parts)
	figures, others := parts[partCursor].entries, parts[partFigures].entries
	room -= titles + len(e.entryLines(parts[partFates].entries, w)) + len(e.entryLines(parts[partSigns].entries, w))
	shown := len(figures)
	for shown > 1 && len(e.entryLines(figures[:shown], w)) > room {
		shown--
	}
	parts[partCursor].entries, parts[partFigures].entries = figures[:shown], slices.Concat(figures[shown:], others)
	return parts
}

// matchingEntries returns the entries that contain every word of the query, with the name of their part.
func (a App) matchingEntries(p helpPart) []helpEntry {
	var found []helpEntry
	for _, e := range p.entries {
		if a.matchesHelpSearch(p.name+" "+e.label+" "+e.text+" "+e.names) && (a.help.search.query != "" || !p.searchOnly) {
			found = append(found, e)
		}
	}
	return found
}

func (a App) matchesHelpSearch(entry string) bool {
	for word := range strings.FieldsSeq(strings.ToLower(a.help.search.query)) {
		if !strings.Contains(strings.ToLower(entry), word) {
			return false
		}
	}
	return true
}

func (e env) entryLines(entries []helpEntry, w int) []string {
	var lines []string
	for _, entry := range entries {
		label := e.display.theme.Paint(entry.role, entry.label)
		if entry.width > 0 {
			lines = append(lines, hangingIndent(cells.Fit(label, entry.width), entry.text, w)...)
			continue
		}
		for i, line := range cells.Wrap(entry.label+"  "+entry.text, max(1, w-2)) {
			if rest, ok := strings.CutPrefix(line, entry.label); i == 0 && ok {
				lines = append(lines, label+rest)
			} else {
				lines = append(lines, "  "+line)
			}
		}
	}
	return lines
}

// spelledKeys replaces the signs of keys by their names.
var spelledKeys = strings.NewReplacer("⏎", "Enter", "⌫", "Bksp", "⇧Tab", "Shift-Tab", "↓", "Down", "↑", "Up", "←", "Left", "→", "Right")

// keyLabel returns the label of keys, spelled where there is only ASCII.
func (e env) keyLabel(keys string) string {
	if e.display.glyphs.ASCII {
		return spelledKeys.Replace(keys)
	}
	return keys
}

// hangingIndent wraps a text behind head and indents its further lines by the width of head.
func hangingIndent(first, text string, w int) []string {
	indent := cells.Width(first)
	lines := cells.Wrap(text, max(1, w-indent))
	for i := range lines {
		if i > 0 {
			first = cells.Spaces(indent)
		}
		lines[i] = first + lines[i]
	}
	return lines
}

func (e env) currentEstimatorPage(w, h int) []string {
	estimator, err := e.settings.now.FindEstimator()
	if err != nil {
		return cells.FitLines([]string{err.Error()}, w, h)
	}
	t := e.display.theme
	lines := append([]string{" " + t.Paint(themes.Title, estimator.Framework+" "+estimator.Name), ""}, e.estimatorPage(estimator, min(w-2, maxProseWidth))...)
	return cells.FitLines(append(lines, "", t.Paint(themes.Dim, "   any key closes this page; E lists all estimators")), w, h)
}

// maxProseWidth is the width beyond which lines of prose are hard to read.
const maxProseWidth = 100

// helpPart is a part of the help with its title.
type helpPart struct {
	name       string
	entries    []helpEntry
	searchOnly bool // it is too long to be shown before something is searched for
}

// helpEntry explains a figure, a sign, a key or a command.
type helpEntry struct {
	label string
	width int // of the column of labels; 0: the text follows the label
	text  string
	role  themes.Role // of the label
	names string      // by which the search finds it too
}

// helpParts returns all that the help says and the search finds.
func (a App) helpParts() []helpPart {
	cursor := a.figuresUnderCursor()
	shown := a.figuresOnScreen(cursor)
	keys := a.activeKeys()
	parts := []helpPart{
		partCursor:  {name: "under the cursor", entries: append(a.orderEntries(), a.figureEntries(cursor)...)},
		partFates:   {name: "fates of a group", entries: a.fateEntries()},
		partSigns:   {name: "signs", entries: a.signEntries()},
		partKeys:    {name: "keys: " + keys[0].name, entries: a.keyEntries(keys[0].bindings)},
		partFigures: {name: "figures on this screen", entries: a.figureEntries(shown)},
	}
	for _, s := range slices.Concat(keys[1:], []keySection{mouseSection()}) {
		parts = append(parts, helpPart{name: "keys: " + s.name, entries: a.keyEntries(s.bindings)})
	}
	return append(parts,
		helpPart{name: "commands", entries: commandEntries()},
		helpPart{name: "filter: size>=8 not fate:alive", entries: fieldEntries()},
		helpPart{name: "other figures", entries: a.figureEntries(otherFigures(append(cursor, shown...))), searchOnly: true})
}

// The first parts of the help.
const (
	partCursor = iota
	partFates
	partSigns
	partKeys
	partFigures
)

func (e env) figureEntries(figures []figure) []helpEntry {
	var all []helpEntry
	for _, f := range figures {
		sign := strings.NewReplacer("±", e.plusMinus())
		all = append(all, helpEntry{label: sign.Replace(f.name), text: sign.Replace(f.entry.Explanation()), role: themes.Key, names: strings.Join(f.entry.AllNames(), " ")})
	}
	return all
}

// orderEntries says how the view orders its rows, if its columns do not.
func (a App) orderEntries() []helpEntry {
	if a.position.view != viewGlance {
		return nil
	}
	return []helpEntry{{label: "worst steps", text: "worst first, " + glance.Order(), role: themes.Key, names: "order sort badness weight"}}
}

// otherFigures returns the figures of the glossary that are not among some.
func otherFigures(known []figure) []figure {
	var all []figure
	for _, place := range figures.Places() {
		for _, e := range figures.All(place) {
			if !containsEntry(known, e) {
				all = append(all, figure{e.Name(), e})
			}
		}
	}
	return all
}

// fateEntries says in a few words what each fate is.
func (e env) fateEntries() []helpEntry {
	words := [model.FateCount]string{
		model.FateShort:      "kept < 2: not recomputed",
		model.FateKilled:     "filter left no signal",
		model.FateInvalid:    "NaN or missing rewards",
		model.FateNoise:      "A≠0 by float error only",
		model.FateSingle:     "one sample only",
		model.FateAllWrong:   "equal rewards, the worst",
		model.FateConstant:   "equal rewards, between",
		model.FateAllCorrect: "equal rewards, the best",
		model.FateSkipped:    "fails the group filter",
		model.FateAlive:      "has signal, trains",
		model.FateOpen:       "step still being written",
	}
	var all []helpEntry
	for _, f := range model.Fates() {
		all = append(all, helpEntry{e.fateGlyph(f) + " " + f.String(), model.FateWidth + 3, words[f], e.fateRole(f), f.Key() + " " + f.Doc()})
	}
	return all
}

// signEntries is the legend of the signs.
func (e env) signEntries() []helpEntry {
	g, width := e.display.glyphs, model.FateWidth+3
	same, near := "✓", "≈"
	if g.ASCII {
		same, near = "=", "~"
	}
	return []helpEntry{
		{g.Dot + " " + g.Ring + " " + g.HalfDot, width, "kept, dropped, some each", themes.Positive, ""},
		{"12+4− 16·", width, "kept: A>0, A<0 and A=0", themes.Plain, ""},
		{same + " " + near + " !", width, "as logged, nearly, not", themes.Good, ""},
		{"?", width, "assumed, not in the log", themes.Dim, ""},
		{"! !3", width, "warning; 3 bad log rows", themes.Warn, ""},
	}
}

func (e env) keyEntries(bindings []binding) []helpEntry {
	width := 6
	if e.display.glyphs.ASCII {
		width = 9
	}
	var all []helpEntry
	for _, b := range bindings {
		all = append(all, helpEntry{cells.FitRight(e.keyLabel(b.label), width), width + 2, b.doc, themes.Key, ""})
	}
	return all
}

func commandEntries() []helpEntry {
	var all []helpEntry
	for _, c := range lineCommands() {
		text := c.doc
		if c.args != "" {
			text = c.args + " — " + c.doc
		}
		all = append(all, helpEntry{label: ":" + c.name, text: text, role: themes.Key})
	}
	return all
}

func fieldEntries() []helpEntry {
	var all []helpEntry
	for _, f := range figures.Fields() {
		all = append(all, helpEntry{label: f.Name, text: f.Doc, role: themes.Key})
	}
	return all
}

package tui

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/figures"
	"vantage/model/glance"
	"vantage/model/sanitize"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/env"
	"vantage/tui/estimatorlist"
	"vantage/tui/glossary"
	"vantage/tui/layout"
	"vantage/tui/pane"
	"vantage/tui/sweepmap"
	"vantage/tui/view"
)

// help is the page that ? opens.
type help struct {
	open        bool
	onEstimator bool // it shows the estimator at work, not the keys
	query       string
	scroll      int // lines scrolled past
	shown       helpColumns
}

// helpRequest is all that the columns of the help depend on.
type helpRequest struct {
	w, h     int
	query    string
	view     view.Name
	theme    *themes.Theme
	ascii    bool
	analysis *analysis.Analysis
	trend    *analysis.Trend
}

// updateHelp wraps the help once for all frames, while it is open.
func (a App) updateHelp() App {
	if !a.overlays.help.open {
		a.overlays.help.shown = helpColumns{}
		return a
	}
	size := helpPageSize(a.env)
	a.overlays.help.shown = a.helpColumns(size.W, size.H)
	return a
}

// helpPageSize is the room for the columns: the body without the line of the search.
func helpPageSize(e env.Env) layout.Rect {
	return layout.Rect{W: e.Display.W, H: max(1, e.Display.BodyHeight()-1)}
}

// helpPage explains the keys, what is under the cursor, the signs and the figures, in as many columns as they
// need; after a second ? it describes the current estimator.
func (a App) helpPage(w, h int) []string {
	if a.overlays.help.onEstimator {
		return currentEstimatorPage(a.env, w, h)
	}
	t, page := a.env.Display.Theme, a.helpColumns(w, h-1)
	scroll := page.clampScroll(a.overlays.help.scroll)
	prompt := cells.JoinFitting(w-2-helpPositionWidth, " · ", "type to search the help", a.env.Display.KeyLabel("↓ ↑")+" scroll", "? current estimator")
	if a.overlays.help.query != "" {
		prompt = a.overlays.input.line(a.overlays.help.query).Shown(w - 2 - helpPositionWidth)
	}
	first := cells.Justify(" "+t.Paint(themes.Accent, prompt), t.Paint(themes.Dim, page.position(scroll))+" ", w)
	return append([]string{first}, page.draw(scroll, w)...)
}

func (a App) onHelpKey(key, text string) App {
	size := helpPageSize(a.env)
	if a.overlays.help.onEstimator || key == "esc" || key == "enter" {
		a.overlays.help.open, a.overlays.help.onEstimator = false, false
		return a
	}
	columns := a.helpColumns(size.W, size.H)
	page := columns.across * columns.h
	by, scrolls := map[string]int{
		"down": helpScrollLines, "up": -helpScrollLines, "pgdown": page, "pgup": -page, "ctrl+d": page, "ctrl+u": -page, "home": math.MinInt32, "end": math.MaxInt32,
	}[key]
	switch {
	case scrolls:
		return a.scrollHelp(by)
	case text != "" && len(a.overlays.help.query)+len(text) > view.MaxTyped:
		return a
	}
	line, _ := a.overlays.input.line(a.overlays.help.query).Press(key)
	if text != "" {
		line = line.Insert(sanitize.Line(text))
	}
	if line.Text != a.overlays.help.query {
		a.overlays.help.scroll = 0
	}
	a.overlays.help.query, a.overlays.input.behind = line.Text, line.Behind
	return a
}

func (a App) scrollHelp(by int) App {
	size := helpPageSize(a.env)
	a.overlays.help.scroll = a.helpColumns(size.W, size.H).clampScroll(a.overlays.help.scroll + by)
	return a
}

// helpScrollLines is how far an arrow key scrolls the help.
const helpScrollLines = 5

type helpColumns struct {
	request   helpRequest
	lines     []string
	across, h int
}

// helpColumns returns the help for a page of w×h cells, wrapped to as few columns as hold it, at most three.
func (a App) helpColumns(w, h int) helpColumns {
	const most, least = 3, 56
	h = max(1, h)
	r := helpRequest{w, h, a.overlays.help.query, a.position.view, a.env.Display.Theme, a.env.Display.Glyphs.ASCII, a.env.Result.Analysis, a.env.Result.Trend}
	if r == a.overlays.help.shown.request {
		return a.overlays.help.shown
	}
	parts := a.helpParts()
	page := helpColumns{r, a.overlays.help.lines(a.env, parts, w-2, h), 1, h}
	for page.across < most && w/(page.across+1) >= least && len(page.lines) > page.across*h {
		page.across++
		page.lines = a.overlays.help.lines(a.env, parts, w/page.across-2, h)
	}
	return page
}

// clampScroll returns how many lines can be scrolled past, at most n: no further than until the last line is
// in sight.
func (p helpColumns) clampScroll(n int) int {
	return max(0, min(n, len(p.lines)-p.across*p.h))
}

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

// lines returns the parts of the help below each other in w cells, for columns of h lines. No title is the
// last line of a column, as long as nothing is scrolled past.
func (s help) lines(e env.Env, parts []helpPart, w, h int) []string {
	var lines []string
	for _, p := range parts {
		if found := s.matching(p); len(found) > 0 {
			if len(lines)%h == h-1 {
				lines = append(lines, "")
			}
			lines = append(append(lines, e.Display.Theme.Paint(themes.Title, p.name)), entryLines(e, found, w)...)
			lines = append(lines, "")
		}
	}
	if len(lines) == 0 {
		return []string{e.Display.Theme.Paint(themes.Dim, "nothing matches")}
	}
	return lines[:len(lines)-1]
}

func (s help) matching(p helpPart) []helpEntry {
	if p.searchOnly && s.query == "" {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(p.entries), func(entry helpEntry) bool {
		text := strings.ToLower(p.name + " " + entry.label + " " + entry.text + " " + entry.names)
		return slices.ContainsFunc(strings.Fields(strings.ToLower(s.query)), func(word string) bool { return !strings.Contains(text, word) })
	})
}

func entryLines(e env.Env, entries []helpEntry, w int) []string {
	var lines []string
	for _, entry := range entries {
		label := e.Display.Theme.Paint(entry.role, entry.label)
		if entry.width > 0 {
			lines = append(lines, cells.WrapIndented(cells.Fit(label, entry.width), entry.text, w)...)
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

func currentEstimatorPage(e env.Env, w, h int) []string {
	estimator, err := e.Settings.Now.FindEstimator()
	if err != nil {
		return cells.FitLines([]string{err.Error()}, w, h)
	}
	t := e.Display.Theme
	lines := append([]string{" " + t.Paint(themes.Title, estimator.Title()), ""}, estimatorlist.EstimatorPage(e, estimator, min(w-2, pane.MaxProseWidth))...)
	return cells.FitLines(append(lines, "", t.Paint(themes.Dim, "   any key closes this page; E lists all estimators")), w, h)
}

type helpPart struct {
	name       string
	entries    []helpEntry
	searchOnly bool // it is too long to be shown before something is searched for
}

type helpEntry struct {
	label string
	width int // of the column of labels; 0: the text follows the label
	text  string
	role  themes.Role // of the label
	names string      // by which the search finds it too
}

// maxUnderCursor is how many figures of what is under the cursor stand above the signs, the most telling; the others are with the figures
// on the screen.
const maxUnderCursor = 6

// helpParts returns all that the help says and the search finds: the keys that work here first, the glossary last.
func (a App) helpParts() []helpPart {
	cursor := a.figuresUnderCursor()
	shown := slices.Concat(cursor[min(len(cursor), maxUnderCursor):], a.figuresOnScreen(cursor))
	keys := a.position.activeKeys()
	here := figureEntries(a.env, cursor[:min(len(cursor), maxUnderCursor)])
	if a.position.view == view.Glance { // its rows have an order that no column says
		order := helpEntry{label: "worst steps", text: "worst first, " + glance.Order(), role: themes.Key, names: "order sort badness weight"}
		here = append([]helpEntry{order}, here...)
	}
	if a.position.view == view.Sweep { // its title has the goal
		goal := a.views.sweep.SweepGoal()
		here = append(here, helpEntry{label: goal.Name, text: "goal: " + goal.Doc(), role: themes.Key})
	}
	parts := []helpPart{
		{name: "keys: " + keys[0].Name, entries: keyEntries(a.env, keys[0].Bindings)},
		{name: "under the cursor", entries: here},
		{name: "fates of a group", entries: fateEntries(a.env)},
		{name: "signs", entries: signEntries(a.env)},
	}
	for _, s := range slices.Concat(keys[1:], []view.Section{lineKeys(), mouseSection()}) {
		parts = append(parts, helpPart{name: "keys: " + s.Name, entries: keyEntries(a.env, s.Bindings)})
	}
	return append(parts,
		helpPart{name: "commands", entries: model.Mapped(lineCommands(), func(c lineCommand) helpEntry {
			return helpEntry{label: ":" + c.name, text: strings.TrimPrefix(c.args+" — "+c.doc, " — "), role: themes.Key}
		})},
		helpPart{name: "filter: size>=8 not fate:alive", entries: model.Mapped(figures.Fields(), func(f figures.Field) helpEntry {
			return helpEntry{label: f.Name, text: f.Doc, role: themes.Key}
		})},
		helpPart{name: "metrics on this screen", entries: figureEntries(a.env, shown)},
		helpPart{name: "other metrics", entries: figureEntries(a.env, otherFigures(append(cursor, shown...))), searchOnly: true})
}

func figureEntries(e env.Env, figures []glossary.Figure) []helpEntry {
	sign := strings.NewReplacer("±", e.Display.PlusMinus())
	return model.Mapped(figures, func(f glossary.Figure) helpEntry {
		return helpEntry{label: sign.Replace(f.Name), text: sign.Replace(f.Entry.Explanation()), role: themes.Key, names: strings.Join(f.Entry.AllNames(), " ")}
	})
}

func otherFigures(known []glossary.Figure) []glossary.Figure {
	var all []glossary.Figure
	for _, place := range figures.Places() {
		for _, e := range figures.All(place) {
			if !glossary.ContainsEntry(known, e) {
				all = append(all, glossary.Figure{Name: e.Name(), Entry: e})
			}
		}
	}
	return all
}

func fateEntries(e env.Env) []helpEntry {
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
	return model.Mapped(model.Fates(), func(f model.Fate) helpEntry {
		return helpEntry{e.Display.FateGlyph(f) + " " + f.String(), model.FateWidth + 3, words[f], e.Display.FateRole(f), f.Key() + " " + f.Doc()}
	})
}

func signEntries(e env.Env) []helpEntry {
	g, width := e.Display.Glyphs, model.FateWidth+3
	same, near, shade := "✓", "≈", "⠡⠡⠡"
	if g.ASCII {
		same, near, shade = "=", "~", "..."
	}
	return []helpEntry{
		{g.Dot + " " + g.Ring + " " + g.HalfDot, width, "kept, dropped, some each", themes.Positive, ""},
		{"12+4− 16·", width, "kept: A>0, A<0 and A=0", themes.Plain, ""},
		{same + " " + near + " !", width, "as logged, nearly, not", themes.Plain, ""},
		{"?", width, "assumed, not in the log", themes.Dim, ""},
		{"! !3", width, "warning; 3 bad log rows", themes.Warn, ""},
		{">", width, "cursor or focus", themes.Key, ""},
		{g.SortUp + " " + g.SortDown, width, "sorted by it: least first, greatest first", themes.Key, ""},
		{strings.Join(g.BarsUp, ""), width, "over the steps, each row on its own scale", themes.Plain, ""},
		{shade, width, "least to largest of the steps that the line is the mean of", themes.Track, ""},
		{g.Cross, width, "zero on an axis", themes.Plain, ""},
		{g.MeterFull + g.MeterEmpty, width, "a ratio: how much is kept", themes.Plain, ""},
		{g.Dot + " " + sweepmap.StarMark + " " + sweepmap.FrontMark, width, "sweep: set, best, no pair beats it", themes.Accent, ""},
		{e.Display.PlusMinus(), width, "the standard error, or of a group's rewards the std", themes.Plain, ""},
	}
}

func keyEntries(e env.Env, bindings []view.Binding) []helpEntry {
	width := 6
	if e.Display.Glyphs.ASCII {
		width = 9
	}
	return model.Mapped(bindings, func(b view.Binding) helpEntry {
		return helpEntry{cells.FitRight(e.Display.KeyLabel(b.Label), width), width + 2, b.Doc, themes.Key, ""}
	})
}

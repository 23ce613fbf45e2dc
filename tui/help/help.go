// Package help draws the page that ? opens: keys, what is under the cursor, signs and figures, in columns that a search narrows.
package help

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/figures"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/env"
	"vantage/tui/glossary"
	"vantage/tui/layout"
	"vantage/tui/pane"
	"vantage/tui/view"
)

// State is the page that ? opens.
type State struct {
	Open        bool
	OnEstimator bool // it shows the estimator at work, not the keys
	Whole       bool // it shows all, not what there is room for
	Query       string
	Scroll      int // lines scrolled past
	Shown       Columns
}

// Request is all that the columns of the help depend on.
type Request struct {
	W, H     int
	Query    string
	Whole    bool
	View     view.Name
	Theme    *themes.Theme
	ASCII    bool
	Analysis *analysis.Analysis
	Trend    *analysis.Trend
}

// PageSize is the room for the columns: the body without the line of the search.
func PageSize(e env.Env) layout.Rect {
	return layout.Rect{W: e.Display.W, H: max(1, e.Display.BodyHeight()-1)}
}

// ScrollLines is how far an arrow key scrolls the help.
const ScrollLines = 5

// Columns is the help wrapped for a page.
type Columns struct {
	Request   Request
	Lines     []string
	Across, H int
}

// ClampScroll returns how many lines can be scrolled past, at most n: no further than until the last line is
// in sight.
func (p Columns) ClampScroll(n int) int {
	return max(0, min(n, len(p.Lines)-p.Across*p.H))
}

// PositionWidth is how much room the first line leaves for where the page is.
const PositionWidth = len("1-100/300")

// Position says which columns are in sight.
func (p Columns) Position(scroll int) string {
	if len(p.Lines) <= p.Across*p.H {
		return ""
	}
	return fmt.Sprintf("%d–%d/%d", scroll+1, min(len(p.Lines), scroll+p.Across*p.H), len(p.Lines))
}

// Draw draws the page from a line on, in lines of w cells.
func (p Columns) Draw(scroll, w int) []string {
	lines := make([]string, p.H)
	for i := range lines {
		for x := range p.Across {
			entry := ""
			if at := scroll + x*p.H + i; at < len(p.Lines) {
				entry = p.Lines[at]
			}
			lines[i] += " " + cells.Fit(entry, w/p.Across-1)
		}
		lines[i] = cells.Fit(lines[i], w)
	}
	return lines
}

// Lines returns the parts of the help below each other in w cells, for columns of h lines: as many entries as there is room for in so
// many lines. No title is the last line of a column, as long as nothing is scrolled past.
func (s State) Lines(e env.Env, parts []Part, w, h, room int) []string {
	var lines []string
	for _, p := range parts {
		found := s.matching(p)
		if len(found) == 0 {
			continue
		}
		if len(lines)%h == h-1 {
			lines = append(lines, "")
		}
		title := len(lines)
		lines = append(lines, e.Display.Theme.Paint(themes.Title, p.Name))
		for _, entry := range found {
			next := entryLines(e, entry, w)
			if len(lines)+len(next) > room {
				if len(lines) == title+1 { // of which nothing is there
					lines = lines[:title]
				}
				return trimBlank(lines)
			}
			lines = append(lines, next...)
		}
		lines = append(lines, "")
	}
	if len(lines) == 0 {
		return []string{e.Display.Theme.Paint(themes.Dim, "nothing matches")}
	}
	return trimBlank(lines)
}

// trimBlank returns lines without blank ones at the end.
func trimBlank(lines []string) []string {
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// Room returns for how many lines there is room in so many columns of h lines: one page, or where one column fits beside no other two
// pages; without a bound if the whole is shown, or what is searched for.
func (s State) Room(across, h int) int {
	const low = 30 // a page of fewer lines is too short for the keys of a view
	switch {
	case s.Whole || s.Query != "":
		return math.MaxInt
	case across*h < low:
		return 2 * across * h
	}
	return across * h
}

func (s State) matching(p Part) []Entry {
	if p.SearchOnly && s.Query == "" {
		return nil
	}
	words := strings.Fields(strings.ToLower(s.Query))
	return slices.DeleteFunc(slices.Clone(p.Entries), func(entry Entry) bool {
		text := strings.ToLower(p.Name + " " + entry.Label + " " + entry.Text + " " + entry.Names)
		return slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
	})
}

func entryLines(e env.Env, entry Entry, w int) (lines []string) {
	label := e.Display.Theme.Paint(entry.Role, entry.Label)
	if entry.width > 0 {
		return cells.WrapIndented(cells.Fit(label, entry.width), entry.Text, w)
	}
	for i, line := range cells.Wrap(entry.Label+"  "+entry.Text, max(1, w-2)) {
		if rest, ok := strings.CutPrefix(line, entry.Label); i == 0 && ok {
			lines = append(lines, label+rest)
		} else {
			lines = append(lines, "  "+line)
		}
	}
	return lines
}

// Part is a named part of the help.
type Part struct {
	Name       string
	Entries    []Entry
	SearchOnly bool // it is too long to be shown before something is searched for
}

// Entry is a label and what it means.
type Entry struct {
	Label string
	width int // of the column of labels; 0: the text follows the label
	Text  string
	Role  themes.Role // of the label
	Names string      // by which the search finds it too
}

// MaxUnderCursor is how many figures of what is under the cursor stand above the signs, the most telling; the others are with the figures
// on the screen.
const MaxUnderCursor = 6

// FigureEntries explains figures.
func FigureEntries(e env.Env, figures []glossary.Figure) []Entry {
	sign := strings.NewReplacer("±", e.Display.PlusMinus())
	return model.Mapped(figures, func(f glossary.Figure) Entry {
		return Entry{
			Label: sign.Replace(f.Name), Text: sign.Replace(f.Entry.Explanation()), Role: themes.Key,
			Names: strings.Join(f.Entry.AllNames(), " "),
		}
	})
}

// OtherFigures returns the figures of the glossary that are not known yet.
func OtherFigures(known []glossary.Figure) []glossary.Figure {
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

// signWidth is the width of the column of fates and signs.
const signWidth = model.FateWidth + 3

// FateEntries explains the fates of groups.
func FateEntries(e env.Env) []Entry {
	words := [model.FateCount]string{
		model.FateShort:      "kept < 2: not recomputed",
		model.FateKilled:     "filter left no signal",
		model.FateInvalid:    "NaN or missing rewards",
		model.FateNoise:      "advantages are rounding errors",
		model.FateSingle:     "one sample only",
		model.FateAllWrong:   "equal rewards, the worst",
		model.FateConstant:   "equal rewards, between",
		model.FateAllCorrect: "equal rewards, the best",
		model.FateSkipped:    "fails the group filter",
		model.FateAlive:      "has signal, trains",
		model.FateOpen:       "step still being written",
	}
	return model.Mapped(model.Fates(), func(f model.Fate) Entry {
		return Entry{
			Label: e.Display.FateGlyph(f) + " " + f.String(), width: signWidth, Text: words[f], Role: e.Display.FateRole(f),
			Names: f.Key() + " " + f.Doc(),
		}
	})
}

// SignEntries explains the signs on the screen.
func SignEntries(e env.Env) []Entry {
	g := e.Display.Glyphs
	same, near := "✓", "≈"
	if g.ASCII {
		same, near = "=", "~"
	}
	signs := []Entry{
		{Label: g.Dot + " " + g.Ring + " " + g.HalfDot, Role: themes.Positive, Text: "kept, dropped, some each"},
		{Label: "12+4− 16 zero", Text: "kept: A>0, A<0 and A=0"},
		{Label: same + " " + near + " !", Text: "as logged, nearly, not"},
		{Label: "?", Role: themes.Dim, Text: "assumed, not in the log"},
		{Label: "! !3", Role: themes.Warn, Text: "warning; 3 bad log rows"},
		{Label: ">", Role: themes.Key, Text: "cursor or focus"},
		{Label: g.SortUp + " " + g.SortDown, Role: themes.Key, Text: "sorted by it: least first, greatest first"},
		{Label: strings.Join(g.BarsUp, ""), Text: "over the steps, each row on its own scale"},
		{Label: g.Cross, Text: "zero on an axis"},
		{Label: g.MeterFull + g.MeterEmpty, Text: "a ratio: how much is kept"},
		{Label: g.Dot + " " + pane.StarMark + " " + pane.FrontMark, Role: themes.Accent, Text: "sweep: yours, best, no pair beats it"},
		{Label: e.Display.PlusMinus(), Text: "the standard error, or of a group's rewards the std"},
	}
	if !g.ASCII && e.Display.Theme.HasShade() {
		signs = append(signs, Entry{Label: "▄█▀", Role: themes.Shade, Text: "least to most of the steps that the line is the mean of"})
	}
	for i := range signs {
		signs[i].width = signWidth
	}
	return signs
}

// KeyEntries explains keys.
func KeyEntries(e env.Env, bindings []view.Binding) []Entry {
	width := 6
	if e.Display.Glyphs.ASCII {
		width = 9
	}
	var all []Entry
	for i := 0; i < len(bindings); {
		first, last := i, i
		for i++; i < len(bindings) && goTogether(bindings[first:i], bindings[i]); i++ {
			last = i
		}
		label, text := bindings[first].Label, bindings[first].Doc
		if last > first {
			between := " "
			if last > first+1 {
				between = "–"
			}
			label = strings.Fields(label)[0] + between + strings.Fields(bindings[last].Label)[0]
		}
		for _, b := range bindings[first+1 : last+1] {
			text += "; " + b.Doc
		}
		all = append(all, Entry{Label: cells.FitRight(e.Display.KeyLabel(label), width), width: width + 2, Text: text, Role: themes.Key})
	}
	return all
}

// goTogether reports whether a key is explained in one line with those before it: there and back again, or the next number.
func goTogether(before []view.Binding, next view.Binding) bool {
	const opposite = " j k  J K  h l  ctrl+d ctrl+u  [ ]  { }  > <  , . "
	if len(next.Keys) == 0 || len(before[0].Keys) == 0 {
		return false
	}
	a, b := before[len(before)-1].Keys[0], next.Keys[0]
	if a >= "1" && b <= "9" {
		return len(b) == 1 && b[0] == a[0]+1
	}
	isShifted := a != b && strings.ToUpper(a) == b
	return len(before) == 1 && (isShifted || strings.Contains(opposite, " "+a+" "+b+" "))
}

package tui

import (
	"fmt"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"vantage/model/units"
	"vantage/tui/richtext"
)

// search is what is looked for in the text.
type search struct {
	typed string
	found richtext.Matches
}

// maxSearch bounds, in bytes, what can be looked for.
const maxSearch = 80

func searchKeys() section {
	return section{"search in the text", []binding{
		{[]string{"enter"}, "⏎", "Enter keep", "go on with n and N", App.keepSearch},
		{[]string{"down"}, "↓", "↓ ↑ match", "next match", App.nextMatch},
		{[]string{"up"}, "↑", "", "previous match", App.previousMatch},
		{[]string{"backspace"}, "⌫", "", "take a character back", App.shortenSearch},
		{[]string{"esc"}, "Esc", "Esc forget", "forget the search", App.forgetSearch},
	}}
}

// openSearch takes characters from now on; thoughts are searched too.
func (a App) openSearch() (App, tea.Cmd) {
	a.reader.search = search{}
	return a.open(viewSearch)
}

func (a App) keepSearch() (App, tea.Cmd) { return a.open(viewGroup) }

func (a App) forgetSearch() (App, tea.Cmd) {
	a.reader.search = search{}
	return a.open(viewGroup)
}

// narrowSearch takes what was typed.
func (a App) narrowSearch(text string) App {
	if len(a.reader.search.typed)+len(text) <= maxSearch {
		a.reader.search.typed += text
	}
	return a.searched()
}

func (a App) shortenSearch() (App, tea.Cmd) {
	typed := a.reader.search.typed
	_, n := utf8.DecodeLastRuneInString(typed)
	a.reader.search.typed = typed[:len(typed)-n]
	return a.searched(), nil
}

// searched looks for what is typed, from the lines that are seen on.
func (a App) searched() App {
	a.reader.search.found = richtext.Matches{}
	page := a.reader.page
	if page == nil || a.reader.search.typed == "" {
		return a.scrolledText()
	}
	found := page.Find(a.reader.search.typed)
	found.Current = page.FirstMatchFrom(found, a.reader.scroll)
	a.reader.search.found = found
	return a.toHit()
}

func (a App) nextMatch() (App, tea.Cmd)     { return a.matchBy(1), nil }
func (a App) previousMatch() (App, tea.Cmd) { return a.matchBy(-1), nil }

// matchBy goes to another match, around the end; to another difference where
// nothing is searched for.
func (a App) matchBy(by int) App {
	n := a.reader.search.found.Len()
	switch {
	case a.reader.page == nil:
	case a.reader.search.typed == "" && a.reader.diff:
		return a.changeBy(by)
	case a.reader.search.typed == "":
		a.notice = "nothing is searched for: / takes what to look for"
	case n > 0:
		a.reader.search.found.Current = (a.reader.search.found.Current + by + n) % n
		return a.toHit()
	}
	return a
}

// toHit brings the match into sight if it is not.
func (a App) toHit() App {
	f := a.reader.search.found
	if f.Len() == 0 {
		return a.scrolledText()
	}
	return a.inSight(a.reader.page.LineOfMatch(f, f.Current))
}

// inSight scrolls to a line, with some of what stands before it.
func (a App) inSight(line int) App {
	h := a.textRows()
	if line < a.reader.scroll || line >= a.reader.scroll+h {
		a.reader.scroll = line - h/3
	}
	return a.scrolledText()
}

// changeBy goes to the next place where the two answers part, seen from a third of
// the pane, where such places are brought to.
func (a App) changeBy(by int) App {
	lines := a.reader.page.AnchorLines(richtext.AnchorChange)
	at := a.reader.scroll + a.textRows()/3
	if by > 0 {
		for _, line := range lines {
			if line > at {
				return a.textBy(line - at)
			}
		}
	} else {
		for i := len(lines) - 1; i >= 0; i-- {
			if lines[i] < at {
				return a.textBy(lines[i] - at)
			}
		}
	}
	a.notice = "no difference beyond this one"
	return a
}

// tally says what is searched for and how many matches there are.
func (s search) tally(typing bool) string {
	cursor := ""
	if typing {
		cursor = "▏"
	}
	n := s.found.Len()
	switch {
	case s.typed == "" && typing:
		return "/" + cursor + " type what to look for"
	case s.typed == "":
		return ""
	case n == 0:
		return "/" + s.typed + cursor + " not found"
	}
	of := units.Count(n)
	if s.found.Truncated() {
		of += "+"
	}
	return fmt.Sprintf("/%s%s %d of %s", s.typed, cursor, s.found.Current+1, of)
}

package tui

import (
	"fmt"

	"vantage/model/units"
	"vantage/tui/richtext"
)

// textSearch is a search in the text.
type textSearch struct {
	query   string
	matches richtext.Matches
}

// maxSearchBytes bounds the query.
const maxSearchBytes = 80

func searchKeys() keySection {
	return keySection{"search in the text", []binding{
		{[]string{"enter"}, "⏎", "Enter keep", "keep the search for n and N", App.acceptSearch},
		{[]string{"down"}, "↓", "↓ ↑ match", "next match", move(App.moveMatch, 1)},
		{[]string{"up"}, "↑", "", "previous match", move(App.moveMatch, -1)},
		{[]string{"backspace"}, "⌫", "", "delete the last character", App.backspaceSearch},
		{[]string{"esc"}, "Esc", "Esc forget", "cancel the search", App.cancelSearch},
	}}
}

// openSearch opens the line for the query.
func (a App) openSearch() App {
	a.sampleReader.search = textSearch{}
	return a.openView(viewSearch)
}

func (a App) acceptSearch() App { return a.openView(viewGroup) }

func (a App) cancelSearch() App {
	a.sampleReader.search = textSearch{}
	return a.openView(viewGroup)
}

func (a App) typeSearch(typed string) App {
	a.sampleReader.search.query = appendTyped(a.sampleReader.search.query, typed, maxSearchBytes)
	return a.updateSearch()
}

func (a App) backspaceSearch() App {
	a.sampleReader.search.query = backspace(a.sampleReader.search.query)
	return a.updateSearch()
}

// updateSearch searches again and goes to the first match from the lines in sight on.
func (a App) updateSearch() App {
	a.sampleReader.search.matches = richtext.Matches{}
	page := a.sampleReader.job.value.page
	if page == nil || a.sampleReader.search.query == "" {
		return a.clampTextScroll()
	}
	found := page.Find(a.sampleReader.search.query)
	found.Current = page.FirstMatchFrom(found, a.sampleReader.scroll)
	a.sampleReader.search.matches = found
	return a.scrollToMatch()
}

// moveMatch goes to another match, around the ends, or to another difference of a diff if
// nothing is searched for.
func (a App) moveMatch(by int) App {
	n := a.sampleReader.search.matches.Len()
	switch {
	case a.sampleReader.job.value.page == nil:
	case a.sampleReader.search.query == "" && a.sampleReader.showDiff:
		return a.moveDifference(by)
	case a.sampleReader.search.query == "":
		a.notice = "no search: / starts one"
	case n > 0:
		a.sampleReader.search.matches.Current = (a.sampleReader.search.matches.Current + by + n) % n
		return a.scrollToMatch()
	}
	return a
}

// scrollToMatch scrolls the current match into sight.
func (a App) scrollToMatch() App {
	f := a.sampleReader.search.matches
	if f.Len() == 0 {
		return a.clampTextScroll()
	}
	return a.scrollToLine(a.sampleReader.job.value.page.LineOfMatch(f, f.Current))
}

// scrollToLine scrolls a line into sight, a third of the pane below the top.
func (a App) scrollToLine(line int) App {
	h := a.textHeight()
	if line < a.sampleReader.scroll || line >= a.sampleReader.scroll+h {
		a.sampleReader.scroll = line - h/3
	}
	return a.clampTextScroll()
}

// moveDifference scrolls the next difference of the two responses to a third of the pane
// below the top.
func (a App) moveDifference(by int) App {
	lines := a.sampleReader.job.value.page.AnchorLines(richtext.AnchorChange)
	at := a.sampleReader.scroll + a.textHeight()/3
	if by > 0 {
		for _, line := range lines {
			if line > at {
				return a.scrollText(line - at)
			}
		}
	} else {
		for i := len(lines) - 1; i >= 0; i-- {
			if lines[i] < at {
				return a.scrollText(lines[i] - at)
			}
		}
	}
	a.notice = "no further difference"
	return a
}

// status returns the query and how many matches it has.
func (s textSearch) status(typing bool) string {
	cursor := ""
	if typing {
		cursor = "▏"
	}
	n := s.matches.Len()
	switch {
	case s.query == "" && typing:
		return "/" + cursor + " type to search"
	case s.query == "":
		return ""
	case n == 0:
		return "/" + s.query + cursor + " not found"
	}
	of := units.Count(n)
	if s.matches.Truncated() {
		of += "+"
	}
	return fmt.Sprintf("/%s%s %d of %s", s.query, cursor, s.matches.Current+1, of)
}

package richtext

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"vantage/model/sanitize"
)

const maxMatches = 10_000

// Matches are the matches of a search on a page, in order.
type Matches struct {
	Current int // index of the match that was jumped to
	all     []match
}

// match is a range of bytes of the text.
type match struct {
	start, end int
	current    bool
}

// Find returns the matches of what was typed. Lower case matches upper case too, unless the
// query has an upper-case letter.
func (p *Page) Find(query string) Matches {
	if query == "" {
		return Matches{}
	}
	query = sanitize.Line(query) // like the text
	text := p.text
	if toLower(query) == query {
		text = p.lower
	}
	var m Matches
	for at := 0; len(m.all) < maxMatches; {
		i := strings.Index(text[at:], query)
		if i < 0 {
			break
		}
		m.all = append(m.all, match{start: at + i, end: at + i + len(query)})
		at += i + len(query)
	}
	return m
}

// Len returns the number of matches, at most 10,000.
func (m Matches) Len() int { return len(m.all) }

// Truncated reports whether the search stopped at 10,000 matches.
func (m Matches) Truncated() bool { return len(m.all) == maxMatches }

// LineOfMatch returns the line on which match i starts.
func (p *Page) LineOfMatch(m Matches, i int) int { return p.lineOf(m.all[i].start) }

// FirstMatchFrom returns the first match on a line or below it, or the first of all if there
// is none.
func (p *Page) FirstMatchFrom(m Matches, line int) int {
	if line >= len(p.lines) {
		return 0
	}
	i := sort.Search(len(m.all), func(i int) bool { return m.all[i].start >= p.lines[line].start })
	if i == len(m.all) {
		return 0
	}
	return i
}

// overlapping returns the matches that overlap a range of the text.
func (m Matches) overlapping(start, end int) []match {
	first := sort.Search(len(m.all), func(i int) bool { return m.all[i].end > start })
	var found []match
	for i := first; i < len(m.all) && m.all[i].start < end; i++ {
		match := m.all[i]
		match.current = i == m.Current
		found = append(found, match)
	}
	return found
}

// toLower returns s in lower case with all byte offsets unchanged: a letter whose lower case
// has another length is kept.
func toLower(s string) string {
	return strings.Map(func(r rune) rune {
		if l := unicode.ToLower(r); utf8.RuneLen(l) == utf8.RuneLen(r) {
			return l
		}
		return r
	}, s)
}

package richtext

import (
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"vantage/model/sanitize"
)

// maxHits bounds the matches of a search.
const maxHits = 10_000

// Matches are the matches of a search on a page.
type Matches struct {
	Current int // the one that was gone to last
	hits    []hit
}

// hit is a match, in bytes of the text.
type hit struct {
	start, end int
	here       bool
}

// Find looks for what was typed. Small letters find capital ones too; what holds
// a capital is found as it is.
func (p *Page) Find(typed string) Matches {
	if typed == "" {
		return Matches{}
	}
	typed = sanitize.Line(typed) // as the text is
	in := p.text
	if small(typed) == typed {
		in = p.lower
	}
	var f Matches
	for at := 0; len(f.hits) < maxHits; {
		i := strings.Index(in[at:], typed)
		if i < 0 {
			break
		}
		f.hits = append(f.hits, hit{start: at + i, end: at + i + len(typed)})
		at += i + len(typed)
	}
	return f
}

// Len is the number of matches, at most 10 000.
func (f Matches) Len() int { return len(f.hits) }

// Truncated reports whether there may be more matches than were looked for.
func (f Matches) Truncated() bool { return len(f.hits) == maxHits }

// LineOfMatch returns the line on which match i begins.
func (p *Page) LineOfMatch(f Matches, i int) int { return p.lineOf(f.hits[i].start) }

// FirstMatchFrom returns the first match that begins on a line or after it; the first of all
// if none does.
func (p *Page) FirstMatchFrom(f Matches, line int) int {
	if line >= len(p.lines) {
		return 0
	}
	i := sort.Search(len(f.hits), func(i int) bool { return f.hits[i].start >= p.lines[line].start })
	if i == len(f.hits) {
		return 0
	}
	return i
}

// within returns the matches that reach into a part of the text.
func (f Matches) within(start, end int) []hit {
	first := sort.Search(len(f.hits), func(i int) bool { return f.hits[i].end > start })
	var some []hit
	for i := first; i < len(f.hits) && f.hits[i].start < end; i++ {
		h := f.hits[i]
		h.here = i == f.Current
		some = append(some, h)
	}
	return some
}

// small is s with small letters, as long in bytes as s: a letter whose small form
// takes another number of bytes stays.
func small(s string) string {
	return strings.Map(func(r rune) rune {
		if l := unicode.ToLower(r); utf8.RuneLen(l) == utf8.RuneLen(r) {
			return l
		}
		return r
	}, s)
}

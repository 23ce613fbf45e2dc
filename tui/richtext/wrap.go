package richtext

import (
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"vantage/themes"
	"vantage/tui/cells"
)

// Page is a Document broken into lines of a width.
type Page struct {
	*Document
	lines []line
	lower string // the text with small letters, for the search
}

// line is a part of the text, with what stands before it.
type line struct {
	start, end int
	indent     int
	gutter     bool
}

// gutter is what code has on its left, in cells.
const gutter = 2

// least is the room below which lines are not indented any more.
const least = 12

// Wrap breaks the text into lines of at most w cells: between words, or between
// wide characters, or anywhere if a word is longer than a line.
func (d *Document) Wrap(w int) *Page {
	p := &Page{Document: d, lower: small(d.text), lines: make([]line, 0, len(d.paras))}
	for _, para := range d.paras {
		p.lines = para.broken(d.text, max(1, w), p.lines)
	}
	return p
}

func (p para) broken(text string, w int, lines []line) []line {
	hang, room := p.hang, w
	if w-hang < least {
		hang = 0
	}
	if p.gutter {
		room -= gutter
	}
	indent := 0
	for at := p.start; ; {
		n := fill(text[at:p.end], max(1, room-indent), p.kept)
		lines = append(lines, line{at, at + n, indent, p.gutter})
		at += n
		for !p.kept && at < p.end && text[at] == ' ' {
			at++
		}
		if at >= p.end {
			return lines
		}
		indent = hang
	}
}

// fill returns how many bytes of s go into a line of some cells: at least one
// character. Where kept is true it is broken at the edge only.
func fill(s string, room int, kept bool) int {
	taken, end, wide := 0, 0, false
	for i := 0; i < len(s); {
		n, w := cluster(s[i:])
		if i > 0 && !kept && (w > 1 || wide) && !closing(s[i:]) {
			end = i
		}
		if taken+w > room && i > 0 {
			if end > 0 && s[i] != ' ' && !kept {
				return end
			}
			return i
		}
		taken += w
		wide = w > 1
		if s[i] == ' ' {
			end = i + 1
		}
		i += n
	}
	return len(s)
}

// cluster is the first character of s with all its marks: bytes and cells. Where
// terminals disagree about the cells the greater number counts.
func cluster(s string) (bytes, width int) {
	if s[0] < utf8.RuneSelf && (len(s) == 1 || s[1] < utf8.RuneSelf) {
		return 1, 1
	}
	first, w := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	return len(first), max(w, ansi.WcWidth.StringWidth(first))
}

func width(s string) int { return cells.Width(s) }

// closing reports whether s begins with a mark that does not begin a line.
func closing(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return strings.ContainsRune("，。、；：？！）》」』】〉”’…,.;:?!)]} ", r)
}

// Len is the number of lines.
func (p *Page) Len() int { return len(p.lines) }

// lineOf returns the line on which a byte of the text stands.
func (p *Page) lineOf(at int) int {
	return max(0, sort.Search(len(p.lines), func(i int) bool { return p.lines[i].start > at })-1)
}

// AnchorLines returns the lines of all marks of a name, in order.
func (p *Page) AnchorLines(name string) []int {
	var lines []int
	for _, m := range p.marks {
		if m.name == name {
			lines = append(lines, p.lineOf(m.at))
		}
	}
	return lines
}

// CorrespondingLine returns the line of p that holds what line i of another page of the same
// Document begins with.
func (p *Page) CorrespondingLine(other *Page, i int) int {
	if i < 0 || i >= len(other.lines) {
		return 0
	}
	return p.lineOf(other.lines[i].start)
}

// Line draws line i, with the matches that lie on it; rule is what stands left of
// code.
func (p *Page) Line(t *themes.Theme, rule string, i int, found Matches) string {
	l := p.lines[i]
	var b strings.Builder
	b.WriteString(cells.Spaces(l.indent))
	if l.gutter {
		b.WriteString(t.Paint(themes.Track, cells.Fit(rule, gutter)))
	}
	at := l.start
	for _, hit := range found.within(l.start, l.end) {
		p.paint(&b, t, at, max(at, hit.start))
		role := themes.Match
		if hit.here {
			role = themes.CurrentMatch
		}
		at = min(l.end, hit.end)
		b.WriteString(t.Paint(role, p.text[max(l.start, hit.start):at]))
	}
	p.paint(&b, t, at, l.end)
	return b.String()
}

// paint draws a part of a line in its roles.
func (p *Page) paint(b *strings.Builder, t *themes.Theme, from, to int) {
	i := max(0, sort.Search(len(p.runs), func(i int) bool { return p.runs[i].at > from })-1)
	for ; from < to; i++ {
		end := to
		if i+1 < len(p.runs) {
			end = min(to, p.runs[i+1].at)
		}
		b.WriteString(t.Paint(p.runs[i].role, p.text[from:end]))
		from = end
	}
}

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
	lower string // text in lower case, for searches
}

// line is a range of the text, and what is drawn before it.
type line struct {
	start, end int
	indent     int
	gutter     bool
}

const (
	gutterWidth  = 2
	minTextWidth = 12 // a line that would have less after its indent is not indented
)

// Wrap breaks the text into lines of at most w cells: between words or wide characters, or
// anywhere in a word longer than a line.
func (d *Document) Wrap(w int) *Page {
	p := &Page{Document: d, lower: toLower(d.text), lines: make([]line, 0, len(d.paragraphs))}
	for _, paragraph := range d.paragraphs {
		p.lines = paragraph.appendLines(p.lines, d.text, max(1, w))
	}
	return p
}

func (p paragraph) appendLines(lines []line, text string, w int) []line {
	hang := p.hang
	if w-hang < minTextWidth {
		hang = 0
	}
	if p.gutter {
		w -= gutterWidth
	}
	indent := 0
	for at := p.start; ; {
		n := fittingBytes(text[at:p.end], max(1, w-indent), p.verbatim)
		lines = append(lines, line{at, at + n, indent, p.gutter})
		at += n
		for !p.verbatim && at < p.end && text[at] == ' ' {
			at++
		}
		if at >= p.end {
			return lines
		}
		indent = hang
	}
}

// fittingBytes returns how many bytes of s fit into a line of w cells, at least one
// character. Verbatim text is broken anywhere.
func fittingBytes(s string, w int, verbatim bool) int {
	used, breakAt, afterWide := 0, 0, false
	for i := 0; i < len(s); {
		size, width := firstCluster(s[i:])
		if i > 0 && !verbatim && (width > 1 || afterWide) && !isClosing(s[i:]) {
			breakAt = i
		}
		if used+width > w && i > 0 {
			if breakAt > 0 && s[i] != ' ' && !verbatim {
				return breakAt
			}
			return i
		}
		used += width
		afterWide = width > 1
		if s[i] == ' ' {
			breakAt = i + 1
		}
		i += size
	}
	return len(s)
}

// firstCluster returns the bytes and cells of the first grapheme cluster of s. If terminals
// disagree about the cells it returns the larger number.
func firstCluster(s string) (size, width int) {
	if s[0] < utf8.RuneSelf && (len(s) == 1 || s[1] < utf8.RuneSelf) {
		return 1, 1
	}
	first, w := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	return len(first), max(w, ansi.WcWidth.StringWidth(first))
}

// isClosing reports whether s begins with a punctuation mark that cannot start a line.
func isClosing(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return strings.ContainsRune("，。、；：？！）》」』】〉”’…,.;:?!)]} ", r)
}

// Len returns the number of lines.
func (p *Page) Len() int { return len(p.lines) }

// lineOf returns the line of a byte of the text.
func (p *Page) lineOf(at int) int {
	return max(0, sort.Search(len(p.lines), func(i int) bool { return p.lines[i].start > at })-1)
}

// AnchorLines returns the lines of all anchors of a name, in order.
func (p *Page) AnchorLines(name string) []int {
	var lines []int
	for _, a := range p.anchors {
		if a.name == name {
			lines = append(lines, p.lineOf(a.start))
		}
	}
	return lines
}

// CorrespondingLine returns the line of p with the start of line i of another page of the
// same Document.
func (p *Page) CorrespondingLine(other *Page, i int) int {
	if i < 0 || i >= len(other.lines) {
		return 0
	}
	return p.lineOf(other.lines[i].start)
}

// Line draws line i and highlights the matches on it. Lines of code begin with gutter.
func (p *Page) Line(t *themes.Theme, gutter string, i int, m Matches) string {
	l := p.lines[i]
	var b strings.Builder
	b.WriteString(cells.Spaces(l.indent))
	if l.gutter {
		b.WriteString(t.Paint(themes.Track, cells.Fit(gutter, gutterWidth)))
	}
	at := l.start
	for _, match := range m.overlapping(l.start, l.end) {
		p.paint(&b, t, at, max(at, match.start))
		role := themes.Match
		if match.current {
			role = themes.CurrentMatch
		}
		at = min(l.end, match.end)
		b.WriteString(t.Paint(role, p.text[max(l.start, match.start):at]))
	}
	p.paint(&b, t, at, l.end)
	return b.String()
}

// paint draws a range of the text in its roles.
func (p *Page) paint(b *strings.Builder, t *themes.Theme, start, end int) {
	i := max(0, sort.Search(len(p.spans), func(i int) bool { return p.spans[i].start > start })-1)
	for ; start < end; i++ {
		next := end
		if i+1 < len(p.spans) {
			next = min(end, p.spans[i+1].start)
		}
		b.WriteString(t.Paint(p.spans[i].role, p.text[start:next]))
		start = next
	}
}

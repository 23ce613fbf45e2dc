package richtext

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"vantage/model/sanitize"
	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
)

// Document is text without control characters, with styles and paragraphs.
type Document struct {
	text       string // of the paragraphs, each ended by a line break
	spans      []span
	paragraphs []paragraph
	anchors    []anchor
}

type anchor struct {
	name  string
	start int
}

// The names of anchors.
const (
	AnchorPrompt   = "prompt"
	AnchorResponse = "response"
	AnchorTruth    = "truth"
	AnchorFields   = "other fields"
	AnchorChange   = "change" // each difference of two answers
)

// span is a range of text of one role. It ends where the next one starts.
type span struct {
	start int
	role  themes.Role
}

// paragraph is one line of the log. Lines are not joined, since models mean their line
// breaks.
type paragraph struct {
	start, end int
	hang       int  // indent of all lines but the first, in cells
	verbatim   bool // code or a table: broken anywhere, spaces kept
	gutter     bool // code: a vertical line on its left
}

// builder writes a Document from start to end.
type builder struct {
	text    strings.Builder
	doc     Document
	current paragraph
}

// write adds text without line breaks in a role.
func (b *builder) write(role themes.Role, s string) {
	if s == "" {
		return
	}
	if n := len(b.doc.spans); n == 0 || b.doc.spans[n-1].role != role {
		b.doc.spans = append(b.doc.spans, span{b.text.Len(), role})
	}
	b.text.WriteString(s)
}

func (b *builder) endParagraph() {
	b.current.end = b.text.Len()
	b.doc.paragraphs = append(b.doc.paragraphs, b.current)
	b.text.WriteByte('\n')
	b.current = paragraph{start: b.text.Len()}
}

func (b *builder) writeLine(role themes.Role, s string) {
	b.write(role, s)
	b.endParagraph()
}

func (b *builder) anchor(name string) {
	b.doc.anchors = append(b.doc.anchors, anchor{name, b.text.Len()})
}

func (b *builder) document() *Document {
	b.doc.text = b.text.String()
	return &b.doc
}

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
	first := sort.Search(len(m.all), func(i int) bool { return m.all[i].end > l.start })
	for i := first; i < len(m.all) && m.all[i].start < l.end; i++ {
		match, role := m.all[i], themes.Match
		if i == m.Current {
			role = themes.CurrentMatch
		}
		p.paint(&b, t, at, max(at, match.start))
		at = min(l.end, match.end)
		b.WriteString(t.Paint(role, p.text[max(l.start, match.start):at]))
	}
	p.paint(&b, t, at, l.end)
	return b.String()
}

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

const maxMatches = 10_000

// Matches are the matches of a search on a page, in order.
type Matches struct {
	Current int // index of the match that was jumped to
	all     []match
}

type match struct{ start, end int }

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
		m.all = append(m.all, match{at + i, at + i + len(query)})
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
	return max(0, slices.IndexFunc(m.all, func(x match) bool { return line < len(p.lines) && x.start >= p.lines[line].start }))
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

const (
	maxBytes = 1 << 20 // shown of a prompt, a response or a truth
	tabWidth = 4
)

// truncate returns at most maxBytes of a text, and how many bytes it left out.
func truncate(s string) (start string, omitted int) {
	if len(s) <= maxBytes {
		return s, 0
	}
	end := maxBytes
	for end > maxBytes-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end], len(s) - end
}

func (b *builder) writeOmitted(n int) {
	if n > 0 {
		b.writeLine(themes.Warn, "truncated here: "+units.Bytes(int64(n))+" more are in the log")
	}
}

// cleanLines returns the lines of a text without anything that controls the terminal.
func cleanLines(s string) []string {
	lines := strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
	for i, line := range lines {
		lines[i] = sanitize.Line(expandTabs(line))
	}
	return lines
}

func expandTabs(line string) string {
	if !strings.Contains(line, "\t") {
		return line
	}
	var b strings.Builder
	column := 0
	for _, r := range line {
		if r == '\t' {
			n := tabWidth - column%tabWidth
			b.WriteString(strings.Repeat(" ", n))
			column += n
			continue
		}
		b.WriteRune(r)
		column++
	}
	return b.String()
}

package richtext

import (
	"strings"

	"vantage/themes"
)

// Document is text without control characters, with styles and paragraphs.
type Document struct {
	text       string // of the paragraphs, each ended by a line break
	spans      []span
	paragraphs []paragraph
	anchors    []anchor
}

// anchor is a place that a key jumps to.
type anchor struct {
	name  string
	start int
}

// The names of anchors.
const (
	AnchorPrompt   = "prompt"
	AnchorResponse = "response"
	AnchorTruth    = "truth"
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

// writeLine adds s and ends the paragraph.
func (b *builder) writeLine(role themes.Role, s string) {
	b.write(role, s)
	b.endParagraph()
}

// anchor names the place that is written next.
func (b *builder) anchor(name string) {
	b.doc.anchors = append(b.doc.anchors, anchor{name, b.text.Len()})
}

func (b *builder) document() *Document {
	b.doc.text = b.text.String()
	return &b.doc
}

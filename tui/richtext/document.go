// Package richtext makes what a model wrote fit to be read on a screen: made
// harmless, its Markdown and LaTeX lightly set, its thoughts folded, two answers
// compared word by word; then broken into lines of a width and searched.
//
// Everything is a pure function: text in, a [Document] out; a Document and a width in, a
// [Page] out. Both are built off the screen's own goroutine, since a text may
// hold a megabyte, and never change afterwards.
//
// A Document is one string with roles and paragraphs beside it as byte offsets. Lines,
// matches and marks are offsets into the same string, so that a match is found
// wherever the lines happen to break.
package richtext

import (
	"strings"

	"vantage/themes"
)

// Document is a text fit to be shown: no control character is left in it.
type Document struct {
	text  string // paragraphs, each ended by a line break
	runs  []run
	paras []para
	marks []anchor
}

// anchor is a place that keys go to.
type anchor struct {
	name string // MarkPrompt and the like
	at   int
}

// The names of marks.
const (
	AnchorPrompt   = "prompt"
	AnchorResponse = "response"
	AnchorTruth    = "truth"
	AnchorChange   = "change" // where two answers part; there may be many
)

// run says from which byte on the text has a role.
type run struct {
	at   int
	role themes.Role
}

// para is a paragraph: one line of the log, which is not joined with the next,
// since models break lines where they mean it.
type para struct {
	start, end int
	hang       int  // cells by which its further lines are indented
	kept       bool // code or a table: broken at the edge only, spaces stay
	gutter     bool // code: a rule stands on its left
}

// builder writes a Document from its beginning to its end.
type builder struct {
	text  strings.Builder
	doc   Document
	begun para
}

// say adds text, without line breaks, in a role.
func (b *builder) say(role themes.Role, s string) {
	if s == "" {
		return
	}
	if n := len(b.doc.runs); n == 0 || b.doc.runs[n-1].role != role {
		b.doc.runs = append(b.doc.runs, run{b.text.Len(), role})
	}
	b.text.WriteString(s)
}

// end ends the paragraph.
func (b *builder) end() {
	b.begun.end = b.text.Len()
	b.doc.paras = append(b.doc.paras, b.begun)
	b.text.WriteByte('\n')
	b.begun = para{start: b.text.Len()}
}

// line is a paragraph in one role.
func (b *builder) line(role themes.Role, s string) {
	b.say(role, s)
	b.end()
}

// mark names the place that is written next.
func (b *builder) mark(name string) {
	b.doc.marks = append(b.doc.marks, anchor{name, b.text.Len()})
}

func (b *builder) finish() *Document {
	b.doc.text = b.text.String()
	return &b.doc
}

package richtext

import (
	"strings"

	"vantage/themes"
)

// maxThoughts bounds how many thoughts of a text are told apart.
const maxThoughts = 1000

// piece is a part of a response: a thought or what is said aloud.
type piece struct {
	open, body, close string // of a thought, its tags as written, "" where one is missing
	thought           bool
}

// text is the piece as it was written.
func (p piece) text() string { return p.open + p.body + p.close }

// tags are what models put their thoughts between.
func tags() [][2]string {
	return [][2]string{
		{"<think>", "</think>"},
		{"<thinking>", "</thinking>"},
		{"<reasoning>", "</reasoning>"},
		{"<|begin_of_thought|>", "<|end_of_thought|>"},
	}
}

// thoughts cuts a response at the tags of its thoughts. Where the prompt opened
// the first one the response only closes it; a truncated one is never closed.
func thoughts(s string) []piece {
	var pieces []piece
	for _, tag := range tags() {
		opens, closes := strings.Index(s, tag[0]), strings.Index(s, tag[1])
		if closes >= 0 && (opens < 0 || closes < opens) {
			pieces = append(pieces, piece{body: s[:closes], close: tag[1], thought: true})
			s = s[closes+len(tag[1]):]
		}
		if opens < 0 && closes < 0 {
			continue
		}
		return append(pieces, between(s, tag)...)
	}
	return append(pieces, piece{body: s})
}

// between cuts a text at one pair of tags.
func between(s string, tag [2]string) []piece {
	var pieces []piece
	for range maxThoughts {
		before, rest, opened := strings.Cut(s, tag[0])
		pieces = append(pieces, piece{body: before})
		if !opened {
			return pieces
		}
		body, after, closed := strings.Cut(rest, tag[1])
		p := piece{open: tag[0], body: body, thought: true}
		if closed {
			p.close = tag[1]
		}
		pieces = append(pieces, p)
		if !closed {
			return pieces
		}
		s = after
	}
	return append(pieces, piece{body: s})
}

// aloud is a response without its thoughts. One that is never closed stays, since
// there is nothing else to read.
func aloud(s string) string {
	var b strings.Builder
	for _, p := range thoughts(s) {
		if !p.thought || p.close == "" {
			b.WriteString(p.text())
		}
	}
	return b.String()
}

// folded is a thought as a line: its length, and whether a tag is missing.
func (b *builder) folded(p piece, o Options) {
	arrow := "▸ "
	if o.ASCII {
		arrow = "> "
	}
	b.thoughtHead(arrow, p)
	b.line(themes.Dim, " · z unfolds")
}

func (b *builder) unfolded(p piece, o Options) {
	arrow := "▾ "
	if o.ASCII {
		arrow = "v "
	}
	b.thoughtHead(arrow, p)
	b.end()
	b.prose(p.body, themes.Dim, o)
	if p.close != "" {
		b.line(themes.Dim, p.close)
	}
}

func (b *builder) thoughtHead(arrow string, p piece) {
	b.say(themes.Dim, arrow)
	b.say(themes.Accent, "thought")
	b.say(themes.Dim, "  "+characters(strings.TrimSpace(p.body)))
	if p.close == "" {
		b.say(themes.Warn, " · never closed: "+p.open+" without an end")
	}
	if p.open == "" {
		b.say(themes.Dim, " · opened by the prompt")
	}
}

package sanitize

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// nonJoiner separates two consonants of an Indic script that would join into one character:
// such a pair is measured as one column, but some terminals draw two. It is the only
// invisible character that is written; those of the log are replaced.
const nonJoiner = '\u200c'

// cluster tracks the grapheme cluster being written, to keep characters from joining. A
// long cluster is measured as one character, but a terminal that does not join it would
// draw over the text beside and below.
type cluster struct {
	marks     int  // combining marks on the last character
	hasVirama bool // one of the marks joins the next consonant
	joinsNext bool // the last character joins the next
	jamo      jamo // of the last character
}

// acceptMark counts a combining mark and reports whether to write it.
func (c *cluster) acceptMark(r rune) bool {
	c.marks++
	if c.marks > maxMarks {
		return false
	}
	c.hasVirama = c.hasVirama || isVirama(r)
	return true
}

// writeBase writes a character that is no mark, or the replacement character if it would
// extend the cluster beyond what languages use.
func (c *cluster) writeBase(b *strings.Builder, r rune) {
	if c.hasVirama && unicode.Is(unicode.Lo, r) {
		b.WriteRune(nonJoiner)
	}
	next := cluster{joinsNext: isPrepended(r), jamo: jamoOf(r)}
	if next.joinsNext && c.joinsNext || !next.jamo.canFollow(c.jamo) {
		r = utf8.RuneError
	}
	b.WriteRune(r)
	*c = next
}

// isVirama reports whether a mark joins two consonants.
func isVirama(r rune) bool {
	switch r {
	case 0x094d, 0x09cd, 0x0acd, 0x0b4d, 0x0c4d, 0x0d4d, 0x1039, 0x17d2, 0x1a60, 0x1b44, 0x1bab, 0xa9c0, 0xaaf6,
		0x10a3f, 0x11133, 0x113d0, 0x1193e, 0x11a47, 0x11a99, 0x11f42:
		return true
	}
	return false
}

// isPrepended reports whether a letter joins the one after it.
func isPrepended(r rune) bool {
	switch {
	case r == 0x0d4e, r == 0x111c2, r == 0x111c3, r == 0x113d1, r == 0x1193f, r == 0x11941, r == 0x11a3a,
		r >= 0x11a84 && r <= 0x11a89, r == 0x11d46, r == 0x11f02:
		return true
	}
	return false
}

// jamo is the role of a character in a Korean syllable, in the order of joining.
type jamo int

const (
	noJamo jamo = iota
	initialJamo
	vowelJamo
	finalJamo
	wholeSyllable // which a final may join
)

func jamoOf(r rune) jamo {
	switch {
	case r >= 0x1100 && r <= 0x115f, r >= 0xa960 && r <= 0xa97c:
		return initialJamo
	case r >= 0x1160 && r <= 0x11a7, r >= 0xd7b0 && r <= 0xd7c6:
		return vowelJamo
	case r >= 0x11a8 && r <= 0x11ff, r >= 0xd7cb && r <= 0xd7fb:
		return finalJamo
	case r >= 0xac00 && r <= 0xd7a3:
		return wholeSyllable
	}
	return noJamo
}

// canFollow reports whether j may follow before: each role joins once.
func (j jamo) canFollow(before jamo) bool {
	switch j {
	case initialJamo:
		return before != initialJamo
	case vowelJamo:
		return before == initialJamo || before == noJamo
	case finalJamo:
		return before != finalJamo
	case noJamo, wholeSyllable:
	}
	return true
}

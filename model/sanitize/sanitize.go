// Package sanitize makes text of a log safe to write to a terminal. Everything that shows
// such text calls [Line].
//
// A model can write escape sequences that move the cursor, change the title or write to the
// clipboard, marks that change the direction of a line, and characters without width or
// wider than they seem. None of them reaches the terminal.
package sanitize

import (
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxMarks bounds the combining marks on one character: a stack of them draws over the
// lines above.
const maxMarks = 3

// Line returns s as one safe line. Line breaks and tabs become spaces, control characters
// their pictures (ESC becomes ␛), direction and zero-width marks and invalid UTF-8 the
// replacement character. Joiners, variation selectors and skin tones, which change the width
// of their neighbours, are removed, and so are combining marks without a base. Characters
// that would join are separated: see cluster.
func Line(s string) string {
	if isPrintableASCII(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	var c cluster
	for _, r := range s {
		if unicode.Is(unicode.M, r) && !isVariationSelector(r) {
			if c.acceptMark(r) && b.Len() > 0 {
				b.WriteRune(r)
			}
			continue
		}
		if r = displayRune(r); r >= 0 {
			c.writeBase(&b, r)
		}
	}
	return b.String()
}

// isPrintableASCII reports whether every byte is printable ASCII: most text is.
func isPrintableASCII(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

func displayRune(r rune) rune {
	switch {
	case r == '\n', r == '\r', r == '\t', r == '\u2028', r == '\u2029', r == '\u0085':
		return ' '
	case r < ' ':
		return '\u2400' + r
	case r == 0x7f:
		return '\u2421'
	case r == '\u200d', isVariationSelector(r), r >= 0x1f3fb && r <= 0x1f3ff:
		return -1
	case unicode.IsPrint(r), unicode.Is(unicode.Zs, r), unicode.Is(unicode.Co, r):
		if unicode.Is(unicode.Zs, r) {
			return ' '
		}
		return r
	}
	return utf8.RuneError
}

// isVariationSelector reports whether r selects a glyph of the character before it.
func isVariationSelector(r rune) bool {
	return r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef
}

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

func isVirama(r rune) bool {
	switch r {
	case 0x094d, 0x09cd, 0x0acd, 0x0b4d, 0x0c4d, 0x0d4d, 0x1039, 0x17d2, 0x1a60, 0x1b44, 0x1bab, 0xa9c0, 0xaaf6,
		0x10a3f, 0x11133, 0x113d0, 0x1193e, 0x11a47, 0x11a99, 0x11f42:
		return true
	}
	return false
}

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

// JSON returns a writer of JSON that escapes the characters which encoders leave as they are although a
// terminal obeys them: the control characters above ASCII, and marks of direction. They stand in
// strings only, so the values remain the same.
func JSON(w io.Writer) io.Writer { return &jsonWriter{out: w} }

type jsonWriter struct {
	out  io.Writer
	part []byte // the first bytes of a character whose others were not written yet
	buf  []byte
}

func (w *jsonWriter) Write(p []byte) (int, error) {
	text := p
	if len(w.part) > 0 {
		text = append(w.part, p...)
	}
	w.buf, w.part = w.buf[:0], nil
	from := 0 // of what is not in buf yet
	for i := plainPrefix(text); i < len(text); {
		if text[i] < 0x7f {
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		switch {
		case !utf8.FullRune(text[i:]):
			w.part = append([]byte(nil), text[i:]...)
			size, text = 0, text[:i]
		case obeyed(r):
			w.buf = fmt.Appendf(append(w.buf, text[from:i]...), `\u%04x`, r)
			from = i + size
		}
		i += size
	}
	if from > 0 {
		w.buf = append(w.buf, text[from:]...)
		text = w.buf
	}
	if _, err := w.out.Write(text); err != nil {
		return 0, err
	}
	return len(p), nil
}

// plainPrefix returns how many bytes of a text, in whole words, are ASCII but for DEL: all of them in most exports.
func plainPrefix(text []byte) (n int) {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; n+8 <= len(text); n += 8 {
		if word := binary.LittleEndian.Uint64(text[n:]); (word|(word+ones))&highs != 0 {
			break
		}
	}
	return n
}

// obeyed reports whether a terminal may do something else than show r.
func obeyed(r rune) bool {
	return r >= 0x7f && r <= 0x9f || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Bidi_Control, r)
}

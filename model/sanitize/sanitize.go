package sanitize

import (
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

// displayRune returns the character to write for r, a negative one for none.
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

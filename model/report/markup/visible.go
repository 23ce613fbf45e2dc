package markup

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxMarks is how many combining marks a letter of any language has: more would draw over the lines around.
const maxMarks = 4

// Visible returns a text in which a reader sees what a browser would obey or hide. Control characters except for line
// breaks and tabs, marks of direction, characters without width and those that no font shows become their number:
// ‹U+001B›, ‹U+202E›. Bytes that are no UTF-8 become the replacement character.
func Visible(s string) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	marks := 0
	for i, r := range s {
		if unicode.Is(unicode.M, r) {
			marks++
		} else {
			marks = 0
		}
		switch {
		case r == '\n', r == '\t', r == utf8.RuneError:
			b.WriteRune(r)
		case isHidden(r) || marks > maxMarks || marks > 0 && i == 0:
			fmt.Fprintf(&b, "‹U+%04X›", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isPlain reports whether every byte is printable ASCII, a line break or a tab: most text is.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < ' ' || c > '~') && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// isHidden reports whether a browser shows nothing for r, or changes the order of what is around it.
func isHidden(r rune) bool {
	switch {
	case r == '\ufe0e', r == '\ufe0f': // a sign as text or in colour
		return false
	case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r), unicode.Is(unicode.Variation_Selector, r):
		return true
	case unicode.Is(unicode.Zs, r), unicode.Is(unicode.Co, r):
		return false
	}
	return !unicode.IsPrint(r)
}

// Package cells measures, truncates, pads and wraps text by terminal columns. In come strings, styled or not, and a width; out
// come strings of that width. An escape sequence takes no column and a wide character takes two. It also edits a line of input
// ([Line]). Everything in tui that is laid out in columns calls it.
package cells

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Width is the number of columns that s takes.
func Width(s string) int { return ansi.StringWidth(s) }

// Spaces returns n spaces, or "" if n is negative.
func Spaces(n int) string { return strings.Repeat(" ", max(0, n)) }

// Truncate shortens s to at most w columns; a shortened text ends in ….
func Truncate(s string, w int) string {
	if w <= 0 {
		return ""
	}
	if len(s) <= w || Width(s) <= w {
		return s
	}
	return ansi.Truncate(s, w, "…")
}

// TruncateLeft shortens s to at most w columns by cutting its beginning, for names that
// differ at their end; a shortened text begins with ….
func TruncateLeft(s string, w int) string {
	over := Width(s) - w
	if over <= 0 {
		return s
	}
	return Truncate(ansi.TruncateLeft(s, over+1, "…"), w)
}

// JoinFitting joins the first pieces that fit into w columns whole. The first one is always
// included.
func JoinFitting(w int, separator string, pieces ...string) string {
	line := ""
	for i, piece := range pieces {
		switch {
		case i == 0:
			line = piece
		case Width(line)+Width(separator)+Width(piece) > w:
			return line
		default:
			line += separator + piece
		}
	}
	return line
}

// Fit truncates or pads s to exactly w columns, aligned left.
func Fit(s string, w int) string {
	s = Truncate(s, w)
	return s + Spaces(w-Width(s))
}

// FitRight truncates or pads s to exactly w columns, aligned right.
func FitRight(s string, w int) string {
	s = Truncate(s, w)
	s = Spaces(w-Width(s)) + s
	return s + Spaces(w-Width(s)) // a combining character may join the space before it
}

// Justify aligns left and right to the two ends of w columns. If they do not both fit,
// left is truncated.
func Justify(left, right string, w int) string {
	right = Truncate(right, w)
	leftWidth := w - Width(right)
	return Fit(Truncate(left, leftWidth-1), leftWidth) + right
}

// Wrap breaks s into lines of at most w columns: between words, after hyphens, or anywhere
// in a longer word. It does not break at the hyphens of an option, so that --group-by can
// be copied.
func Wrap(s string, w int) []string {
	const noBreakHyphen = "\u2011"
	if w <= 0 {
		return nil
	}
	if !strings.Contains(s, "--") || strings.Contains(s, noBreakHyphen) {
		return strings.Split(ansi.Wrap(s, w, ""), "\n")
	}
	words := strings.Split(s, " ")
	for i, word := range words {
		if strings.HasPrefix(strings.TrimLeft(word, "(`"), "--") {
			words[i] = strings.ReplaceAll(word, "-", noBreakHyphen)
		}
	}
	return strings.Split(strings.ReplaceAll(ansi.Wrap(strings.Join(words, " "), w, ""), noBreakHyphen, "-"), "\n")
}

// Indent puts head before the first of some lines, and as many blanks before the others. It writes to lines.
func Indent(head string, lines []string) []string {
	blanks := Spaces(Width(head))
	for i, line := range lines {
		lines[i] = head + line
		head = blanks
	}
	return lines
}

// WrapIndented breaks a text behind head into lines of at most w columns, the further ones indented by the width of head.
func WrapIndented(head, text string, w int) []string {
	return Indent(head, Wrap(text, max(1, w-Width(head))))
}

// asciiFor returns the ASCII replacement of a character that the screens use. Where there is room for two characters,
// ± is +-; … is two dots by [ellipsis].
func asciiFor(r rune) (byte, bool) {
	const known, replacements = "−–—·×±≈Σ↓↑←→▏Δ␛▼▲★☆“”‘’", "---.x~~Sv^<>|d^v^*'\"\"''"
	if i := strings.IndexRune(known, r); i >= 0 {
		return replacements[utf8.RuneCountInString(known[:i])], true
	}
	return 0, false
}

// ASCII replaces every grapheme cluster outside ASCII by ASCII characters of the same
// width. The escape sequences of styles are kept.
func ASCII(s string) string {
	out := make([]byte, 0, len(s))
	text := 0 // where in out the text after the last escape sequence begins
	for len(s) > 0 {
		if end := strings.IndexByte(s, 'm') + 1; s[0] == '\x1b' && end > 0 {
			out, s = append(out, s[:end]...), s[end:]
			text = len(out)
			continue
		}
		if s[0] < utf8.RuneSelf && (len(s) == 1 || s[1] < utf8.RuneSelf) {
			out, s = append(out, s[0]), s[1:]
			continue
		}
		cluster, w := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
		s = s[len(cluster):]
		first, size := utf8.DecodeRuneInString(cluster)
		replacement, known := asciiFor(first)
		switch {
		case cluster == "…":
			dots, takes := ellipsis(out[text:], s)
			out = append(out, dots...)
			if takes {
				letter, _ := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth) // with its marks
				s = s[len(letter):]
			}
		case cluster == "±" && strings.HasPrefix(s, " "): // ~ is "about"
			out, s = append(out, "+-"...), s[1:]
		case known && size == len(cluster):
			out = append(out, replacement)
		case first < utf8.RuneSelf && w <= 1: // an ASCII letter with accents
			out = append(out, byte(first))
		case w > 0:
			out = append(out, strings.Repeat("?", w)...)
		}
	}
	return string(out)
}

// ellipsis returns the dots for … between two texts, and whether they take the place of the first letter of the second one. They
// are two, for one is a full stop: the other takes the place of a blank beside it, or of a letter of the text that was cut.
// It changes the last byte of before.
func ellipsis(before []byte, after string) (dots string, takes bool) {
	last, next := byte('|'), byte(' ')
	if len(before) > 0 {
		last = before[len(before)-1]
	}
	if after != "" {
		next = after[0]
	}
	switch {
	case !isLetter(last) && isLetter(next) && !strings.ContainsRune(").,;:", rune(next)): // the beginning was cut
		return "..", true
	case isLetter(last) || last == ' ' && next < utf8.RuneSelf:
		before[len(before)-1] = '.'
	}
	return ".", false
}

// isLetter reports whether an ASCII character is a part of a text, and no blank or frame.
func isLetter(c byte) bool { return c > ' ' && c < 0x7f && c != '|' }

// FitLines truncates or pads lines to exactly w columns and h rows.
func FitLines(lines []string, w, h int) []string {
	out := make([]string, max(0, h))
	for i := range out {
		if i < len(lines) {
			out[i] = Fit(lines[i], w)
		} else {
			out[i] = Spaces(w)
		}
	}
	return out
}

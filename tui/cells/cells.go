// Package cells measures and cuts text by the columns that it takes on a
// terminal. Escape sequences of styles take none; a wide character takes two.
package cells

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

const blanks = "                                                                                                                                "

// Width is the number of columns that s takes.
func Width(s string) int { return ansi.StringWidth(s) }

// Spaces returns n spaces.
func Spaces(n int) string {
	if n <= 0 {
		return ""
	}
	if n <= len(blanks) {
		return blanks[:n]
	}
	return strings.Repeat(" ", n)
}

// Truncate shortens s to at most w columns, ending in … if something was cut.
func Truncate(s string, w int) string {
	if w <= 0 {
		return ""
	}
	if len(s) <= w || Width(s) <= w {
		return s
	}
	return ansi.Truncate(s, w, "…")
}

// TruncateLeft shortens s to at most w columns, beginning in … if something was cut: for names that
// differ at their end.
func TruncateLeft(s string, w int) string {
	over := Width(s) - w
	if over <= 0 {
		return s
	}
	return Truncate(ansi.TruncateLeft(s, over+1, "…"), w)
}

// JoinFitting joins as many pieces as fit into w columns whole, and the first at any rate.
func JoinFitting(w int, between string, pieces ...string) string {
	line := ""
	for i, piece := range pieces {
		switch {
		case i == 0:
			line = piece
		case Width(line)+Width(between)+Width(piece) > w:
			return line
		default:
			line += between + piece
		}
	}
	return line
}

// Fit makes s exactly w columns wide, flush left.
func Fit(s string, w int) string {
	s = Truncate(s, w)
	return s + Spaces(w-Width(s))
}

// FitRight makes s exactly w columns wide, flush right.
func FitRight(s string, w int) string {
	s = Truncate(s, w)
	s = Spaces(w-Width(s)) + s
	return s + Spaces(w-Width(s)) // a mark may join the blank before it
}

// Justify puts left and right at the two ends of w columns. Where both do not
// fit the left one is cut.
func Justify(left, right string, w int) string {
	right = Truncate(right, w)
	room := w - Width(right)
	return Fit(Truncate(left, room-1), room) + right
}

// Wrap breaks s into lines of at most w columns, between words where it can, and behind
// hyphens but for those of an option: --group-by is to be read, and copied, as a whole.
func Wrap(s string, w int) []string {
	const whole = "\u2011" // a hyphen at which nothing is broken
	if w <= 0 {
		return nil
	}
	if !strings.Contains(s, "--") || strings.Contains(s, whole) {
		return strings.Split(ansi.Wrap(s, w, ""), "\n")
	}
	words := strings.Split(s, " ")
	for i, word := range words {
		if strings.HasPrefix(strings.TrimLeft(word, "(`"), "--") {
			words[i] = strings.ReplaceAll(word, "-", whole)
		}
	}
	return strings.Split(strings.ReplaceAll(ansi.Wrap(strings.Join(words, " "), w, ""), whole, "-"), "\n")
}

// plain is the stand-in of a character of the screen outside ASCII.
func plain(r rune) (byte, bool) {
	const known, standIns = "−–—…·×±≈Σ↓↑←→▏Δ␛▼▲", "---~.x~~Sv^<>|d^v^"
	if i := strings.IndexRune(known, r); i >= 0 {
		return standIns[utf8.RuneCountInString(known[:i])], true
	}
	return 0, false
}

// ASCII replaces every character outside ASCII by as many cells within it: a cluster of
// characters is one. Escape sequences of styles stay.
func ASCII(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for len(s) > 0 {
		if end := strings.IndexByte(s, 'm') + 1; s[0] == '\x1b' && end > 0 {
			b.WriteString(s[:end])
			s = s[end:]
			continue
		}
		if s[0] < utf8.RuneSelf && (len(s) == 1 || s[1] < utf8.RuneSelf) {
			b.WriteByte(s[0])
			s = s[1:]
			continue
		}
		cluster, w := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
		s = s[len(cluster):]
		first, size := utf8.DecodeRuneInString(cluster)
		stand, known := plain(first)
		switch {
		case known && size == len(cluster):
			b.WriteByte(stand)
		case first < utf8.RuneSelf && w <= 1: // with marks over it
			b.WriteByte(byte(first))
		case w > 0:
			b.WriteString(strings.Repeat("?", w))
		}
	}
	return b.String()
}

// FitLines makes lines exactly w columns and h rows: cut, padded, filled up.
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

package cells

import (
	"slices"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// Line is a line of input with a cursor, which [Edits] edit as a shell does. Its zero value is empty.
//
// It is ours because the text input of charm.land/bubbles brings a clipboard package that looks for five programs
// along PATH before main runs, each of them on a disk that may hang.
type Line struct {
	Text   string
	Behind int // bytes of Text behind the cursor; too many: it is at the start
}

// Edit is a key of the line, or several that do the same.
type Edit struct {
	Keys       []string // as Bubble Tea names them
	Label, Doc string   // for the help and the documentation
	Do         func(Line) Line
}

// Edits returns the keys of a line, in the order of the help.
func Edits() []Edit {
	return []Edit{
		{[]string{"backspace", "ctrl+h"}, "⌫", "delete the character before the cursor", deleting(Line.left)},
		{[]string{"delete", "ctrl+d"}, "Del", "delete the character under the cursor, also ^D", deleting(Line.right)},
		{[]string{"left", "ctrl+b"}, "←", "a character to the left", Line.left},
		{[]string{"right", "ctrl+f"}, "→", "a character to the right", Line.right},
		{[]string{"home", "ctrl+a"}, "^A", "to the start, also Home", Line.start},
		{[]string{"end", "ctrl+e"}, "^E", "to the end, also End", Line.end},
		{[]string{"alt+b", "alt+left", "ctrl+left"}, "Alt-b", "a word to the left", Line.wordLeft},
		{[]string{"alt+f", "alt+right", "ctrl+right"}, "Alt-f", "a word to the right", Line.wordRight},
		{[]string{"ctrl+w", "alt+backspace"}, "^W", "delete the word before the cursor", deleting(Line.wordLeft)},
		{[]string{"alt+d"}, "Alt-d", "delete the word behind the cursor", deleting(Line.wordRight)},
		{[]string{"ctrl+u"}, "^U", "delete all before the cursor", deleting(Line.start)},
		{[]string{"ctrl+k"}, "^K", "delete all behind the cursor", deleting(Line.end)},
	}
}

// Press returns the line after a key; ok is false if it is no key of a line.
func (l Line) Press(key string) (_ Line, ok bool) {
	for _, e := range Edits() {
		if slices.Contains(e.Keys, key) {
			return e.Do(l), true
		}
	}
	return l, false
}

// Cut returns the text before the cursor and that behind it.
func (l Line) Cut() (before, behind string) {
	at := max(0, len(l.Text)-l.Behind)
	return l.Text[:at], l.Text[at:]
}

// Insert puts a text before the cursor.
func (l Line) Insert(text string) Line {
	before, behind := l.Cut()
	return Line{before + text + behind, len(behind)}
}

// Shown returns the line with its cursor in at most w cells: of a long one the part around the cursor.
func (l Line) Shown(w int) string {
	before, behind := l.Cut()
	if room := max(1, w-1); Width(before)+Width(behind) > room {
		before = TruncateLeft(before, max(room*2/3, room-Width(behind)))
		behind = Truncate(behind, room-Width(before))
	}
	return before + "▏" + behind
}

// left moves the cursor by a character, which may be several runes.
func (l Line) left() Line {
	before, behind := l.Cut()
	last := ""
	for rest := before; rest != ""; rest = rest[len(last):] {
		last, _ = ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
	}
	l.Behind = len(behind) + len(last)
	return l
}

func (l Line) right() Line {
	_, behind := l.Cut()
	next, _ := ansi.FirstGraphemeCluster(behind, ansi.GraphemeWidth)
	l.Behind = len(behind) - len(next)
	return l
}

func (l Line) start() Line { return Line{l.Text, len(l.Text)} }
func (l Line) end() Line   { return Line{l.Text, 0} }

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

func notInWord(r rune) bool { return !inWord(r) }

func (l Line) wordLeft() Line {
	before, _ := l.Cut()
	l.Behind = len(l.Text) - len(strings.TrimRightFunc(strings.TrimRightFunc(before, notInWord), inWord))
	return l
}

func (l Line) wordRight() Line {
	_, behind := l.Cut()
	l.Behind = len(strings.TrimLeftFunc(strings.TrimLeftFunc(behind, notInWord), inWord))
	return l
}

func deleting(move func(Line) Line) func(Line) Line {
	return func(l Line) Line {
		before, behind := l.Cut()
		to := move(l)
		left, right := to.Cut()
		if len(left) < len(before) {
			return Line{left + behind, len(behind)}
		}
		return Line{before + right, len(right)}
	}
}

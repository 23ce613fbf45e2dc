package tui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vantage/tui/cells"
	"vantage/tui/layout"
)

// target is what a part of the screen stands for when the mouse is on it: one of a kind, by its number.
type target struct {
	kind targetKind
	n    int // which of the kind: a row, a column, a key
}

// spot is where a target is on the screen, in cells.
type spot struct {
	target
	rect layout.Rect
}

// contains reports whether a cell is in the spot.
func (s spot) contains(x, y int) bool { return s.rect.Contains(x, y) }

// mark returns text as a target of the mouse. Drawing functions mark what they draw where they draw it, so
// what is seen and what can be clicked are one. The mark is an escape sequence without width, and only
// [App.spots] asks for it: no terminal is sent any.
func (e env) mark(kind targetKind, n int, text string) string {
	if !e.display.marking || text == "" {
		return text
	}
	return fmt.Sprintf("\x1b[%d;%dy%s%s", kind, n, text, markEnd)
}

// The escape sequences of marks: "\x1b[KIND;NUMBERy", text, "\x1b[y".
const (
	escapeStart = "\x1b["
	markFinal   = 'y'
	markEnd     = "\x1b[y"
)

// markLines is mark for every line of a block.
func (e env) markLines(kind targetKind, n int, lines []string) []string {
	if !e.display.marking {
		return lines
	}
	for i, line := range lines {
		lines[i] = e.mark(kind, n, line)
	}
	return lines
}

// spots returns the targets on the screen, each before those that are within it: the marks of the frame, and
// the borders of the layout.
func (a App) spots() []spot {
	if a.display.w == 0 || a.screen().TooSmall {
		return nil
	}
	a.display.marking = true
	var all []spot
	for y, line := range a.lines() {
		all = append(all, spotsOfLine(line, y)...)
	}
	if a.help.open {
		return all
	}
	for _, b := range a.shortened(len(a.bottomLines(a.display.w)) - 1).borders() {
		all = append(all, spot{target{onBorder, int(b.Split)}, b.Rect})
	}
	return all
}

// spotsOfLine returns the targets that are marked in a line of the screen, outer ones first.
func spotsOfLine(line string, y int) []spot {
	var all []spot
	var open []int // indexes in all
	x := 0
	for line != "" {
		text, rest, found := strings.Cut(line, escapeStart)
		x += cells.Width(text)
		if !found {
			break
		}
		end := strings.IndexFunc(rest, func(r rune) bool { return r >= '@' && r <= '~' })
		if end < 0 {
			break
		}
		line = rest[end+1:]
		switch {
		case rest[end] != markFinal:
		case end > 0:
			kind, n, _ := strings.Cut(rest[:end], ";")
			s := spot{rect: layout.Rect{X: x, Y: y, H: 1}}
			s.kind, s.n = targetKind(number(kind)), number(n)
			open, all = append(open, len(all)), append(all, s)
		case len(open) > 0:
			last := len(open) - 1
			all[open[last]].rect.W = x - all[open[last]].rect.X
			open = open[:last]
		}
	}
	return slices.DeleteFunc(all, func(s spot) bool { return s.rect.W <= 0 })
}

// number returns the number that a mark holds.
func number(text string) int {
	n, _ := strconv.Atoi(text) // mark wrote it
	return n
}

// spotsAt returns the targets at a cell, the outermost first.
func (a App) spotsAt(x, y int) []spot {
	return slices.DeleteFunc(a.spots(), func(s spot) bool { return !s.contains(x, y) })
}

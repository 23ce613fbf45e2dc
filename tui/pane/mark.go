package pane

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"vantage/tui/cells"
	"vantage/tui/layout"
)

// Kind is a kind of what the mouse can be on.
type Kind int

// The kinds of targets, with the meaning of their number.
const (
	OnNothing   Kind = iota
	OnBody           // the view, between header and hints
	OnKey            // a key: index in the names of all keys
	OnSetting        // a key in the header
	OnPane           // a layout.Pane
	OnHeading        // a column of the groups: index in env.Sortings
	OnGroup          // a row of the groups
	OnWarning        // a line of the warnings
	OnMetric         // a metric, by its index
	OnTrend          // a figure over the steps: index in trend.Rows
	OnChart          // a line of the chart of all steps: how wide the drawing behind the labels is
	OnStep           // a step, by its index in the trend
	OnReading        // a part of an open group: 0 samples, 1 text
	OnSweepCell      // a cell of the map: see sweepmap.SweepCellNumber
	OnAnswer         // a side of the answers
	OnRow            // a row of the view's own list, see view.Lister
	OnHelp           // the help

	TargetKinds = iota
)

// Target is what a part of the screen stands for when the mouse is on it: one of a kind, by its number.
type Target struct {
	Kind Kind
	N    int // which of the kind: a row, a column, a key
}

// Spot is where on the screen a target is.
type Spot struct {
	Target
	Rect layout.Rect
}

// Mark returns text as a target of the mouse. Drawing functions mark what they draw where they draw it, so
// what is seen and what can be clicked are one. The mark is an escape sequence without width, and only
// [App.spots] asks for it: no terminal is sent any.
func (d Display) Mark(kind Kind, n int, text string) string {
	if d.Marking == nil || text == "" {
		return text
	}
	return fmt.Sprintf("\x1b[%d;%dy%s%s", kind, n, text, MarkEnd)
}

// The escape sequences of marks: "\x1b[KIND;NUMBERy", text, "\x1b[y".
const (
	escapeStart = "\x1b["
	markFinal   = 'y'
	MarkEnd     = "\x1b[y"
)

// MarkLines marks each of some lines.
func (d Display) MarkLines(kind Kind, n int, lines []string) []string {
	if d.Marking == nil {
		return lines
	}
	for i, line := range lines {
		lines[i] = d.Mark(kind, n, line)
	}
	return lines
}

// SpotsOfLine returns the targets that are marked in a line of the screen, outer ones first.
func SpotsOfLine(line string, y int) []Spot {
	var all []Spot
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
			number := func(text string) int { n, _ := strconv.Atoi(text); return n } // mark wrote it
			open, all = append(open, len(all)), append(all, Spot{Target{Kind(number(kind)), number(n)}, layout.Rect{X: x, Y: y, H: 1}})
		case len(open) > 0:
			last := len(open) - 1
			all[open[last]].Rect.W = x - all[open[last]].Rect.X
			open = open[:last]
		}
	}
	return slices.DeleteFunc(all, func(s Spot) bool { return s.Rect.W <= 0 })
}

// MarkKey marks text as the key of a name: a press on it presses the key.
func (d Display) MarkKey(name, text string) string { return d.markAsKey(OnKey, name, text) }

// MarkSetting marks text of the header as the key of a name.
func (d Display) MarkSetting(name, text string) string { return d.markAsKey(OnSetting, name, text) }

func (d Display) markAsKey(kind Kind, name, text string) string {
	if d.Marking == nil {
		return text
	}
	return d.Mark(kind, slices.Index(d.Marking, name), text)
}

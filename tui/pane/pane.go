// Package pane draws panes: frames with lines, rows with a cursor, and marks that tell the mouse what is where. Views hand it lines.
package pane

import (
	"cmp"
	"fmt"
	"strings"

	"vantage/model/sanitize"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/layout"
)

// Content is what a frame holds: a title above, a remark and a note below, and lines, which are cut
// to fit.
type Content struct {
	Title, Remark, Note string
	Lines               []string
	Cursor              int    // which of the lines is under the cursor, from 1; 0: none
	Target              Target // what the pane is to the mouse
}

// AddRow adds a row of w cells to a table. Over the one under the cursor goes a bar, on which painted
// parts keep their colours. To the mouse the row is a target.
func (d Display) AddRow(c *Content, row Target, line string, w int, underCursor bool) {
	d.AddRowWithChart(c, row, cells.Fit(line, w), "", underCursor)
}

// AddRowWithChart is AddRow for a row whose bar ends before a chart: each key that moves the cursor draws two
// bars anew, and a chart of many colours is most of what that costs on a slow link. On a reversed bar filled and
// hollow dots would change places besides.
func (d Display) AddRowWithChart(c *Content, row Target, text, chart string, underCursor bool) {
	if underCursor {
		c.Cursor = cmp.Or(c.Cursor, len(c.Lines)+1) // the first of several lines
		text = d.Theme.Underlay(themes.Cursor, text)
	}
	c.Lines = append(c.Lines, d.Mark(row.Kind, row.N, text+chart))
}

// Cell returns one of several cells in a line between blanks. Over the one under the cursor goes a bar.
func (d Display) Cell(text string, underCursor bool) string {
	switch t := d.Theme; {
	case !underCursor:
		return " " + text + " "
	case !t.HasColors():
		return t.Underlay(themes.Cursor, CursorMark+text+" ")
	default:
		return t.Underlay(themes.Cursor, " "+text+" ")
	}
}

// Box draws a frame with its content: exactly r.H lines of r.W cells.
func (d Display) Box(r layout.Rect, focused bool, c Content) []string {
	in := r.Inner()
	role := themes.Border
	if focused {
		role = themes.Focus
	}
	b := borders(d.Glyphs.ASCII)
	t := d.Theme
	title := d.Mark(c.Target.Kind, c.Target.N, cells.Truncate(c.Title+" ", in.W))
	left, right := b.topLeft, b.topRight
	if r.JoinsAbove {
		left, right = b.leftTee, b.rightTee
	}
	lines := make([]string, 0, r.H)
	lines = append(lines, t.Paint(role, left)+title+t.Paint(role, strings.Repeat(b.flat, max(0, in.W-cells.Width(title)))+right))
	for i, line := range cells.FitLines(c.Lines, in.W, in.H) {
		side := b.side
		if i+1 == c.Cursor && !t.HasColors() {
			side = CursorMark
		}
		lines = append(lines, t.Paint(role, side)+d.Mark(c.Target.Kind, c.Target.N, line)+t.Paint(role, b.side))
	}
	if r.JoinsBelow {
		return lines
	}
	if c.Note == "" && len(c.Lines) > in.H {
		c.Note = "…"
	}
	return append(lines, d.lowerBorder(role, in.W, c))
}

// CursorMark stands in the frame beside the row under the cursor where there are no colours: a
// terminal may show no reverse video either.
const CursorMark = ">"

// lowerBorder draws the last line of a frame around w cells, with remark and note. They are not painted:
// they change with the cursor, and on a slow link a colour costs more than they do.
func (d Display) lowerBorder(role themes.Role, w int, c Content) string {
	b, t := borders(d.Glyphs.ASCII), d.Theme
	note, remark := "", ""
	if c.Note != "" {
		note = cells.Truncate(" "+c.Note+" ", max(0, w-3))
	}
	if room := w - cells.Width(note) - 6; c.Remark != "" && room > 0 {
		remark = " " + cells.Truncate(c.Remark, room) + " "
	}
	rule := func(n int) string { return strings.Repeat(b.flat, max(0, n)) }
	left := t.Paint(role, b.bottomLeft+rule(min(2, w))) + remark
	return left + t.Paint(role, rule(w-cells.Width(note)-cells.Width(remark)-3)) + note + t.Paint(role, rule(min(1, w-2))+b.bottomRight)
}

// JoinColumns puts two blocks of as many lines side by side. It writes to left.
func JoinColumns(left, right []string) []string {
	for i := range left {
		left[i] += right[i]
	}
	return left
}

type border struct{ topLeft, topRight, bottomLeft, bottomRight, leftTee, rightTee, flat, side string }

// Corners and Sides are what frames begin and end with: those of a border, and of a line between two.
const (
	Corners = "╭╮╰╯├┤+"
	Sides   = "│|> "
)

func borders(ascii bool) border {
	if ascii {
		return border{"+", "+", "+", "+", "+", "+", "-", "|"}
	}
	return border{"╭", "╮", "╰", "╯", "├", "┤", "─", "│"}
}

// ClampIndex returns the index among n that is nearest to i.
func ClampIndex(i, n int) int { return max(0, min(i, n-1)) }

// WindowTop returns the first of n rows to show in a window of h rows, so that the cursor is in the middle unless the window is
// at an end.
func WindowTop(cursor, n, h int) int { return max(0, min(cursor-h/2, n-h)) }

// AddRows fills a pane to h lines of w cells with those of n rows that are around the cursor, and notes where it is.
func (d Display) AddRows(c *Content, of Kind, cursor, n, w, h int, row func(i int) string) {
	for i := WindowTop(cursor, n, h-len(c.Lines)); i < n && len(c.Lines) < h; i++ {
		d.AddRow(c, Target{of, i}, row(i), w, i == cursor)
	}
	c.Note = fmt.Sprintf("%d/%d", min(cursor+1, n), n)
}

// ScrolledTo returns the content with the lines that a pane of height h shows from line top on, and which they are of all.
func (c Content) ScrolledTo(top int, lines []string, h int) Content {
	c.Lines = lines
	if visible := max(0, h-2); len(lines) > visible {
		top = min(top, len(lines)-visible)
		c.Lines, c.Note = lines[top:], fmt.Sprintf("%d–%d/%d", top+1, top+visible, len(lines))
	}
	return c
}

// Waiting is a view that has only a sentence: what is done, or why it failed.
func (d Display) Waiting(title, text string, w, h int) []string {
	lines := append([]string{""}, d.Wrapped(" ", themes.Dim, sanitize.Line(text), min(w-5, MaxProseWidth))...)
	return d.Box(layout.Rect{W: w, H: h}, true, Content{Title: title, Lines: lines})
}

// AddTable adds a head of w cells and, of n rows, h that are around the cursor; table returns the head and the rows from one to before
// another.
func (d Display) AddTable(c *Content, list Kind, cursor, n, w, h int, table func(from, to int) []string) {
	h = max(0, h)
	top := WindowTop(cursor, n, h)
	lines := table(top, min(n, top+h))
	c.Lines = append(c.Lines, d.Theme.Paint(themes.Dim, cells.Fit(lines[0], w)))
	for i, line := range lines[1:] {
		d.AddRow(c, Target{list, top + i}, line, w+1, top+i == cursor)
	}
}

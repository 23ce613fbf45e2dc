// Package layout computes where the panes of a view are. In comes the size of the terminal
// and which pane is in front; out come rectangles, in cells. Drawing, the mouse and the
// scrolling in tui call it, so that all of them agree.
package layout

// The smallest terminal that views are drawn in; a smaller one shows a message.
const (
	MinWidth  = 60
	MinHeight = 16
)

// Rect is a rectangle on the screen, in cells.
type Rect struct {
	X, Y, W, H int

	// JoinsBelow is set if the upper border of the rectangle below is the lower one of this too, and
	// JoinsAbove is set in that one.
	JoinsBelow, JoinsAbove bool
}

// Empty reports whether r has no cells.
func (r Rect) Empty() bool { return r.W <= 0 || r.H <= 0 }

// Contains reports whether a cell is in r.
func (r Rect) Contains(x, y int) bool { return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H }

// Inner returns r without its borders of one cell.
func (r Rect) Inner() Rect {
	borders := 2
	if r.JoinsBelow {
		borders = 1
	}
	return Rect{X: r.X + 1, Y: r.Y + 1, W: max(0, r.W-2), H: max(0, r.H-borders)}
}

// Pane is a part of the overview that can have the focus.
type Pane int

// The panes, in the order of their numbers on the screen.
const (
	Groups Pane = iota
	Advantages
	Steps
	Warnings
	Metrics

	PaneCount = iota
)

// Screen is the layout of the whole terminal.
type Screen struct {
	Header   Rect            // open log, figures of the step, settings
	Panes    [PaneCount]Rect // a hidden pane is empty
	Hints    Rect            // keys of the view
	TooSmall bool            // then all rectangles are empty
}

// HeaderRows are the lines above the body.
const HeaderRows = 3

// NewScreen lays out w×h cells. Panes that do not all fit share a rectangle, which shows
// the one in front.
func NewScreen(w, h int, front Pane, held Held) Screen {
	if w < MinWidth || h < MinHeight {
		return Screen{TooSmall: true}
	}
	return Arrange(w, h, front, held)
}

// Held is what panes hold that need less room than others could use. Neither a filter nor a warning changes it: no border moves with them.
type Held struct {
	Groups  int  // lines: those of all groups, and of the samples of the one under the cursor
	OneStep bool // which is no line over steps
}

// groupsWithin returns the height of the groups above other panes in r: at most the given one, and half of r at least.
func (h Held) groupsWithin(r Rect, most int) int {
	if h.OneStep {
		return most
	}
	return min(most, max(r.H/2, h.Groups+2))
}

// Arrange is NewScreen for a terminal that is large enough, but of which a notice may have taken some lines.
func Arrange(w, h int, front Pane, held Held) Screen {
	s := Screen{Header: Rect{W: w, H: HeaderRows}, Hints: Rect{Y: h - 1, W: w, H: 1}}
	body := Rect{Y: HeaderRows, W: w, H: h - HeaderRows - 1}
	switch {
	case w >= 160 && body.H >= 40:
		left, right := Beside(body, body.W*31/50)
		s.Panes[Groups], s.Panes[Steps] = splitRows(left, held.groupsWithin(left, left.H-14))
		s.Panes[Advantages], right = splitRows(right, right.H*2/5)
		s.Panes[Warnings], s.Panes[Metrics] = splitRows(right, right.H*2/5)
	case w >= 110 && body.H >= 24:
		s.medium(body, front, held)
	default:
		s.narrow(body, front, held)
	}
	return s
}

// Only returns the layout with a pane in the place of all.
func (s Screen) Only(p Pane) Screen {
	if s.TooSmall {
		return s
	}
	s.Panes = [PaneCount]Rect{}
	s.Panes[p] = Rect{Y: s.Header.H, W: s.Header.W, H: s.Hints.Y - s.Header.H}
	return s
}

// narrow puts the groups above the other panes. Steps and warnings share a border; they and the metrics
// take the whole lower part while they are in front.
func (s *Screen) narrow(body Rect, front Pane, held Held) {
	top, bottom := splitRows(body, held.groupsWithin(body, body.H*3/5))
	s.Panes[Groups] = top
	if front == Steps || front == Warnings || front == Metrics {
		s.Panes[front] = bottom
		return
	}
	left, right := Beside(bottom, bottom.W*11/20)
	s.Panes[Advantages] = left
	if right.H < 5 {
		s.Panes[Steps] = right
		return
	}
	steps := max(2, min(right.H*3/8, 9))
	s.Panes[Steps], s.Panes[Warnings] = splitRows(right, steps)
	s.Panes[Steps].JoinsBelow, s.Panes[Warnings].JoinsAbove = true, true
}

func (s *Screen) medium(body Rect, front Pane, held Held) {
	if front != Metrics {
		front = Warnings
	}
	top, bottom := splitRows(body, held.groupsWithin(body, body.H-max(9, body.H*3/10)))
	s.Panes[Groups], s.Panes[Advantages] = Beside(top, top.W*2/3)
	s.Panes[Steps], s.Panes[front] = Beside(bottom, bottom.W*2/5)
}

// splitRows divides r into a part of h rows and the rest.
func splitRows(r Rect, h int) (top, bottom Rect) {
	return Rect{X: r.X, Y: r.Y, W: r.W, H: h}, Rect{X: r.X, Y: r.Y + h, W: r.W, H: r.H - h}
}

// sideBySideWidth is the width from which samples and text are side by side.
const sideBySideWidth = 110

// GroupView lays out the view of a group in the w×h cells between header and hints: the
// table of so many samples, which needs tableWidth columns, and the text of one sample. One above the other, the table has
// no more rows than it needs, and fewer while the text has the focus.
func GroupView(w, h, tableWidth, sampleCount int, textFocused bool) (samples, text Rect) {
	body := Rect{W: w, H: h}
	if w >= sideBySideWidth {
		const fateWidth = 50 // of the sentence above the table
		return Beside(body, min(max(tableWidth+2, fateWidth), w/2))
	}
	const minRows = 5 // fate, header and selected sample, in a border
	rows := max(minRows+1, min(h/2, sampleCount+4))
	if textFocused {
		rows = minRows
	}
	return splitRows(body, min(rows, h))
}

// Beside divides r into a part of w columns and the rest.
func Beside(r Rect, w int) (left, right Rect) {
	return Rect{X: r.X, Y: r.Y, W: w, H: r.H}, Rect{X: r.X + w, Y: r.Y, W: r.W - w, H: r.H}
}

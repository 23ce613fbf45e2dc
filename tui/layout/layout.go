// Package layout says where the panes of the overview stand: a pure function of
// the size, used for drawing and for whatever has to know what is where.
package layout

// The size below which one line says what is needed instead.
const (
	MinWidth  = 60
	MinHeight = 16
)

// Rect is a place on the screen, in cells.
type Rect struct{ X, Y, W, H int }

// Empty reports whether there is no room in it.
func (r Rect) Empty() bool { return r.W <= 0 || r.H <= 0 }

// Inner is the room within a frame of one cell.
func (r Rect) Inner() Rect {
	return Rect{r.X + 1, r.Y + 1, max(0, r.W-2), max(0, r.H-2)}
}

// Pane names a part of the overview that keys can go to.
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

// Screen is where everything is.
type Screen struct {
	Header   Rect            // what is open, the step's figures, the settings
	Panes    [PaneCount]Rect // an empty one is not shown
	Hints    Rect            // the keys
	TooSmall bool            // too small for anything
}

// headRows: what is open, the step, the settings.
const headRows = 3

// NewScreen lays out w×h cells. Warnings and metrics share a place unless there is
// room for both; front says which of the two is seen.
func NewScreen(w, h int, front Pane) Screen {
	if w < MinWidth || h < MinHeight {
		return Screen{TooSmall: true}
	}
	s := Screen{Header: Rect{0, 0, w, headRows}, Hints: Rect{0, h - 1, w, 1}}
	body := Rect{0, headRows, w, h - headRows - 1}
	switch {
	case w >= 160 && body.H >= 40:
		s.wide(body)
	case w >= 110 && body.H >= 24:
		s.medium(body, front)
	default:
		s.narrow(body, front)
	}
	return s
}

// narrow: the groups over everything else. A pane that needs room to be read
// has all of it while it is in front.
func (s *Screen) narrow(b Rect, front Pane) {
	top, bottom := cutRows(b, b.H/2)
	s.Panes[Groups] = top
	if front == Steps || front == Warnings || front == Metrics {
		s.Panes[front] = bottom
		return
	}
	left, right := cutColumns(bottom, bottom.W*11/20)
	s.Panes[Advantages] = left
	s.Panes[Steps], s.Panes[Warnings] = cutRows(right, min(4, right.H/2))
}

// medium: groups and advantages side by side over steps and warnings.
func (s *Screen) medium(b Rect, front Pane) {
	top, bottom := cutRows(b, b.H-max(9, b.H*3/10))
	s.Panes[Groups], s.Panes[Advantages] = cutColumns(top, top.W*3/5)
	var right Rect
	s.Panes[Steps], right = cutColumns(bottom, bottom.W*2/5)
	s.share(right, front)
}

// wide: everything at once.
func (s *Screen) wide(b Rect) {
	left, right := cutColumns(b, b.W*11/20)
	s.Panes[Groups], s.Panes[Steps] = cutRows(left, left.H-14)
	s.Panes[Advantages], right = cutRows(right, right.H*2/5)
	s.Panes[Warnings], s.Panes[Metrics] = cutRows(right, right.H*2/5)
}

// share gives one place to warnings and metrics.
func (s *Screen) share(r Rect, front Pane) {
	if front != Metrics {
		front = Warnings
	}
	s.Panes[front] = r
}

func cutRows(r Rect, h int) (top, bottom Rect) {
	return Rect{r.X, r.Y, r.W, h}, Rect{r.X, r.Y + h, r.W, r.H - h}
}

func cutColumns(r Rect, w int) (left, right Rect) {
	return Rect{r.X, r.Y, w, r.H}, Rect{r.X + w, r.Y, r.W - w, r.H}
}

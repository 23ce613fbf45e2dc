// Package layout computes where the panes of a view are. In comes the size of the terminal
// and which pane is in front; out come rectangles, in cells. Drawing, the mouse and the
// scrolling in tui call it, so that all of them agree.
package layout

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

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
	Borders  []Border        // that can be moved
	TooSmall bool            // then all rectangles are empty

	shares Shares
}

// HeaderRows are the lines above the body.
const HeaderRows = 3

// NewScreen lays out w×h cells. Panes that do not all fit share a rectangle, which shows
// the one in front. Borders that were moved are where shares has them.
func NewScreen(w, h int, front Pane, held Held, shares Shares) Screen {
	if w < MinWidth || h < MinHeight {
		return Screen{TooSmall: true}
	}
	return Arrange(w, h, front, held, shares)
}

// Held is what panes hold that need less room than others could use.
type Held struct {
	Groups     int  // lines: those of the groups, and of the samples of the one under the cursor
	NoWarnings bool // a line says so
	OneStep    bool // which is no line over steps
}

// groupsWithin returns the height of the groups above other panes in r: at most the given one, and half of r at least.
func (h Held) groupsWithin(r Rect, most int) int {
	if h.OneStep {
		return most
	}
	return min(most, max(r.H/2, h.Groups+2))
}

// Arrange is NewScreen for a terminal that is large enough, but of which a notice may have taken some lines.
func Arrange(w, h int, front Pane, held Held, shares Shares) Screen {
	s := Screen{Header: Rect{W: w, H: HeaderRows}, Hints: Rect{Y: h - 1, W: w, H: 1}, shares: shares}
	body := Rect{Y: HeaderRows, W: w, H: h - HeaderRows - 1}
	switch {
	case w >= 160 && body.H >= 40:
		left, right := s.columns(WideColumns, body, body.W*31/50)
		s.Panes[Groups], s.Panes[Steps] = s.rows(WideLeft, left, held.groupsWithin(left, left.H-14))
		s.Panes[Advantages], right = s.rows(WideRight, right, right.H*2/5)
		warnings := right.H * 2 / 5
		if held.NoWarnings {
			warnings = minPartHeight
		}
		s.Panes[Warnings], s.Panes[Metrics] = s.rows(WideLowerRight, right, warnings)
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
	top, bottom := s.rows(NarrowRows, body, held.groupsWithin(body, body.H*3/5))
	s.Panes[Groups] = top
	if front == Steps || front == Warnings || front == Metrics {
		s.Panes[front] = bottom
		return
	}
	left, right := s.columns(NarrowColumns, bottom, bottom.W*11/20)
	s.Panes[Advantages] = left
	if right.H < 5 {
		s.Panes[Steps] = right
		return
	}
	steps := max(2, min(right.H*3/8, 9))
	if held.NoWarnings {
		steps = right.H - 3
	}
	s.Panes[Steps], s.Panes[Warnings] = splitRows(right, steps)
	s.Panes[Steps].JoinsBelow, s.Panes[Warnings].JoinsAbove = true, true
}

func (s *Screen) medium(body Rect, front Pane, held Held) {
	steps := 2
	if front != Metrics {
		front = Warnings
		if held.NoWarnings {
			steps = 3
		}
	}
	top, bottom := s.rows(MediumRows, body, held.groupsWithin(body, body.H-max(9, body.H*3/10)))
	s.Panes[Groups], s.Panes[Advantages] = s.columns(MediumTop, top, top.W*2/3)
	s.Panes[Steps], s.Panes[front] = s.columns(MediumBottom, bottom, bottom.W*steps/5)
}

// rows divides r into a part of h rows and the rest, columns into one of w columns, unless the border was moved.
func (s *Screen) rows(split Split, r Rect, h int) (top, bottom Rect) {
	return s.divide(split, r, h, false)
}

func (s *Screen) columns(split Split, r Rect, w int) (left, right Rect) {
	return s.divide(split, r, w, true)
}

func (s *Screen) divide(split Split, r Rect, size int, upright bool) (first, second Rect) {
	first, second, border := s.shares.divide(split, r, size, upright)
	s.Borders = append(s.Borders, border)
	return first, second
}

func splitRows(r Rect, h int) (top, bottom Rect) {
	return Rect{X: r.X, Y: r.Y, W: r.W, H: h}, Rect{X: r.X, Y: r.Y + h, W: r.W, H: r.H - h}
}

// sideBySideWidth is the width from which samples and text are side by side.
const sideBySideWidth = 110

// GroupView lays out the view of a group in the w×h cells between header and hints: the
// table of so many samples, which needs tableWidth columns, and the text of one sample. One above the other, the table has
// no more rows than it needs, and fewer while the text has the focus; side by side, the border between them can be moved.
func GroupView(w, h, tableWidth, sampleCount int, textFocused bool, shares Shares) (samples, text Rect, borders []Border) {
	body := Rect{W: w, H: h}
	if w >= sideBySideWidth {
		const fateWidth = 50 // of the sentence above the table
		left, right, border := shares.Beside(GroupColumns, body, min(max(tableWidth+2, fateWidth), w/2))
		return left, right, []Border{border}
	}
	const minRows = 5 // fate, header and selected sample, in a border
	rows := max(minRows+1, min(h/2, sampleCount+4))
	if textFocused {
		rows = minRows
	}
	samples, text = splitRows(body, min(rows, h))
	return samples, text, nil
}

// Split is a border between two parts of a layout that can be moved.
type Split int

// The splits, by layout: one that is moved in a wide terminal stays where it was in a narrow one.
const (
	NarrowRows    Split = iota // groups over the rest
	NarrowColumns              // advantages beside steps and warnings
	MediumRows
	MediumTop    // groups beside advantages
	MediumBottom // steps beside warnings or metrics
	WideColumns
	WideLeft       // groups over steps
	WideRight      // advantages over warnings
	WideLowerRight // warnings over metrics
	GroupColumns   // samples beside text
	AnswerColumns  // the answers of two runs
	EstimatorColumns

	splitCount
)

func splitNames() [splitCount]string {
	return [splitCount]string{
		NarrowRows: "narrow-rows", NarrowColumns: "narrow-columns", MediumRows: "medium-rows", MediumTop: "medium-top", MediumBottom: "medium-bottom",
		WideColumns: "wide-columns", WideLeft: "wide-left", WideRight: "wide-right", WideLowerRight: "wide-lower-right",
		GroupColumns: "group-columns", AnswerColumns: "answer-columns", EstimatorColumns: "estimator-columns",
	}
}

// Shares is how much of its rectangle the first part of each split has, as a fraction; 0 where the layout
// decides.
type Shares [splitCount]float64

// With returns the shares with another one of a split, rounded to thousandths; 0 restores the layout's.
func (s Shares) With(split Split, share float64) Shares {
	s[split] = math.Round(1000*share) / 1000
	return s
}

// String returns the shares that are not the layout's, as "medium-rows=0.6 group-columns=0.45"; "" if none
// is.
func (s Shares) String() string {
	var parts []string
	for split, name := range splitNames() {
		if s[split] != 0 {
			parts = append(parts, fmt.Sprintf("%s=%.3g", name, s[split]))
		}
	}
	return strings.Join(parts, " ")
}

// ParseShares parses what String returned. What it does not know it leaves out.
func ParseShares(text string) Shares {
	var s Shares
	names := splitNames()
	for part := range strings.FieldsSeq(text) {
		name, value, _ := strings.Cut(part, "=")
		share, err := strconv.ParseFloat(value, 64)
		if i := slices.Index(names[:], name); i >= 0 && err == nil && share > 0 && share < 1 {
			s = s.With(Split(i), share)
		}
	}
	return s
}

// Border is where the two parts of a split meet.
type Border struct {
	Split   Split
	Rect    Rect // the frames of both parts, two cells thick
	of      Rect // what is divided
	upright bool // the parts are side by side
}

// The smallest parts that a border can be moved to leave.
const (
	minPartWidth  = 20
	minPartHeight = 4
)

// ShareAt returns the share of the first part if the border is moved to a cell.
func (b Border) ShareAt(x, y int) float64 {
	if b.upright {
		return clampPart(float64(x-b.of.X), minPartWidth, b.of.W) / float64(b.of.W)
	}
	return clampPart(float64(y-b.of.Y), minPartHeight, b.of.H) / float64(b.of.H)
}

// clampPart returns the size of a part within all, so that both parts have the least size where there is
// room for that.
func clampPart(size float64, least, all int) float64 {
	return max(float64(min(least, all/2)), min(size, float64(all-min(least, all/2))))
}

// Below returns the border so many rows further down.
func (b Border) Below(rows int) Border {
	b.Rect.Y += rows
	b.of.Y += rows
	return b
}

// Beside divides r into a part of w columns and the rest, unless the border between them was moved.
func (s Shares) Beside(split Split, r Rect, w int) (left, right Rect, border Border) {
	return s.divide(split, r, w, true)
}

// divide divides r into a part of a size and the rest, side by side if upright, unless the border between them was moved.
func (s Shares) divide(split Split, r Rect, size int, upright bool) (first, second Rect, border Border) {
	least, all := minPartHeight, r.H
	if upright {
		least, all = minPartWidth, r.W
	}
	if s[split] != 0 {
		size = int(math.Round(clampPart(s[split]*float64(all), least, all)))
	}
	if !upright {
		first, second = splitRows(r, size)
		return first, second, Border{split, Rect{X: r.X, Y: second.Y - 1, W: r.W, H: 2}, r, false}
	}
	first, second = Rect{X: r.X, Y: r.Y, W: size, H: r.H}, Rect{X: r.X + size, Y: r.Y, W: r.W - size, H: r.H}
	return first, second, Border{split, Rect{X: second.X - 1, Y: r.Y, W: 2, H: r.H}, r, true}
}

package layout

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

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

// splitNames are the names of the splits in a saved session.
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

// part returns the size of the first part of all: by the share of a split, or as the layout has it.
func (s Shares) part(split Split, usual, least, all int) int {
	if s[split] == 0 {
		return usual
	}
	return int(math.Round(clampPart(s[split]*float64(all), least, all)))
}

// Below returns the border so many rows further down.
func (b Border) Below(rows int) Border {
	b.Rect.Y += rows
	b.of.Y += rows
	return b
}

// Beside divides r into a part of w columns and the rest, unless the border between them was moved.
func (s Shares) Beside(split Split, r Rect, w int) (left, right Rect, border Border) {
	left, right = splitColumns(r, s.part(split, w, minPartWidth, r.W))
	return left, right, Border{split, Rect{X: right.X - 1, Y: r.Y, W: 2, H: r.H}, r, true}
}

// over divides r into a part of h rows, or as the split's share says, and the rest.
func (s Shares) over(split Split, r Rect, h int) (top, bottom Rect, border Border) {
	top, bottom = splitRows(r, s.part(split, h, minPartHeight, r.H))
	return top, bottom, Border{split, Rect{X: r.X, Y: bottom.Y - 1, W: r.W, H: 2}, r, false}
}

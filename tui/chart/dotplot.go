package chart

import (
	"strings"

	"vantage/themes"
)

// DotPlot draws the samples of a group as dots on an axis in w columns: a kept sample at
// its processed advantage, a dropped one at its original advantage.
func DotPlot(t *themes.Theme, g Glyphs, axis Axis, original, processed []float64, keep []bool, w int) string {
	if w < 1 {
		return ""
	}
	dots := make([]dot, w)
	for i, kept := range keep {
		v, d := processed[i], keptDot
		if !kept {
			v, d = original[i], droppedDot
		}
		if isFinite(v) {
			dots[axis.Column(v, w)] |= d
		}
	}
	zero := axis.Column(0, w)
	var b strings.Builder
	for x, d := range dots {
		switch {
		case d == 0 && x == zero:
			b.WriteString(t.Paint(themes.Track, g.Vertical))
		case d == 0:
			b.WriteByte(' ')
		default:
			b.WriteString(d.paint(t, g, x-zero))
		}
	}
	return b.String()
}

// dot says which kinds of samples a cell holds.
type dot uint8

const (
	keptDot dot = 1 << iota
	droppedDot
)

// paint draws a dot in the colour of the advantages at x, which is 0 at the zero of the
// axis.
func (d dot) paint(t *themes.Theme, g Glyphs, x int) string {
	if d == droppedDot {
		return t.Paint(themes.Dropped, g.Ring)
	}
	role, glyph := themes.Dim, g.Dot
	switch {
	case x > 0:
		role = themes.Positive
	case x < 0:
		role = themes.Negative
	}
	if d == keptDot|droppedDot {
		glyph = g.HalfDot
	}
	return t.Paint(role, glyph)
}

package chart

import (
	"strings"

	"vantage/themes"
)

// DotPlot draws the samples of a group as marks on a common axis in w columns:
// kept ones at their processed advantage, dropped ones at their original one.
func DotPlot(t *themes.Theme, g Glyphs, axis Axis, original, processed []float64, keep []bool, w int) string {
	if w < 1 {
		return ""
	}
	const kept, dropped = 1, 2
	marks := make([]uint8, w)
	for i, k := range keep {
		v, mark := processed[i], uint8(kept)
		if !k {
			v, mark = original[i], dropped
		}
		if v-v == 0 { // finite
			marks[axis.Column(v, w)] |= mark
		}
	}
	zero := axis.Column(0, w)
	var b strings.Builder
	for x := 0; x < w; {
		mark, end := marks[x], x+1
		for end < w && marks[end] == mark && mark == 0 && end != zero && x != zero {
			end++
		}
		switch {
		case mark == 0 && x == zero:
			b.WriteString(t.Paint(themes.Track, g.Vertical))
		case mark == 0:
			b.WriteString(strings.Repeat(" ", end-x))
		default:
			b.WriteString(paintMark(t, g, mark, x-zero))
		}
		x = end
	}
	return b.String()
}

// paintMark draws one mark; side is the sign of its place on the axis.
func paintMark(t *themes.Theme, g Glyphs, mark uint8, side int) string {
	role := themes.Dim
	switch {
	case mark == 2:
		return t.Paint(themes.Dropped, g.Ring)
	case side > 0:
		role = themes.Positive
	case side < 0:
		role = themes.Negative
	}
	if mark == 3 {
		return t.Paint(role, g.HalfDot)
	}
	return t.Paint(role, g.Dot)
}

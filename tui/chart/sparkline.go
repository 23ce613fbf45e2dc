package chart

import (
	"math"
	"strings"

	"vantage/model/units"
	"vantage/themes"
)

// Sparkline draws values between lo and hi as a row of bars in w cells, aligned left, and highlights the cell of index
// current (-1: none). A constant is a thin line. If there are more values than cells, a cell shows the mean of its values.
// NaN leaves a gap.
func Sparkline(t *themes.Theme, g Glyphs, values []float64, current int, lo, hi float64, w int) string {
	n := min(w, len(values))
	if n < 1 {
		return strings.Repeat(" ", max(0, w))
	}
	index := make([]float64, len(values))
	for i := range index {
		index[i] = float64(i)
	}
	s := Spark{X: Axis{0, float64(len(values) - 1)}, Line: Line{X: index, Y: values, Axis: Axis{lo, hi}}, Bars: true, Current: -1}
	if current >= 0 && current < len(values) {
		s.Current = float64(current)
	}
	return s.Draw(t, g, n) + strings.Repeat(" ", w-n)
}

// Spark is a line over the x axis that is drawn in one row.
type Spark struct {
	X       Axis
	Line    Line    // its role and stroke are not used
	Bars    bool    // draw bars from the lower end of its axis: they show more, but are a slab at the upper end
	Current float64 // x of the cell that is highlighted; below the axis: none
}

// Draw draws the row in w cells. A line whose axis has no length is constant: it is in the middle.
func (s Spark) Draw(t *themes.Theme, g Glyphs, w int) string {
	if w < 1 {
		return ""
	}
	constant := units.NearlyEqual(s.Line.Axis.Lo, s.Line.Axis.Hi)
	line := s.Line.withGaps().Within(s.X)
	line.Role, line.Stroke, line.Axis = themes.Dim, Solid, line.Axis.Widened()
	row := newPlotCells(w, 1)
	switch heights := line.heights(s.X, w); {
	case s.Bars && !constant:
		row.addGlyphs(heights, g.BarsUp, themes.Track)
	case g.ASCII:
		row.addGlyphs(heights, []string{"_", ".", "-", "'"}, themes.Dim)
	default:
		line.thinned(s.X, w).addDots(row, s.X)
	}
	if s.Current >= s.X.Lo && s.Current <= s.X.Hi {
		row.role[0][s.X.PlotColumn(s.Current, w)] = themes.Accent
	}
	return row.paint(t)[0]
}

// addGlyphs draws a row of glyphs, the last at height 1.
func (c *plotCells) addGlyphs(heights []float64, glyphs []string, role themes.Role) {
	for x, height := range heights {
		if isFinite(height) {
			glyph := []rune(glyphs[int(math.Round(height*float64(len(glyphs)-1)))])
			c.set(x, 0, glyph[0], role)
		}
	}
}

// Meter draws a fraction of 1 as a horizontal bar in w cells.
func Meter(t *themes.Theme, g Glyphs, role themes.Role, fraction float64, w int) string {
	w = max(0, w)
	full := int(math.Round(min(1, max(0, fraction)) * float64(w)))
	return t.Paint(role, strings.Repeat(g.MeterFull, full)) + t.Paint(themes.Track, strings.Repeat(g.MeterEmpty, w-full))
}

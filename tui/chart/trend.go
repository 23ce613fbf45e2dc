package chart

import (
	"strings"

	"github.com/NimbleMarkets/ntcharts/v2/canvas"
	"github.com/NimbleMarkets/ntcharts/v2/canvas/graph"

	"vantage/themes"
)

// Trend draws a line through the values in w columns and h rows of braille
// dots, from lo at the bottom to hi at the top. NaN breaks the line. Where
// braille is not to be had, it draws the columns of a [Spark] instead.
func Trend(t themes.Theme, g Glyphs, role themes.Role, values []float64, lo, hi float64, w, h int) []string {
	if w < 1 || h < 1 {
		return nil
	}
	lines := make([]string, h)
	if g.ASCII || len(values) < 2 {
		for i := range lines {
			lines[i] = strings.Repeat(" ", w)
		}
		lines[h-1] = Spark(t, g, values, -1, lo, hi, w)
		return lines
	}
	grid := graph.NewBrailleGrid(w, h, 0, float64(len(values)-1), 0, 1)
	var last *canvas.Point
	for i, v := range values {
		if v-v != 0 {
			last = nil
			continue
		}
		p := grid.GridPoint(canvas.Float64Point{X: float64(i), Y: share(v, lo, hi)})
		if last == nil {
			last = &p
		}
		for _, dot := range graph.GetLinePoints(*last, p) {
			grid.Set(dot)
		}
		last = &p
	}
	for y, row := range grid.BraillePatterns() {
		if y < h {
			lines[y] = t.Paint(role, braille(row, w))
		}
	}
	return lines
}

// braille writes a row of patterns; an empty one is a blank.
func braille(row []rune, w int) string {
	var b strings.Builder
	for x := range w {
		r := ' '
		if x < len(row) && row[x] != 0 && row[x] != '\u2800' {
			r = row[x]
		}
		b.WriteRune(r)
	}
	return b.String()
}

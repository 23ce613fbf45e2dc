package chart

import (
	"math"
	"slices"
	"strings"

	"github.com/NimbleMarkets/ntcharts/v2/canvas"
	"github.com/NimbleMarkets/ntcharts/v2/canvas/graph"

	"vantage/themes"
)

// Trend draws a line through the values in w columns and h rows of braille
// dots, from lo at the bottom to hi at the top. NaN breaks the line. Where values
// outnumber the dots in a row by far the line goes through the means of [ValuesPerDot] of them:
// one through all of them would be a block. Where braille is not to be had, a star in each
// column stands for the mean of its values.
func Trend(t *themes.Theme, g Glyphs, role themes.Role, values []float64, lo, hi float64, w, h int) []string {
	if w < 1 || h < 1 {
		return nil
	}
	if g.ASCII {
		return stars(t, role, values, lo, hi, w, h)
	}
	lines := make([]string, h)
	if len(values) < 2 {
		for i := range lines {
			lines[i] = strings.Repeat(" ", w)
		}
		lines[h-1] = Sparkline(t, g, values, -1, lo, hi, w)
		return lines
	}
	values = condensed(values, ValuesPerDot(len(values), w))
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

// manyPerDot is how many values a dot's column takes before they are drawn as means.
const manyPerDot = 2

// ValuesPerDot is how many of n values [Trend] draws as one in w columns; there are two columns
// of dots in each.
func ValuesPerDot(n, w int) int {
	if dots := max(2, 2*w); n > manyPerDot*dots {
		return (n + dots - 1) / dots
	}
	return 1
}

// condensed are the means of each so many values.
func condensed(values []float64, each int) []float64 {
	if each <= 1 {
		return values
	}
	means := make([]float64, 0, len(values)/each+1)
	for part := range slices.Chunk(values, each) {
		means = append(means, meanOf(part))
	}
	return means
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

// stars draws the values with one character a column.
func stars(t *themes.Theme, role themes.Role, values []float64, lo, hi float64, w, h int) []string {
	heights, counts := make([]float64, w), make([]float64, w)
	for i, v := range values {
		if v-v != 0 {
			continue
		}
		x := TrendColumn(i, len(values), w)
		heights[x] += share(v, lo, hi)
		counts[x]++
		if i+1 == len(values) || values[i+1]-values[i+1] != 0 {
			continue
		}
		next := TrendColumn(i+1, len(values), w)
		for between := x + 1; between < next; between++ { // more columns than values: a straight line
			part := float64(between-x) / float64(next-x)
			heights[between], counts[between] = share(v+part*(values[i+1]-v), lo, hi), 1
		}
	}
	rows := make([][]byte, h)
	for y := range rows {
		rows[y] = []byte(strings.Repeat(" ", w))
	}
	for x, n := range counts {
		if n > 0 {
			rows[h-1-int(math.Round(heights[x]/n*float64(h-1)))][x] = '*'
		}
	}
	lines := make([]string, h)
	for y := range lines {
		lines[y] = t.Paint(role, string(rows[y]))
	}
	return lines
}

// TrendColumn is where in w columns value i of n is drawn by [Trend].
func TrendColumn(i, n, w int) int {
	if n < 2 {
		return 0
	}
	return i * (w - 1) / (n - 1)
}

package chart

import (
	"math"
	"slices"
	"strings"

	"github.com/NimbleMarkets/ntcharts/v2/canvas"
	"github.com/NimbleMarkets/ntcharts/v2/canvas/graph"

	"vantage/themes"
)

// Trend draws a line through the values between lo and hi in w columns and h rows of
// braille. NaN breaks the line. If there are many more values than dots in a row, the line
// connects the means of [ValuesPerDot] values each, since all of them would fill a solid
// block. With ASCII glyphs every column has a star at the mean of its values.
func Trend(t *themes.Theme, g Glyphs, role themes.Role, values []float64, lo, hi float64, w, h int) []string {
	if w < 1 || h < 1 {
		return nil
	}
	if g.ASCII {
		return asciiTrend(t, role, values, lo, hi, w, h)
	}
	lines := make([]string, h)
	if len(values) < 2 {
		for i := range lines {
			lines[i] = strings.Repeat(" ", w)
		}
		lines[h-1] = Sparkline(t, g, values, -1, lo, hi, w)
		return lines
	}
	values = means(values, ValuesPerDot(len(values), w))
	grid := graph.NewBrailleGrid(w, h, 0, float64(len(values)-1), 0, 1)
	var last *canvas.Point
	for i, v := range values {
		if !isFinite(v) {
			last = nil
			continue
		}
		p := grid.GridPoint(canvas.Float64Point{X: float64(i), Y: fractionOf(v, lo, hi)})
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
			lines[y] = t.Paint(role, brailleRow(row, w))
		}
	}
	return lines
}

// maxPerDot is how many values per dot a trend draws before it averages them.
const maxPerDot = 2

// ValuesPerDot returns how many of n values [Trend] averages into one dot in w columns,
// each two dots wide.
func ValuesPerDot(n, w int) int {
	if dots := max(2, 2*w); n > maxPerDot*dots {
		return (n + dots - 1) / dots
	}
	return 1
}

// means returns the means of every n values in a row.
func means(values []float64, n int) []float64 {
	if n <= 1 {
		return values
	}
	all := make([]float64, 0, len(values)/n+1)
	for chunk := range slices.Chunk(values, n) {
		all = append(all, finiteMean(chunk))
	}
	return all
}

// brailleRow returns w cells of a row of patterns, an empty pattern as a space.
func brailleRow(patterns []rune, w int) string {
	var b strings.Builder
	for x := range w {
		r := ' '
		if x < len(patterns) && patterns[x] != 0 && patterns[x] != '\u2800' {
			r = patterns[x]
		}
		b.WriteRune(r)
	}
	return b.String()
}

// asciiTrend draws the mean of every column as a star. Columns between two values are
// interpolated.
func asciiTrend(t *themes.Theme, role themes.Role, values []float64, lo, hi float64, w, h int) []string {
	heights, counts := make([]float64, w), make([]float64, w)
	for i, v := range values {
		if !isFinite(v) {
			continue
		}
		x := TrendColumn(i, len(values), w)
		heights[x] += fractionOf(v, lo, hi)
		counts[x]++
		if i+1 == len(values) || !isFinite(values[i+1]) {
			continue
		}
		next := TrendColumn(i+1, len(values), w)
		for between := x + 1; between < next; between++ {
			share := float64(between-x) / float64(next-x)
			heights[between], counts[between] = fractionOf(v+share*(values[i+1]-v), lo, hi), 1
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

// TrendColumn returns the column among w in which [Trend] draws value i of n.
func TrendColumn(i, n, w int) int {
	if n < 2 {
		return 0
	}
	return i * (w - 1) / (n - 1)
}

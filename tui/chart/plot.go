package chart

import (
	"math"
	"strings"

	"github.com/NimbleMarkets/ntcharts/v2/canvas"
	"github.com/NimbleMarkets/ntcharts/v2/canvas/graph"

	"vantage/themes"
)

// Plot is lines over a common x axis.
type Plot struct {
	X     Axis
	Lines []Line // the first is on top
}

// Line connects points from left to right. A value that is not finite breaks it, and so does a gap between two points:
// see [Gaps]. Points beyond the x axis are not drawn.
type Line struct {
	X, Y   []float64 // as many; X ascends
	Axis   Axis      // of Y
	Role   themes.Role
	Stroke Stroke

	gaps []bool // behind each point; nil: none, or not looked for yet
}

// Draw draws the plot in w columns and h rows of braille, of which a cell belongs to the first line that has
// a dot there. If a line has many more points than dots in a row, it connects the means of [PointsPerDot]
// points each, since all of them would fill a solid block. With ASCII glyphs each column of a line has the
// mark of its stroke at the mean of its values.
func (p Plot) Draw(t *themes.Theme, g Glyphs, w, h int) []string {
	if w < 1 || h < 1 {
		return nil
	}
	return p.cells(g, w, h).paint(t)
}

func (p Plot) cells(g Glyphs, w, h int) *plotCells {
	cells := newPlotCells(w, h)
	for i := range p.Lines {
		line := p.Lines[i].withGaps().Within(p.X).thinned(p.X, w)
		if g.ASCII {
			line.addMarks(cells, p.X)
		} else {
			line.addDots(cells, p.X)
		}
	}
	return cells
}

// plotCells are the cells of a plot, each with what is drawn there.
type plotCells struct {
	w, h  int
	glyph [][]rune // a space where nothing is drawn
	role  [][]themes.Role
}

func newPlotCells(w, h int) *plotCells {
	c := &plotCells{w: w, h: h, glyph: make([][]rune, h), role: make([][]themes.Role, h)}
	glyphs, roles := []rune(strings.Repeat(" ", w*h)), make([]themes.Role, w*h)
	for y := range h {
		c.glyph[y], c.role[y] = glyphs[y*w:(y+1)*w], roles[y*w:(y+1)*w]
	}
	return c
}

// set draws a glyph unless a line before has drawn there.
func (c *plotCells) set(x, y int, glyph rune, role themes.Role) {
	if c.glyph[y][x] == ' ' {
		c.glyph[y][x], c.role[y][x] = glyph, role
	}
}

// paint returns the rows, with one change of style for each run of cells of one line.
func (c *plotCells) paint(t *themes.Theme) []string {
	rows := make([]string, c.h)
	for y := range rows {
		var b strings.Builder
		start := 0
		role := c.role[y][0]
		for x := range c.w {
			if c.glyph[y][x] != ' ' && c.role[y][x] != role {
				b.WriteString(t.Paint(role, string(c.glyph[y][start:x])))
				start, role = x, c.role[y][x]
			}
		}
		rows[y] = b.String() + t.Paint(role, string(c.glyph[y][start:]))
	}
	return rows
}

// Within returns the line without the points beyond the axis.
func (l Line) Within(x Axis) Line {
	from, to := 0, len(l.X)
	for from < to && l.X[from] < x.Lo {
		from++
	}
	for from < to && l.X[to-1] > x.Hi {
		to--
	}
	l.X, l.Y = l.X[from:to], l.Y[from:to]
	if l.gaps != nil {
		l.gaps = l.gaps[from:to]
	}
	return l
}

// withGaps returns the line with its gaps. They are looked for before it is cut to an axis, which may lie within one.
func (l Line) withGaps() Line {
	l.gaps = Gaps(l.X)
	return l
}

// gapAfter reports whether point i ends in a gap that is seen among w columns.
func (l Line) gapAfter(i int, x Axis, w int) bool {
	return l.gaps != nil && l.gaps[i] && i+1 < len(l.X) && dotColumn(x, l.X[i+1], w)-dotColumn(x, l.X[i], w) > 1
}

// joinsNext reports whether the line goes on from point i to the next one.
func (l Line) joinsNext(i int, x Axis, w int) bool {
	return i+1 < len(l.Y) && isFinite(l.Y[i]) && isFinite(l.Y[i+1]) && !l.gapAfter(i, x, w)
}

// maxPerDot is how many points per dot a line has before it is averaged.
const maxPerDot = 2

// PointsPerDot returns how many of n points a [Line] averages into one dot in w columns, each two dots wide.
func PointsPerDot(n, w int) int {
	if dots := max(2, 2*w); n > maxPerDot*dots {
		return (n + dots - 1) / dots
	}
	return 1
}

// thinned returns the line with the means of PointsPerDot points for those points, fewer before a gap.
func (l Line) thinned(axis Axis, w int) Line {
	per := PointsPerDot(len(l.X), w)
	if per == 1 {
		return l
	}
	n := (len(l.X) + per - 1) / per
	x, y := make([]float64, 0, n), make([]float64, 0, n)
	var gaps []bool
	for from := 0; from < len(l.X); {
		to := from + 1
		for to < min(from+per, len(l.X)) && !l.gapAfter(to-1, axis, w) {
			to++
		}
		x, y = append(x, l.X[from]/2+l.X[to-1]/2), append(y, finiteMean(l.Y[from:to]))
		if l.gaps != nil {
			gaps = append(gaps, l.gapAfter(to-1, axis, w))
		}
		from = to
	}
	l.X, l.Y, l.gaps = x, y, gaps
	return l
}

// PlotColumn returns the column among w in which a plot over the axis draws x.
func (a Axis) PlotColumn(x float64, w int) int { return dotColumn(a, x, w) / 2 }

// plotRow returns the row among h, from the top, in which a plot draws a value of a line with the axis.
func (a Axis) plotRow(v float64, h int) int { return dotRow(a, v, h) / 4 }

func dotColumn(a Axis, x float64, w int) int {
	return int(math.Round(fractionOf(x, a.Lo, a.Hi) * float64(2*w-1)))
}

func dotRow(a Axis, v float64, h int) int {
	return int(math.Round((1 - fractionOf(v, a.Lo, a.Hi)) * float64(4*h-1)))
}

// addDots draws the line in braille.
func (l Line) addDots(c *plotCells, x Axis) {
	dots := make([]rune, c.w*c.h)
	set := func(p canvas.Point) {
		if p.X < 2*c.w && p.Y < 4*c.h && l.Stroke.drawn(p.X) {
			dots[p.Y/4*c.w+p.X/2] |= brailleDot(p.X%2, p.Y%4)
		}
	}
	var last canvas.Point
	connected := false
	for i, v := range l.Y {
		if !isFinite(v) {
			continue
		}
		p, joins := canvas.Point{X: dotColumn(x, l.X[i], c.w), Y: dotRow(l.Axis, v, c.h)}, l.joinsNext(i, x, c.w)
		switch {
		case connected:
			for _, dot := range graph.GetLinePoints(last, p) {
				set(dot)
			}
		case joins:
			set(p)
		default:
			for _, dot := range pointAlone(p, c.h) {
				dots[dot.Y/4*c.w+dot.X/2] |= brailleDot(dot.X%2, dot.Y%4)
			}
		}
		last, connected = p, joins
	}
	for i, d := range dots {
		if d != 0 {
			c.set(i%c.w, i/c.w, '\u2800'+d, l.Role)
		}
	}
}

// pointAlone returns the dots of a point without neighbours: four, which are seen, in a plot of one row two beside each other.
func pointAlone(p canvas.Point, h int) []canvas.Point {
	left, right, above, below := p.X&^1, p.X|1, p.Y&^1, p.Y|1
	if h == 1 {
		above, below = p.Y, p.Y
	}
	return []canvas.Point{{X: left, Y: above}, {X: right, Y: above}, {X: left, Y: below}, {X: right, Y: below}}
}

// brailleDot returns the bit of a dot in the patterns from U+2800 on: those of the left column from the top are
// 1, 2, 4 and 64, of the right one 8, 16, 32 and 128.
func brailleDot(x, y int) rune {
	return [2][4]rune{{1, 2, 4, 64}, {8, 16, 32, 128}}[x][y]
}

// addMarks draws the line with a mark in each column.
func (l Line) addMarks(c *plotCells, x Axis) {
	for column, height := range l.heights(x, c.w) {
		if isFinite(height) {
			c.set(column, (Axis{0, 1}).plotRow(height, c.h), l.Stroke.mark(), l.Role)
		}
	}
}

// heights returns where the line is in each of w columns, from 0 to 1, NaN where there is no line.
func (l Line) heights(x Axis, w int) []float64 {
	heights := l.columns(x, w)
	for i, v := range heights {
		if isFinite(v) {
			heights[i] = fractionOf(v, l.Axis.Lo, l.Axis.Hi)
		}
	}
	return heights
}

// columns returns the mean of the values in each of w columns, between two points that are joined the value on the
// line between them, and NaN where there is no line.
func (l Line) columns(x Axis, w int) []float64 {
	means, counts := make([]float64, w), make([]float64, w)
	for i, v := range l.Y {
		if !isFinite(v) {
			continue
		}
		column := x.PlotColumn(l.X[i], w)
		counts[column]++
		means[column] += (v - means[column]) / counts[column]
		if !l.joinsNext(i, x, w) {
			continue
		}
		next := x.PlotColumn(l.X[i+1], w)
		for between := column + 1; between < next; between++ {
			share := float64(between-column) / float64(next-column)
			means[between], counts[between] = v*(1-share)+l.Y[i+1]*share, 1
		}
	}
	for column, n := range counts {
		if n == 0 {
			means[column] = math.NaN()
		}
	}
	return means
}

package chart

import (
	"math"
	"slices"
	"strings"

	"github.com/NimbleMarkets/ntcharts/v2/canvas"
	"github.com/NimbleMarkets/ntcharts/v2/canvas/graph"

	"vantage/model/units"
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
	Spread bool  // of more points than dots, draw the running mean, and of the first line the range around it if the theme has a shade
	Part   *Part // in another role; nil: none

	gaps []bool // behind each point; nil: none, or not looked for yet
}

// Part is a part of a line, from one x to another.
type Part struct {
	From, To float64
	Role     themes.Role
}

// roleAt returns the role of a line in a column among w.
func (l Line) roleAt(x Axis, column, w int) themes.Role {
	p := l.Part
	if p == nil || p.To < x.Lo || p.From > x.Hi {
		return l.Role
	}
	if isWithin := x.PlotColumn(p.From, w) <= column && column <= x.PlotColumn(p.To, w); isWithin {
		return p.Role
	}
	return l.Role
}

// Draw draws the plot in w columns and h rows of braille, of which a cell belongs to the first line that has
// a dot there. A few points of a line alone are bars. If a line has many more points than dots in a row, it connects the means of
// [PointsPerDot] points each, since all of them would fill a solid block. With ASCII glyphs each column of a line has the
// mark of its stroke at the mean of its values.
func (p Plot) Draw(t *themes.Theme, g Glyphs, w, h int) []string {
	if w < 1 || h < 1 {
		return nil
	}
	c := newPlotCells(w, h)
	if len(p.Lines) == 1 {
		if line := p.Lines[0].Within(p.X); line.isFew(w) {
			line.addBars(c, p.X, g.BarsUp)
			return c.paint(t)
		}
	}
	for _, line := range p.Lines {
		line = line.withGaps().Within(p.X).averaged(w).thinned(p.X, w)
		if g.ASCII {
			for column, height := range line.heights(p.X, c.w) {
				if units.IsFinite(height) {
					c.set((Axis{0, 1}).plotRow(height, c.h)*c.w+column, line.Stroke.mark(), line.roleAt(p.X, column, c.w))
				}
			}
		} else {
			line.addDots(c, p.X)
		}
	}
	if len(p.Lines) > 0 {
		if !g.ASCII && t.HasShade() {
			p.Lines[0].Within(p.X).addRange(c, p.X)
		}
	}
	return c.paint(t)
}

// plotCells are the cells of a plot, row by row, each with what is drawn there.
type plotCells struct {
	w, h  int
	glyph []rune // a space where nothing is drawn
	role  []themes.Role
	shade []bool // whether the area behind a glyph has a colour; nil: none has
}

func newPlotCells(w, h int) *plotCells {
	return &plotCells{w: w, h: h, glyph: []rune(strings.Repeat(" ", w*h)), role: make([]themes.Role, w*h)}
}

// set draws a glyph unless a line before has drawn there.
func (c *plotCells) set(cell int, glyph rune, role themes.Role) {
	if c.glyph[cell] == ' ' {
		c.glyph[cell], c.role[cell] = glyph, role
	}
}

// paint returns the rows, with one change of style for each run of cells of one line.
func (c *plotCells) paint(t *themes.Theme) []string {
	rows := make([]string, c.h)
	for y := range rows {
		var b strings.Builder
		from := y * c.w
		start, now, shaded := from, c.role[from], c.isShaded(from)
		put := func(end int) {
			piece := t.Paint(now, string(c.glyph[start:end]))
			if shaded {
				piece = t.Underlay(themes.OnShade, piece)
			}
			b.WriteString(piece)
		}
		for x := from; x < from+c.w; x++ {
			if c.glyph[x] != ' ' && c.role[x] != now || c.isShaded(x) != shaded {
				put(x)
				start, now, shaded = x, c.role[x], c.isShaded(x)
			}
		}
		put(from + c.w)
		rows[y] = b.String()
	}
	return rows
}

func (c *plotCells) isShaded(cell int) bool { return c.shade != nil && c.shade[cell] }

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

// A few points are bars, if each has some columns: a line between them would tell of steps that are not there. Their axis is to have its
// zero.
const (
	mostBars    = 5
	roomForBars = 6
)

func (l Line) isFew(w int) bool { return areBars(len(l.X), w) }

func areBars(points, w int) bool {
	return points > 0 && points <= mostBars && w >= roomForBars*points
}

// WithZero returns the axis, and of so few points in w columns that they are bars one with a zero.
func (a Axis) WithZero(points, w int) Axis {
	if areBars(points, w) {
		a.Lo, a.Hi = min(a.Lo, 0), max(a.Hi, 0)
	}
	return a
}

// addBars draws each point as a bar, three cells wide.
func (l Line) addBars(c *plotCells, x Axis, glyphs []string) {
	for i, v := range l.Y {
		if !units.IsFinite(v) {
			continue
		}
		middle, height := x.PlotColumn(l.X[i], c.w), fractionOf(v, l.Axis.Lo, l.Axis.Hi)*float64(c.h)
		for column := max(0, middle-1); column <= min(c.w-1, middle+1); column++ {
			for y := range c.h {
				glyph := barGlyph(glyphs, height-float64(c.h-1-y))
				if y == c.h-1 && glyph == " " {
					glyph = glyphs[0]
				}
				c.set(y*c.w+column, []rune(glyph)[0], l.roleAt(x, column, c.w))
			}
		}
	}
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

func (l Line) joinsNext(i int, x Axis, w int) bool {
	return i+1 < len(l.Y) && units.IsFinite(l.Y[i]) && units.IsFinite(l.Y[i+1]) && !l.gapAfter(i, x, w)
}

// minAveraged is over how many points a running mean is at least.
const minAveraged = 10

// Averaged returns over how many of n points a [Line] with Spread is averaged in w columns: 1 is none.
func Averaged(n, w int) int {
	if n <= 2*w { // as many as dots
		return 1
	}
	return max(minAveraged, (n+w-1)/max(1, w))
}

// averaged returns a line with Spread as its running mean, which does not reach over gaps, nor mend what is not finite.
func (l Line) averaged(w int) Line {
	n := Averaged(len(l.X), w)
	if !l.Spread || n == 1 {
		return l
	}
	sums, counts := make([]float64, len(l.Y)+1), make([]int, len(l.Y)+1)
	for i, v := range l.Y {
		sums[i+1], counts[i+1] = sums[i], counts[i]
		if units.IsFinite(v) {
			sums[i+1], counts[i+1] = sums[i]+v, counts[i]+1
		}
	}
	means, first, last := make([]float64, len(l.Y)), 0, -1 // first and last between two gaps
	for i, v := range l.Y {
		if i > last {
			for first, last = i, i; last+1 < len(l.Y) && (l.gaps == nil || !l.gaps[last]); {
				last++
			}
		}
		from, to := max(first, i-n/2), min(last, i+(n-1)/2)+1
		if means[i] = v; units.IsFinite(v) {
			means[i] = (sums[to] - sums[from]) / float64(counts[to]-counts[from])
		}
	}
	l.Y = means
	return l
}

// addRange fills the area behind a line with Spread from the least to the largest of the values that are averaged, to half a cell.
func (l Line) addRange(c *plotCells, x Axis) {
	n := Averaged(len(l.X), c.w)
	if !l.Spread || n == 1 {
		return
	}
	top, bottom := make([]int, c.w), slices.Repeat([]int{-1}, c.w) // halves of rows
	for i, v := range l.Y {
		if column := x.PlotColumn(l.X[i], c.w); units.IsFinite(v) {
			row := dotRow(l.Axis, v, c.h) / 2
			if bottom[column] < 0 || row < top[column] {
				top[column] = row
			}
			bottom[column] = max(bottom[column], row)
		}
	}
	c.shade = make([]bool, len(c.glyph))
	reach := (n*c.w/len(l.X) + 1) / 2 // columns on each side that the mean is of
	for column := range c.w {
		if bottom[column] < 0 {
			continue
		}
		least, most := top[column], bottom[column]
		for near := max(0, column-reach); near <= min(c.w-1, column+reach); near++ {
			if bottom[near] >= 0 {
				least, most = min(least, top[near]), max(most, bottom[near])
			}
		}
		for y := least / 2; y <= most/2; y++ {
			c.fill(y*c.w+column, least <= 2*y, most > 2*y)
		}
	}
}

// fill fills the upper half of a cell, the lower one or both, behind what is drawn there.
func (c *plotCells) fill(cell int, upper, lower bool) {
	switch isFree := c.glyph[cell] == ' '; {
	case upper && lower, !isFree:
		c.shade[cell] = true
	case upper:
		c.set(cell, '▀', themes.Shade)
	default:
		c.set(cell, '▄', themes.Shade)
	}
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
		if !units.IsFinite(v) {
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
			c.set(i, '\u2800'+d, l.roleAt(x, i%c.w, c.w))
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

// heights returns where the line is in each of w columns, from 0 to 1: the mean of the values there, between two points that are
// joined the value on the line between them, and NaN where there is no line.
func (l Line) heights(x Axis, w int) []float64 {
	means, counts := make([]float64, w), make([]float64, w)
	for i, v := range l.Y {
		if !units.IsFinite(v) {
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
		} else if units.IsFinite(means[column]) {
			means[column] = fractionOf(means[column], l.Axis.Lo, l.Axis.Hi)
		}
	}
	return means
}

// usualWithin is how many distances on each side say what distance of two points is usual there.
const usualWithin = 4

// Gaps reports for each of the ascending values but the last whether there should have been others before the next
// one: it is at least twice as far away as most neighbours of theirs are. So every tenth step is no gap where every
// tenth is logged, nor where a run begins or ceases to log each. It is nil if there is no gap; of up to three values
// nobody knows.
func Gaps(x []float64) []bool {
	least, most := math.Inf(1), 0.0 // distances of neighbours
	for i := 1; i < len(x); i++ {
		least, most = min(least, x[i]-x[i-1]), max(most, x[i]-x[i-1])
	}
	if len(x) < 4 || most < 2*least {
		return nil
	}
	var gaps []bool
	for i := range len(x) - 1 {
		if x[i+1]-x[i] >= 2*least && isGap(x, i) {
			if gaps == nil {
				gaps = make([]bool, len(x))
			}
			gaps[i] = true
		}
	}
	return gaps
}

// isGap reports whether the distance behind value i is at least twice as long as most of those around it.
func isGap(x []float64, i int) bool {
	from, to := max(0, i-usualWithin), min(len(x)-1, i+usualWithin+1)
	shorter := 0
	for k := from; k < to; k++ {
		if 2*(x[k+1]-x[k]) <= x[i+1]-x[i] {
			shorter++
		}
	}
	return 2*shorter > to-from
}

// MissingColumns reports which of w columns of a plot over the axis lie in gaps of the ascending values: see [Gaps].
// It is nil if there is no gap.
func (a Axis) MissingColumns(x []float64, w int) []bool {
	var missing []bool
	for i, gap := range Gaps(x) {
		if !gap || x[i+1] <= a.Lo || x[i] >= a.Hi {
			continue
		}
		if missing == nil {
			missing = make([]bool, max(0, w))
		}
		from, to := -1, w
		if x[i] >= a.Lo {
			from = a.PlotColumn(x[i], w)
		}
		if x[i+1] <= a.Hi {
			to = a.PlotColumn(x[i+1], w)
		}
		for column := from + 1; column < to; column++ {
			missing[column] = true
		}
	}
	return missing
}

// Smoothed returns the exponential moving average of values: weight times the average so far and (1 − weight) times
// the value, divided by 1 − weightⁿ, to which the weights of the first n values sum, so that the line does not begin
// near zero. It is that of TensorBoard and W&B. What is not finite stays as it is and does not count.
func Smoothed(values []float64, weight float64) []float64 {
	smooth := make([]float64, len(values))
	average, left := 0.0, 1.0 // left is weightⁿ
	for i, v := range values {
		if !units.IsFinite(v) {
			smooth[i] = v
			continue
		}
		average = average*weight + v*(1-weight)
		left *= weight
		smooth[i] = average / (1 - left)
	}
	return smooth
}

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
	line := s.Line.withGaps().Within(s.X).averaged(w)
	line.Role, line.Stroke, line.Axis = themes.Dim, Solid, line.Axis.Widened()
	row := newPlotCells(w, 1)
	add := func(glyphs []string, role themes.Role) {
		line.Role = role
		for column, height := range line.heights(s.X, w) {
			if units.IsFinite(height) {
				glyph := []rune(glyphs[int(math.Round(height*float64(len(glyphs)-1)))])
				row.set(column, glyph[0], line.roleAt(s.X, column, w))
			}
		}
	}
	switch {
	case line.isFew(w) && !constant:
		line.addBars(row, s.X, g.BarsUp)
	case s.Bars && !constant:
		add(g.BarsUp, themes.Track)
	case g.ASCII:
		add([]string{"_", ".", "-", "'"}, themes.Dim)
	default:
		line.thinned(s.X, w).addDots(row, s.X)
	}
	if s.Current >= s.X.Lo && s.Current <= s.X.Hi {
		at := s.X.PlotColumn(s.Current, w)
		row.role[at] = themes.Accent
		if line.isFew(w) && !constant {
			row.role[max(0, at-1)], row.role[min(w-1, at+1)] = themes.Accent, themes.Accent
		}
	}
	return row.paint(t)[0]
}

// Meter draws a fraction of 1 as a horizontal bar in w cells.
func Meter(t *themes.Theme, g Glyphs, role themes.Role, fraction float64, w int) string {
	w = max(0, w)
	full := int(math.Round(min(1, max(0, fraction)) * float64(w)))
	return t.Paint(role, strings.Repeat(g.MeterFull, full)) + t.Paint(themes.Track, strings.Repeat(g.MeterEmpty, w-full))
}

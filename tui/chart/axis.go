// Package chart draws histograms, sparklines, trends, dot plots and meters as lines of
// text. In come values, a size in cells, a theme and a set of glyphs; out come styled
// lines of exactly that size. The panes and views of tui call it.
package chart

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"vantage/model/units"
)

// Axis maps values in [Lo, Hi] to columns.
type Axis struct{ Lo, Hi float64 }

// SymmetricAxis returns an axis around zero that ends at a round number not below limit,
// which must be finite.
func SymmetricAxis(limit float64) Axis {
	limit = min(units.RoundUp(limit), math.MaxFloat64)
	return Axis{-limit, limit}
}

// Column returns the column of v among w columns; values beyond the axis are in the first
// or the last.
func (a Axis) Column(v float64, w int) int {
	c := a.columns(w)
	return c.of(v)
}

// columns is an axis prepared for many values. It works on halves, so that no difference
// overflows.
type columns struct {
	halfLo     float64
	perHalf    float64 // columns per half of a unit
	lastColumn float64
}

func (a Axis) columns(w int) columns {
	c := columns{halfLo: a.Lo / 2, lastColumn: float64(w - 1)}
	if perHalf := float64(w) / (a.Hi/2 - a.Lo/2); perHalf > 0 && perHalf <= math.MaxFloat64 {
		c.perHalf = perHalf // otherwise all values are in the first column
	}
	return c
}

func (c *columns) of(v float64) int {
	column := (v/2 - c.halfLo) * c.perHalf
	if !(column > 0) {
		column = 0
	}
	if column > c.lastColumn {
		column = c.lastColumn
	}
	return int(column)
}

// Middle returns the value in the middle of a column among w.
func (a Axis) Middle(column, w int) float64 { return a.at((float64(column) + 0.5) / float64(w)) }

// Edges returns the values at the two edges of a column among w.
func (a Axis) Edges(column, w int) (lo, hi float64) {
	return a.at(float64(column) / float64(w)), a.at(float64(column+1) / float64(w))
}

// Widened returns the axis, or if it has no length a longer one: that of a share for a value from 0.1 to 1, else one with its value
// in the middle.
func (a Axis) Widened() Axis {
	if !units.NearlyEqual(a.Lo, a.Hi) {
		return a
	}
	if 0.1 <= a.Lo && a.Hi <= 1 {
		return Axis{0, 1}
	}
	pad := cmp.Or(math.Abs(a.Lo)/2, 0.5) // to values of the same sign
	return Axis{max(a.Lo-pad, -math.MaxFloat64), min(a.Hi+pad, math.MaxFloat64)}
}

func (a Axis) at(fraction float64) float64 { return a.Lo*(1-fraction) + a.Hi*fraction }

// Range returns the smallest and the largest finite value, 0 and 0 if there is none.
func Range(values []float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if units.IsFinite(v) {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	if lo > hi {
		return 0, 0
	}
	return lo, hi
}

// fractionOf returns where v is between lo and hi, from 0 to 1. It works on halves, so
// that no difference overflows.
func fractionOf(v, lo, hi float64) float64 {
	if units.NearlyEqual(lo, hi) {
		return 0
	}
	return min(1, max(0, (v/2-lo/2)/(hi/2-lo/2)))
}

// finiteMean returns the mean of the finite values, NaN if there is none.
func finiteMean(values []float64) float64 {
	sum, n := 0.0, 0
	for _, v := range values {
		if units.IsFinite(v) {
			sum += v
			n++
		}
	}
	return sum / float64(n)
}

// RowLabels returns a label for each of h rows of a plot whose lines have the axis, from the top: round values
// in the rows where they are drawn, at least two in 4 rows and three in more, and "" elsewhere: 4 rows have no middle.
func (a Axis) RowLabels(h int) []string {
	labels := make([]string, max(0, h))
	step := a.tickStep(max(3, h/3+1))
	if h < 3 || step == 0 {
		a.labelEnds(labels)
		return labels
	}
	first := math.Ceil(a.Lo/step - tickTolerance)
	for n := range a.ticks(step) {
		v := (first + float64(n)) * step
		if row := a.plotRow(v, h); labels[row] == "" || v == 0 { // of two labels in a row, that of 0
			labels[row] = tickText(v, step)
		}
	}
	if h == 4 && (labels[1] == "") != (labels[2] == "") && labels[0] != "" && labels[3] != "" {
		labels[1], labels[2] = "", ""
	}
	return labels
}

// tickTolerance is what a round value may be beyond the axis by rounding, in steps.
const tickTolerance = 1e-9

func (a Axis) labelEnds(labels []string) {
	if len(labels) > 0 {
		labels[0] = units.Short(a.Hi)
	}
	if len(labels) > 1 {
		labels[len(labels)-1] = units.Short(a.Lo)
	}
}

// tickStep returns the distance of round values of which at least three are on the axis, and not more than n if
// that is possible; 0 if the axis is too long for numbers.
func (a Axis) tickStep(n int) float64 {
	best, unit := 0.0, math.Pow(10, math.Ceil(math.Log10(a.Hi/2-a.Lo/2))+1)
	for range 4 {
		for _, part := range []float64{1, 0.5, 0.25, 0.2} {
			count := a.ticks(unit * part)
			if best > 0 && count > n {
				return best
			}
			if count >= 3 {
				best = unit * part
			}
		}
		unit /= 10
	}
	return best
}

func (a Axis) ticks(step float64) int {
	return int(math.Floor(a.Hi/step+tickTolerance)-math.Ceil(a.Lo/step-tickTolerance)) + 1
}

func tickText(v, step float64) string {
	if math.Abs(v) >= 99_950 || step < 1e-3 {
		return units.Short(v)
	}
	decimals, scaled := 0, step
	for ; decimals < 4 && math.Abs(scaled-math.Round(scaled)) > 1e-6; scaled *= 10 {
		decimals++
	}
	return units.Fixed(v, decimals)
}

// StepLabels returns a line of w cells with whole numbers below the columns where a plot draws them: the two ends
// of the axis, and round numbers between them as far as there is room.
func (a Axis) StepLabels(w int) string {
	line := newLabelLine(w)
	line.place(stepText(a.Lo), a.PlotColumn(a.Lo, w))
	line.place(stepText(a.Hi), a.PlotColumn(a.Hi, w))
	step := roundDistance(a.Hi-a.Lo, len(stepText(a.Hi))+4, w)
	for n := math.Floor(a.Lo/step) + 1; n*step < a.Hi; n++ {
		line.place(stepText(n*step), a.PlotColumn(n*step, w))
	}
	return string(line)
}

// TextLabels returns a line of w cells with texts below the columns where a plot draws values: the first ones, as far as there is room.
func (a Axis) TextLabels(at []float64, texts []string, w int) string {
	line := newLabelLine(w)
	for i, text := range texts {
		line.place(text, a.PlotColumn(at[i], w))
	}
	return string(line)
}

func stepText(x float64) string { return strconv.FormatFloat(x, 'f', 0, 64) }

// BarLabels returns a line of w cells with the numbers of an axis by [WholeAxis] below their bars: the two ends, and
// as many between them as there is room for, at equal distances.
func (a Axis) BarLabels(bins, w int) string {
	line, bars := newLabelLine(w), newBars(bins, w)
	first, _ := a.WholeBounds(0, bins)
	last, end := a.WholeBounds(bins-1, bins)
	line.place(stepText(first), bars.middle(0))
	line.place(stepText(end), bars.middle(bins-1))
	each := int(roundDistance(float64(bins), len(stepText(last))+labelGap, w))
	for bin := each; bin < bins; bin += each {
		number, _ := a.WholeBounds(bin, bins)
		line.place(stepText(number), bars.middle(bin))
	}
	return string(line)
}

// roundDistance returns the distance of round numbers over a span, so far apart that labels of so many cells fit into w.
func roundDistance(span float64, label, w int) float64 {
	for unit := 1.0; ; unit *= 10 {
		for _, part := range []float64{1, 2, 5} {
			if step := unit * part; span/step*float64(label) <= float64(w) || w < 1 {
				return step
			}
		}
	}
}

// labelGap is the least distance of two labels.
const labelGap = 2

// labelLine is a line of labels that do not touch.
type labelLine []rune

func newLabelLine(w int) labelLine { return []rune(strings.Repeat(" ", max(0, w))) }

// place writes a label with its middle in a column, but within the line, unless it would touch another.
func (l labelLine) place(text string, column int) {
	label, w := []rune(text), len(l)
	at := max(0, min(column-(len(label)-1)/2, w-len(label)))
	from, to := max(0, at-labelGap), min(w, at+len(label)+labelGap)
	if at+len(label) > w || slices.ContainsFunc(l[from:to], func(r rune) bool { return r != ' ' }) {
		return
	}
	copy(l[at:], label)
}

// WholeAxis returns the axis and the number of bins, at most w, of a histogram of whole numbers: one bin for each
// number from the smallest to the largest, or for every 2, 3, … if they are too many. The bounds of bins lie half a
// unit beside numbers. It returns false if a value is no whole number, or there is none.
func WholeAxis(values []float64, w int) (axis Axis, bins int, ok bool) {
	const exact = 1 << 52 // from here on half a unit is lost
	found := false
	for _, v := range values {
		if !units.IsFinite(v) {
			continue
		}
		if v != math.Trunc(v) || math.Abs(v) > exact {
			return Axis{}, 0, false
		}
		found = true
	}
	if !found || w < 1 {
		return Axis{}, 0, false
	}
	lo, hi := Range(values)
	numbers := hi - lo + 1
	each := math.Ceil(numbers / float64(w))
	bins = int(math.Ceil(numbers / each))
	return Axis{lo - 0.5, lo - 0.5 + each*float64(bins)}, bins, true
}

// WholeBounds returns the first and the last whole number of a bin of an axis by [WholeAxis].
func (a Axis) WholeBounds(bin, bins int) (first, last float64) {
	lo, hi := a.Edges(bin, bins)
	return math.Round(lo + 0.5), math.Round(hi - 0.5)
}

// maxBarWidth bounds the cells of a bar, so that two numbers are two bars and not two halves of the chart.
const maxBarWidth = 7

// bars is where the bars of a histogram are drawn in a chart: those of few bins are several cells wide.
type bars struct{ start, slot, width int }

// newBars places so many bins in w cells, in the middle. At least w bins have a cell each.
func newBars(bins, w int) bars {
	slot := max(1, w/max(1, bins))
	width := slot
	if slot > 1 {
		width = min(slot-1, maxBarWidth)
	}
	return bars{start: max(0, w-slot*bins) / 2, slot: slot, width: width}
}

// Middle returns the column in the middle of a bar.
func (b bars) middle(bin int) int { return b.start + bin*b.slot + b.offset() + (b.width-1)/2 }

func (b bars) offset() int { return (b.slot - b.width) / 2 }

func (b bars) bin(column int) (int, bool) {
	x := column - b.start
	if x < 0 {
		return 0, false
	}
	within := x%b.slot - b.offset()
	return x / b.slot, within >= 0 && within < b.width
}

// Glyphs are the characters that charts are made of.
type Glyphs struct {
	Dot, Ring, HalfDot                  string   // a kept sample, a dropped one, both kinds in one cell
	Vertical, Horizontal, Cross, Corner string   // lines of axes, where two cross, and where two begin
	BarsUp                              []string // parts of a bar from the bottom, the full one last
	BarsDown                            []string // parts of a bar from the top, the full one last
	MeterFull, MeterEmpty               string
	SortUp, SortDown                    string // of the column that a table is sorted by
	ASCII                               bool
}

// Unicode returns the glyphs of a terminal with UTF-8.
func Unicode() Glyphs {
	return Glyphs{
		Dot: "●", Ring: "○", HalfDot: "◐", Vertical: "│", Horizontal: "─", Cross: "┼", Corner: "└",
		BarsUp:    []string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
		BarsDown:  []string{"▔", "▀", "█"},
		MeterFull: "━", MeterEmpty: "─", SortUp: "▲", SortDown: "▼",
	}
}

// ASCII returns the glyphs of a terminal without UTF-8.
func ASCII() Glyphs {
	return Glyphs{
		Dot: "o", Ring: ".", HalfDot: "8", Vertical: "|", Horizontal: "-", Cross: "+", Corner: "+",
		BarsUp:    []string{"_", ".", ":", "#"},
		BarsDown:  []string{"'", ":", "#"},
		MeterFull: "=", MeterEmpty: ".", SortUp: "^", SortDown: "v",
		ASCII: true,
	}
}

// SortArrow returns the mark of the column that a table is sorted by.
func (g Glyphs) SortArrow(ascending bool) string {
	if ascending {
		return g.SortUp
	}
	return g.SortDown
}

// Stroke is how a line is drawn, so that lines are told apart without colour.
type Stroke int

// The strokes.
const (
	Solid Stroke = iota
	Dashed
	Dotted
	DashDotted
	Sparse // of every second dot: behind another line
)

// drawn reports whether a line has dots in a column of dots.
func (s Stroke) drawn(x int) bool {
	switch s {
	case Dashed:
		return x%6 < 4
	case Dotted:
		return x%4 < 1
	case DashDotted:
		return x%8 < 4 || x%8 == 6
	case Sparse:
		return x%2 < 1
	default:
		return true
	}
}

func (s Stroke) mark() rune { return []rune("*o+x.")[s] }

// Sample returns a piece of a line for a legend, two cells wide.
func (g Glyphs) Sample(s Stroke) string {
	if g.ASCII {
		return string([]rune{s.mark(), s.mark()})
	}
	return []string{"──", "╌╌", "··", "╌·", "⠂⠂"}[s]
}

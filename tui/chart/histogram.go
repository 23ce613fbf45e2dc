package chart

import (
	"math"
	"strings"

	"vantage/model/units"
	"vantage/themes"
)

// Histogram counts values in equal bins along an axis. Exact zeros are counted separately:
// groups without signal would put so many into one bin that the others would not be seen.
type Histogram struct {
	Axis      Axis
	Counts    []int
	Zeros     int
	NonFinite int

	finite     int     // finite values, zeros included
	sum        float64 // of their differences from the middle of the axis
	sumSquares float64 // of these differences
}

// Moments returns the number of finite values, their mean, and their standard deviation
// with ddof 1. Mean or deviation is NaN if there are too few values.
func (h Histogram) Moments() (n int, mean, std float64) {
	count := float64(h.finite)
	mean = h.sum / count
	return h.finite, h.middle() + mean, math.Sqrt(max(0, h.sumSquares-h.sum*mean) / (count - 1))
}

func (h Histogram) middle() float64 { return h.Axis.Lo/2 + h.Axis.Hi/2 }

// Bin counts the values whose element of use is true, or all if use is nil, in w bins.
func Bin(axis Axis, w int, values []float64, use []bool) Histogram {
	h := Histogram{Axis: axis, Counts: make([]int, max(1, w))}
	if use == nil {
		h.add(values)
		return h
	}
	var used [512]float64 // gathered without branches, which would be unpredictable
	for start := 0; start < len(values); start += len(used) {
		n := 0
		for i := start; i < min(len(values), start+len(used)); i++ {
			used[n] = values[i] // overwritten by the next value unless it is used
			if use[i] {
				n++
			}
		}
		h.add(used[:n])
	}
	return h
}

func (h *Histogram) add(values []float64) {
	columns, middle := h.Axis.columns(len(h.Counts)), h.middle()
	for _, v := range values {
		switch {
		case !units.IsFinite(v):
			h.NonFinite++
			continue
		case v == 0:
			h.Zeros++
		default:
			h.Counts[columns.of(v)]++
		}
		d := v - middle
		h.finite++
		h.sum += d
		h.sumSquares += d * d
	}
}

// BinWithZeros is like [Bin] but counts zeros in their bin too.
func BinWithZeros(axis Axis, w int, values []float64, use []bool) Histogram {
	h := Bin(axis, w, values, use)
	if h.Zeros > 0 && axis.Lo <= 0 && axis.Hi >= 0 {
		h.Counts[axis.Column(0, len(h.Counts))] += h.Zeros
	}
	return h
}

// Logarithmic returns a histogram with every count n replaced by 1000·log2(1+n), so that a
// bin of one sample is visible next to one of thousands.
func (h Histogram) Logarithmic() Histogram {
	if h.Counts == nil {
		return h
	}
	counts := make([]int, len(h.Counts))
	for i, n := range h.Counts {
		counts[i] = int(math.Round(1000 * math.Log2(1+float64(n))))
	}
	h.Counts = counts
	return h
}

// maxCount returns the largest count.
func (h Histogram) maxCount() int {
	largest := 0
	for _, n := range h.Counts {
		largest = max(largest, n)
	}
	return largest
}

// Mirror draws two histograms on one axis in w columns and h rows, above upwards and below
// downwards from the axis, on the same scale. The axis bears the labels of a ruler of w cells; "" is none. Bins left of zero have the
// colour of negative values. Fewer bins than columns are bars of several cells.
// A below without bins leaves all rows to above.
func Mirror(t *themes.Theme, g Glyphs, above, below Histogram, ruler string, w, h int) []string {
	if w < 1 || h < 1 {
		return nil
	}
	rowsAbove, rowsBelow := h-1, 0
	if below.Counts != nil {
		rowsBelow = rowsOfBelow(above, below, h-1)
		rowsAbove -= rowsBelow
	}
	perRow := 0.0 // of the counts
	for _, half := range []struct {
		of   Histogram
		rows int
	}{{above, rowsAbove}, {below, rowsBelow}} {
		if half.rows > 0 {
			perRow = max(perRow, float64(max(1, half.of.maxCount()))/float64(half.rows))
		}
	}
	lines := make([]string, 0, h)
	for row := range rowsAbove {
		lines = append(lines, barRow(t, above, w, func(count float64) string {
			return barGlyph(g.BarsUp, count/perRow-float64(rowsAbove-1-row))
		}))
	}
	lines = append(lines, axisRow(t, g, above, ruler, w))
	for row := range rowsBelow {
		lines = append(lines, barRow(t, below, w, func(count float64) string {
			return barGlyph(g.BarsDown, count/perRow-float64(row))
		}))
	}
	return lines
}

// rowsOfBelow returns how many of some rows the lower histogram has, so that both fill theirs on one scale: a half, or a third or a
// quarter if it is so much lower, or two thirds if it is so much higher. The axis does not move with small changes.
func rowsOfBelow(above, below Histogram, rows int) int {
	switch up, down := max(1, above.maxCount()), max(1, below.maxCount()); {
	case 3*down > 4*up:
		return max(rows/2, 2*rows/3)
	case 4*down >= 3*up:
		return rows - rows/2
	case 5*down >= 2*up:
		return max(min(1, rows), rows/3)
	}
	return max(min(1, rows), rows/4)
}

// axisRow draws the axis of a histogram with the labels of a ruler upon it.
func axisRow(t *themes.Theme, g Glyphs, h Histogram, ruler string, w int) string {
	axis := []rune(strings.Repeat(g.Horizontal, w))
	if x := h.Axis; x.Lo <= 0 && x.Hi >= 0 {
		bins := max(1, len(h.Counts))
		axis[min(newBars(bins, w).middle(x.Column(0, bins)), w-1)] = []rune(g.Cross)[0]
	}
	labels := []rune(ruler)
	isLabel := func(i int) bool { return i >= 0 && i < len(labels) && labels[i] != ' ' }
	var row, part strings.Builder
	role := themes.Track
	for i, line := range axis {
		now := themes.Track
		switch {
		case isLabel(i):
			now, line = themes.Dim, labels[i]
		case isLabel(i-1) || isLabel(i+1):
			line = ' '
		}
		if now != role {
			row.WriteString(t.Paint(role, part.String()))
			part.Reset()
			role = now
		}
		part.WriteRune(line)
	}
	return row.String() + t.Paint(role, part.String())
}

// barGlyph returns the glyph of a cell that a bar fills up to a fraction: blank at or below
// 0, full from 1, and at least the smallest glyph between.
func barGlyph(glyphs []string, fraction float64) string {
	if fraction <= 0 {
		return " "
	}
	i := int(math.Round(fraction * float64(len(glyphs))))
	return glyphs[min(len(glyphs), max(1, i))-1]
}

func barRow(t *themes.Theme, h Histogram, w int, cell func(count float64) string) string {
	var negative, positive strings.Builder
	bars, bins := newBars(len(h.Counts), w), len(h.Counts)
	for x := range w {
		glyph := " "
		bin, inBar := bars.bin(x)
		if inBar && bin < bins {
			glyph = cell(float64(h.Counts[bin]))
		}
		if h.Axis.Middle(min(bin, bins-1), bins) < 0 {
			negative.WriteString(glyph)
		} else {
			positive.WriteString(glyph)
		}
	}
	return t.Paint(themes.Negative, negative.String()) + t.Paint(themes.Positive, positive.String())
}

// DotPlot draws the samples of a group as dots on an axis in w columns: a kept sample at
// its processed advantage, a dropped one at its unfiltered advantage.
func DotPlot(t *themes.Theme, g Glyphs, axis Axis, unfiltered, processed []float64, keep []bool, w int) string {
	if w < 1 {
		return ""
	}
	dots := make([]dot, w)
	for i, kept := range keep {
		v, d := processed[i], keptDot
		if !kept {
			v, d = unfiltered[i], droppedDot
		}
		if units.IsFinite(v) {
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

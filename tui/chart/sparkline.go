package chart

import (
	"math"
	"strings"

	"vantage/model/units"
	"vantage/themes"
)

// Sparkline draws values as one row of columns in w cells between lo and hi, newest
// at the right end of those that there are; the cell of index at (-1: none) is
// marked. Where values outnumber cells each cell shows the mean of its share;
// NaN leaves a gap.
func Sparkline(t *themes.Theme, g Glyphs, values []float64, at int, lo, hi float64, w int) string {
	if w < 1 {
		return ""
	}
	n := min(w, len(values))
	var before, after strings.Builder
	mark := ""
	for x := range n {
		from, to := x*len(values)/n, (x+1)*len(values)/n
		cell := " "
		if v := meanOf(values[from:to]); v == v {
			cell = g.BarsUp[int(math.Round(share(v, lo, hi)*float64(len(g.BarsUp)-1)))]
		}
		switch {
		case at >= from && at < to:
			mark = cell
		case mark == "":
			before.WriteString(cell)
		default:
			after.WriteString(cell)
		}
	}
	return t.Paint(themes.Track, before.String()) + t.Paint(themes.Accent, mark) +
		t.Paint(themes.Track, after.String()) + strings.Repeat(" ", w-n)
}

// share is where v lies between lo and hi, from 0 to 1; halves keep the
// differences of the largest floats finite.
func share(v, lo, hi float64) float64 {
	if units.Level(lo, hi) {
		return 0
	}
	return min(1, max(0, (v/2-lo/2)/(hi/2-lo/2)))
}

// meanOf is the mean of the values that are numbers, NaN if none is.
func meanOf(values []float64) float64 {
	sum, n := 0.0, 0
	for _, v := range values {
		if v-v == 0 {
			sum += v
			n++
		}
	}
	return sum / float64(n)
}

// Range returns the least and greatest finite value.
func Range(values []float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if v-v == 0 {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	if lo > hi {
		return 0, 0
	}
	return lo, hi
}

// Meter draws a share of 1 as a bar in w cells.
func Meter(t *themes.Theme, g Glyphs, role themes.Role, share float64, w int) string {
	w = max(0, w)
	full := int(math.Round(min(1, max(0, share)) * float64(w)))
	return t.Paint(role, strings.Repeat(g.MeterFull, full)) + t.Paint(themes.Track, strings.Repeat(g.MeterEmpty, w-full))
}

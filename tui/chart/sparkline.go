package chart

import (
	"math"
	"strings"

	"vantage/themes"
)

// Sparkline draws values between lo and hi as one row of bars in w cells, aligned left,
// and highlights the cell of index current (-1: none). If there are more values than cells,
// a cell shows the mean of its values. NaN leaves a gap.
func Sparkline(t *themes.Theme, g Glyphs, values []float64, current int, lo, hi float64, w int) string {
	if w < 1 {
		return ""
	}
	n := min(w, len(values))
	var before, after strings.Builder
	highlighted := ""
	for x := range n {
		from, to := x*len(values)/n, (x+1)*len(values)/n
		cell := " "
		if v := finiteMean(values[from:to]); v == v {
			cell = g.BarsUp[int(math.Round(fractionOf(v, lo, hi)*float64(len(g.BarsUp)-1)))]
		}
		switch {
		case current >= from && current < to:
			highlighted = cell
		case highlighted == "":
			before.WriteString(cell)
		default:
			after.WriteString(cell)
		}
	}
	return t.Paint(themes.Track, before.String()) + t.Paint(themes.Accent, highlighted) +
		t.Paint(themes.Track, after.String()) + strings.Repeat(" ", w-n)
}

// Meter draws a fraction of 1 as a horizontal bar in w cells.
func Meter(t *themes.Theme, g Glyphs, role themes.Role, fraction float64, w int) string {
	w = max(0, w)
	full := int(math.Round(min(1, max(0, fraction)) * float64(w)))
	return t.Paint(role, strings.Repeat(g.MeterFull, full)) + t.Paint(themes.Track, strings.Repeat(g.MeterEmpty, w-full))
}

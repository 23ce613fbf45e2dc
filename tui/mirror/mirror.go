// Package mirror draws two histograms over one axis, one upwards and one downwards: the distributions of the overview and of the
// chain.
package mirror

import (
	"reflect"
	"strings"

	"vantage/model/units"
	"vantage/themes"
	"vantage/tui/cells"
	"vantage/tui/chart"
	"vantage/tui/env"
)

// Lines draws them in lines of width cells, with the labels of a ruler on their axis, and counts on a logarithmic scale if logScale is set.
func Lines(e env.Env, logScale bool, up, down chart.Histogram, ruler string, width, h int) []string {
	if logScale {
		up, down = up.Logarithmic(), down.Logarithmic()
	}
	return cells.Indent(" ", chart.Mirror(e.Display.Theme, e.Display.Glyphs, up, down, ruler, width, max(1, h)))
}

// Moments returns count, mean and std of the values of a histogram that are numbers,
// and of advantages (zeros) how many are 0, which the chart does not draw.
func Moments(e env.Env, name string, h chart.Histogram, zeros bool, w int) string {
	n, mean, std := h.Moments()
	t := e.Display.Theme
	dim := func(s string) string { return t.Paint(themes.Dim, s) }
	write := func(x float64) string { return units.Fixed(x, 2) }
	if h.Axis.Hi-h.Axis.Lo < 0.1 {
		write = units.Short
	}
	pieces := []string{t.Paint(themes.Title, name) + cells.FitRight(units.Count(n), 6)}
	if n > 0 {
		text := write(mean)
		if zeros {
			text = units.Signed(mean)
		}
		pieces[0] += dim(" mean ") + text
	}
	if n > 1 {
		pieces = append(pieces, dim("std ")+write(std))
	}
	if zeros && h.Zeros > 0 {
		pieces = append(pieces, dim("at 0 ")+units.Count(h.Zeros))
	}
	return cells.JoinFitting(w, " ", pieces...)
}

// OddWidth returns the width of a chart in w cells with margins: odd, so that zero has a
// column.
func OddWidth(w int) int {
	w -= 2
	if w%2 == 0 {
		w--
	}
	return max(1, w)
}

// Twins are two histograms over one axis, one upwards and one downwards.
type Twins struct {
	Upper, Lower chart.Histogram
	Same         bool // both were equal, so that lower has no bins
}

// Apart returns them without a lower one that is equal to the upper one.
func (t Twins) Apart() Twins {
	if t.Same = reflect.DeepEqual(t.Upper, t.Lower); t.Same {
		t.Lower = chart.Histogram{}
	}
	return t
}

// AxisRuler returns the ends and the zero of an axis in w cells, where there is room for them.
func AxisRuler(axis chart.Axis, w int) string {
	lo, hi := "−"+axisEnd(-axis.Lo), "+"+axisEnd(axis.Hi)
	switch side := (w - 1) / 2; {
	case max(cells.Width(lo), cells.Width(hi)) < side:
		return cells.Fit(lo, side) + "0" + cells.FitRight(hi, w-side-1)
	case cells.Width(lo)+cells.Width(hi) < w:
		return cells.Justify(lo, hi, w)
	}
	return cells.Spaces(w)
}

// axisEnd returns the end of an axis, a round number, without zeros behind its last decimal.
func axisEnd(x float64) string {
	text := units.Short(x)
	if strings.Contains(text, ".") && !strings.ContainsAny(text, "eE") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

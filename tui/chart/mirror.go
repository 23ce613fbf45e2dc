package chart

import (
	"math"
	"strings"

	"vantage/themes"
)

// Mirror draws two histograms on one axis in w columns and h rows, above upwards and below
// downwards from the axis in the middle row, on the same scale. Bins left of zero have the
// colour of negative values.
func Mirror(t *themes.Theme, g Glyphs, above, below Histogram, w, h int) []string {
	if w < 1 || h < 1 {
		return nil
	}
	rowsAbove := (h - 1) / 2
	rowsBelow := h - 1 - rowsAbove
	largest := float64(max(1, above.MaxCount(), below.MaxCount()))
	lines := make([]string, 0, h)
	for row := range rowsAbove {
		lines = append(lines, barRow(t, above, w, func(count float64) string {
			return barGlyph(g.BarsUp, count/largest*float64(rowsAbove)-float64(rowsAbove-1-row))
		}))
	}
	half := w / 2
	axis := strings.Repeat(g.Horizontal, half) + g.Cross + strings.Repeat(g.Horizontal, max(0, w-half-1))
	lines = append(lines, t.Paint(themes.Track, axis))
	for row := range rowsBelow {
		lines = append(lines, barRow(t, below, w, func(count float64) string {
			return barGlyph(g.BarsDown, count/largest*float64(rowsBelow)-float64(row))
		}))
	}
	return lines
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

// barRow draws one row of the bars of a histogram.
func barRow(t *themes.Theme, h Histogram, w int, cell func(count float64) string) string {
	var negative, positive strings.Builder
	for x := range w {
		glyph := " "
		if x < len(h.Counts) {
			glyph = cell(float64(h.Counts[x]))
		}
		if h.Axis.Middle(x, w) < 0 {
			negative.WriteString(glyph)
		} else {
			positive.WriteString(glyph)
		}
	}
	return t.Paint(themes.Negative, negative.String()) + t.Paint(themes.Positive, positive.String())
}

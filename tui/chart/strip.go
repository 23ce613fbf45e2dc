package chart

import (
	"strings"

	"vantage/themes"
)

// Strip draws signed values in their order in two rows of w cells: upwards the largest value of each cell, downwards the least, both on a
// scale that ends at limit. What is not a number leaves a gap.
func Strip(t *themes.Theme, g Glyphs, values []float32, limit float64, w int) []string {
	cells := min(max(0, w), len(values))
	var above, below strings.Builder
	for i := range cells {
		up, down, known := 0.0, 0.0, false
		for _, v := range values[i*len(values)/cells : (i+1)*len(values)/cells] {
			if v == v {
				up, down, known = max(up, float64(v)), max(down, -float64(v)), true
			}
		}
		if !known {
			above.WriteByte(' ')
			below.WriteByte(' ')
			continue
		}
		above.WriteString(barGlyph(g.BarsUp, up/limit))
		below.WriteString(barGlyph(g.BarsDown, down/limit))
	}
	rest := strings.Repeat(" ", max(0, w-cells))
	return []string{t.Paint(themes.Positive, above.String()) + rest, t.Paint(themes.Negative, below.String()) + rest}
}

package chart

import (
	"strings"

	"vantage/themes"
)

// Strip draws signed values in their order in two rows of w cells: upwards the largest value of each cell, downwards the least, both on a
// scale that ends at limit. Few values have several cells each. What is not a number leaves a gap.
func Strip(t *themes.Theme, g Glyphs, values []float32, limit float64, w int) []string {
	const mostCells = 3
	cells := min(max(0, w), len(values))
	each := max(1, min(mostCells, w/max(1, cells)))
	var above, below strings.Builder
	for i := range cells {
		up, down, known := 0.0, 0.0, false
		for _, v := range values[i*len(values)/cells : (i+1)*len(values)/cells] {
			if v == v {
				up, down, known = max(up, float64(v)), max(down, -float64(v)), true
			}
		}
		if !known {
			above.WriteString(strings.Repeat(" ", each))
			below.WriteString(strings.Repeat(" ", each))
			continue
		}
		above.WriteString(strings.Repeat(barGlyph(g.BarsUp, up/limit), each))
		below.WriteString(strings.Repeat(barGlyph(g.BarsDown, down/limit), each))
	}
	rest := strings.Repeat(" ", max(0, w-each*cells))
	return []string{t.Paint(themes.Positive, above.String()) + rest, t.Paint(themes.Negative, below.String()) + rest}
}

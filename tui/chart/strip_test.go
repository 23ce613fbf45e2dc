package chart

import (
	"math"
	"testing"

	"vantage/themes"
)

// Each of four values has two cells of eight, above or below the line by its sign; the third is no number. Of eight values in four cells
// each shows the largest above and the least below.
func TestStrip(t *testing.T) {
	few := Strip(themes.Mono(), Unicode(), []float32{1, -0.5, float32(math.NaN()), 0}, 1, 8)
	if few[0] != "██      " || few[1] != "  ▀▀    " {
		t.Errorf("%q", few)
	}
	many := Strip(themes.Mono(), ASCII(), []float32{1, -1, 0.5, 0.2, 0, 0, -0.2, 0}, 1, 4)
	if many[0] != "#.  " || many[1] != "#  '" {
		t.Errorf("%q", many)
	}
	if none := Strip(themes.Mono(), Unicode(), nil, 1, 3); none[0] != "   " || none[1] != "   " {
		t.Errorf("%q", none)
	}
}

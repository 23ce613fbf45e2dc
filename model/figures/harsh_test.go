package figures

import (
	"math"
	"testing"
)

func TestHarshFilter(t *testing.T) {
	for _, c := range []struct {
		kept, push float64
		want       string
	}{
		{1, 1, ""},
		{0.25, 0.5, ""},
		{0.16, 0.12, "harsh: keeps 16%, Σ|A| 0.12×"},
		{0.9, 0.4, "harsh: keeps 90%, Σ|A| 0.40×"},
		{math.NaN(), math.NaN(), ""},
	} {
		if got := HarshFilter(c.kept, c.push); got != c.want {
			t.Errorf("%g, %g: %q, want %q", c.kept, c.push, got, c.want)
		}
	}
}

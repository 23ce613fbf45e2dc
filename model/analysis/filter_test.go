package analysis

import (
	"context"
	"math"
	"testing"

	"vantage/model"
)

// A ratio that the trainer refuses keeps nothing, whatever the other is, and the columns and
// the figures say the same of it.
func TestRefusedRatio(t *testing.T) {
	snap := wide(60, even)
	for _, ratios := range [][2]float64{{math.NaN(), 1}, {1, math.NaN()}, {0.5, -1}, {2, 0.5}} {
		set := model.DefaultSettings()
		set.KeepPos, set.KeepNeg = ratios[0], ratios[1]
		a, err := Analyze(context.Background(), snap, 0, set)
		if err != nil {
			t.Fatal(err)
		}
		if a.Kept != 0 || a.Keep[0] || !math.IsNaN(a.Processed[0]) || len(a.Warnings) == 0 || a.Warnings[0].Kind != model.WarnTrainerRefuses {
			t.Errorf("%v: %d kept, %v, %v", ratios, a.Kept, a.Processed[0], a.Warnings)
		}
	}
}

package analysis

import (
	"context"
	"math"
	"testing"

	"vantage/model"
)

// A group of one has no advantage under easyr1, and leaves the others their figures:
// two samples of ±0.707 are as good as two, and nothing is lost.
func TestFiguresBesideASingle(t *testing.T) {
	s := model.NewStore()
	s.Append(&model.Chunk{Format: "made", Files: []string{"x"}, Records: []model.Record{
		{Step: 1, Group: "pair", Reward: 0, Advantage: math.NaN(), Length: 10},
		{Step: 1, Group: "pair", Reward: 1, Advantage: math.NaN(), Length: 20},
		{Step: 1, Group: "single", Reward: 1, Advantage: math.NaN(), Length: 5},
	}})
	set := model.DefaultSettings()
	set.GroupBy = model.GroupByID
	a, err := Analyze(context.Background(), s.Snapshot(), 0, set)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]float64{
		"vantage/abs_advantage_ratio": 1, "vantage/effective_samples": 2, "vantage/length_correlation": 1,
	} {
		if got := a.Metric(name); math.Abs(got-want) > 1e-6 {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
}

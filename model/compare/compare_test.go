package compare

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"vantage/model/analysis"
)

// Expected values are computed by hand: two-sided, k or fewer of n.
func TestSignTest(t *testing.T) {
	for _, c := range []struct {
		wins, losses int
		want         float64
	}{
		{0, 0, 1}, {1, 0, 1}, {5, 0, 0.0625}, {8, 2, 0.109375}, {2, 8, 0.109375}, {10, 10, 1}, {15, 5, 0.04138947},
	} {
		if got := SignTest(c.wins, c.losses); math.Abs(got-c.want) > 1e-8 {
			t.Errorf("%d wins, %d losses: %v, want %v", c.wins, c.losses, got, c.want)
		}
	}
}

// The literature has 0.5313 to 0.8881 for 15 of 20.
func TestWilson(t *testing.T) {
	got := Wilson(15, 20)
	if math.Abs(got[0]-0.5313) > 1e-4 || math.Abs(got[1]-0.8881) > 1e-4 {
		t.Error(got)
	}
	if got := Wilson(0, 0); got != [2]float64{0, 1} {
		t.Error(got)
	}
}

func TestRuns(t *testing.T) {
	a := []analysis.PromptMean{{Hash: 1, RewardMean: 0, Samples: 4}, {Hash: 2, RewardMean: 0.5, Samples: 4}, {Hash: 4, RewardMean: 1, Samples: 4}, {Hash: 9, RewardMean: 1, Samples: 4}}
	b := []analysis.PromptMean{{Hash: 1, RewardMean: 0.5, Samples: 8}, {Hash: 2, RewardMean: 0.5, Samples: 4}, {Hash: 3, RewardMean: 1, Samples: 4}, {Hash: 4, RewardMean: 0.75, Samples: 4}}
	r := Runs(a, b)
	if r.Wins != 1 || r.Losses != 1 || r.Ties != 1 || r.OnlyA != 1 || r.OnlyB != 1 || math.Abs(r.Delta-0.25/3) > 1e-12 {
		t.Errorf("%+v", r)
	}
	if r.Pairs[0].Delta() != -0.25 || r.Pairs[2].Delta() != 0.5 {
		t.Errorf("%+v", r.Pairs)
	}
	if len(r.Bins) != 5 || r.Bins[0].Pairs != 1 || r.Bins[0].Delta != 0.5 || r.Bins[2].Pairs != 1 || r.Bins[4].Delta != -0.25 {
		t.Errorf("%+v", r.Bins)
	}
}

// Swapping the runs swaps wins and losses, negates the difference and keeps the p-value.
func TestSwappedRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) []analysis.PromptMean {
			var all []analysis.PromptMean
			for hash := range uint64(12) {
				if rapid.Bool().Draw(t, name) {
					all = append(all, analysis.PromptMean{Hash: hash, RewardMean: float64(rapid.IntRange(0, 4).Draw(t, name)) / 4, Samples: 4})
				}
			}
			return all
		}
		a, b := draw("a"), draw("b")
		r, s := Runs(a, b), Runs(b, a)
		if r.Wins != s.Losses || r.Losses != s.Wins || r.Ties != s.Ties || r.PValue != s.PValue || r.OnlyA != s.OnlyB {
			t.Fatalf("%+v\n%+v", r, s)
		}
		if len(r.Pairs) > 0 && math.Abs(r.Delta+s.Delta) > 1e-12 {
			t.Fatalf("%v and %v", r.Delta, s.Delta)
		}
	})
}

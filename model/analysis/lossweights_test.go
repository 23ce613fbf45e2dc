package analysis

import (
	"context"
	"math"
	"strings"
	"testing"

	"vantage/model"
)

// What weighs in the loss, by hand: samples of 10, 11, 12 and 13 tokens in a group.
func TestLossWeights(t *testing.T) {
	live, dead := []float64{1, 0, 0, 0}, []float64{1, 1, 1, 1}
	for _, c := range []struct {
		name    string
		set     func(*model.Settings)
		rewards [][]float64
		want    []float64
	}{
		{
			"all train", func(s *model.Settings) { s.Loss = "verl/token-mean" },
			[][]float64{live},
			[]float64{10. / 46, 11. / 46, 12. / 46, 13. / 46},
		},
		{
			"dropped samples stay in the batch of most trainers",
			func(s *model.Settings) { s.Loss, s.KeepNeg = "verl/token-mean", 0.34 },
			[][]float64{live},
			[]float64{10. / 46, 11. / 46, 12. / 46, 13. / 46},
		},
		{
			"they have a loss mask of 0 in EasyR1-Brian, which keeps the first two here",
			func(s *model.Settings) { s.Loss, s.KeepNeg = "easyr1/token-mean", 0.34 },
			[][]float64{live},
			[]float64{10. / 21, 11. / 21, 0, 0},
		},
		{
			"a refilled group is not in the batch",
			func(s *model.Settings) { s.Loss, s.GroupFilter = "verl/token-mean", "verl/filter_groups" },
			[][]float64{dead, live},
			[]float64{0, 0, 0, 0, 10. / 46, 11. / 46, 12. / 46, 13. / 46},
		},
		{
			"a masked one counts in N",
			func(s *model.Settings) { s.Loss, s.GroupFilter = "skyrl/sequence_mean", "skyrl/zero_variance_filter" },
			[][]float64{live, dead},
			[]float64{1. / 8, 1. / 8, 1. / 8, 1. / 8, 0, 0, 0, 0},
		},
		{
			"dead samples leave prime-rl's batch",
			func(s *model.Settings) { s.Loss = "prime-rl/default" },
			[][]float64{dead, live},
			[]float64{0, 0, 0, 0, 10. / 46, 11. / 46, 12. / 46, 13. / 46},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			set := model.DefaultSettings()
			c.set(&set)
			a := analyze(t, snapshotOf(c.rewards...), set)
			if len(a.LossWeights) != len(c.want) {
				t.Fatalf("weights %v (%s), want %v", a.LossWeights, a.NoLoss, c.want)
			}
			for i, want := range c.want {
				if math.Abs(a.LossWeights[i]-want) > 1e-7 {
					t.Errorf("weights %v, want %v", a.LossWeights, c.want)
					break
				}
			}
		})
	}
}

// A loss that is NaN in the trainer, or that the trainer refuses, is said and stops nothing.
func TestNoLossWeights(t *testing.T) {
	for loss, want := range map[string]string{
		"easyr1/seq-mean-token-mean":    "easyr1/seq-mean-token-mean: the trainer's loss is NaN",
		"skyrl/seq_mean_token_sum_norm": "SkyRL would stop: ValueError: `trainer.algorithm.max_seq_len` must be set",
		"ms-swift/real":                 "ms-swift/real needs log-probabilities",
	} {
		set := model.DefaultSettings()
		set.Loss, set.KeepNeg = loss, 0.34
		a, err := Analyze(context.Background(), snapshotOf([]float64{1, 0, 0, 0}), 0, set)
		if err != nil {
			t.Fatal(loss, err)
		}
		if a.LossWeights != nil || !strings.HasPrefix(a.NoLoss, want) {
			t.Errorf("%s: weights %v, %q; want %q", loss, a.LossWeights, a.NoLoss, want)
		}
	}
}

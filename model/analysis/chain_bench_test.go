package analysis

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"vantage/model"
)

// BenchmarkChain computes a step of 131,072 samples in groups of 16 after a change of the keep ratio,
// without and with a group filter and a loss. These may add a fifth.
func BenchmarkChain(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	chunk := &model.Chunk{Format: "made", HasTruth: true, LengthUnit: model.LengthTokens}
	for i := range 1 << 17 {
		chunk.Records = append(chunk.Records, model.Record{
			Step: 1, Prompt: uint64(i/16 + 1), Reward: float64(random.IntN(2)), Advantage: math.NaN(), Length: int32(random.IntN(4000)),
		})
	}
	snap := stepsOf(chunk)
	for _, stages := range []struct{ name, filter, loss string }{
		{"none", "", ""}, {"filter", "verl/filter_groups", ""}, {"loss", "", "verl/token-mean"}, {"both", "verl/filter_groups", "verl/token-mean"},
	} {
		b.Run(stages.name, func(b *testing.B) {
			set := model.DefaultSettings()
			set.GroupFilter, set.Loss = stages.filter, stages.loss
			var a *Analysis
			for n := 0; b.Loop(); n++ {
				set.KeepPos = 0.5 + 0.1*float64(n%2)
				var err error
				if a, err = analyzeAfter(context.Background(), snap, 0, set, a); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

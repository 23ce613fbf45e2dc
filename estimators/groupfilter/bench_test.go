package groupfilter

import (
	"math/rand/v2"
	"testing"

	"vantage/estimators"
)

const benchSamples = 131_072

// benchBatch is a step of groups of 8 with rewards on a grid of 0.1.
func benchBatch() Batch {
	rng := rand.New(rand.NewPCG(1, 2))
	b := Batch{Rewards: make([]float64, benchSamples), Lengths: make([]int32, benchSamples)}
	for i := range b.Rewards {
		b.Rewards[i], b.Lengths[i] = float64(rng.IntN(11))/10, 1+rng.Int32N(1000)
	}
	b.Offsets, _ = estimators.EqualGroups(benchSamples, 8)
	b.Advantages = make([]float64, benchSamples)
	return b
}

// benchOptions turn on rules that do nothing by default.
var benchOptions = map[string]estimators.Options{
	"roll query_filter":      "query_filter_config.type=std_filter",
	"roll sample_level_mask": "difficulty_mask=true\nmax_len_mask=true",
	"trinity std_threshold":  "std_threshold=0",
	"ragen rollout_filter":   "rollout_filter_value=0.9",
}

// BenchmarkDecide measures each rule, and GRPO on the same rewards.
func BenchmarkDecide(b *testing.B) {
	batch := benchBatch()
	grpo, err := estimators.Find("verl", "grpo")
	if err != nil {
		b.Fatal(err)
	}
	_ = grpo.Advantage(batch.Advantages, estimators.Batch{Rewards: batch.Rewards, Offsets: batch.Offsets}, estimators.ScaleGroup)
	b.Run("grpo", func(b *testing.B) {
		for b.Loop() {
			_ = grpo.Advantage(batch.Advantages, estimators.Batch{Rewards: batch.Rewards, Offsets: batch.Offsets}, estimators.ScaleGroup)
		}
	})
	for _, f := range All() {
		b.Run(f.Framework+"/"+f.Name, func(b *testing.B) {
			values, err := benchOptions[f.Framework+" "+f.Name].Values(f.Options)
			if err != nil {
				b.Fatal(err)
			}
			var v Admission
			b.ReportAllocs()
			for b.Loop() {
				_ = f.Decide(&v, batch, values)
			}
		})
	}
}

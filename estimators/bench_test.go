package estimators

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

const benchSamples = 1 << 20

// benchBatch returns a step of rewards on a grid of 0.1 in groups of n.
func benchBatch(n int) Batch {
	rng := rand.New(rand.NewPCG(1, 2))
	b := Batch{Rewards: make([]float64, benchSamples)}
	for i := range b.Rewards {
		b.Rewards[i] = float64(float32(rng.IntN(11)) / 10)
	}
	b.Offsets, _ = EqualGroups(benchSamples, n)
	b.Lengths, b.Baselines = make([]int32, benchSamples), make([]float64, benchSamples)
	for i := range b.Lengths {
		b.Lengths[i] = 1 + rng.Int32N(1000)
	}
	b.Components = [][]float64{b.Rewards, b.Rewards}
	return b
}

func reportPerSample(b *testing.B) {
	b.Helper()
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/benchSamples, "ns/sample")
}

func BenchmarkAdvantage(b *testing.B) {
	for _, e := range All() {
		if !e.Computable() {
			continue
		}
		for _, s := range e.Scales {
			for _, n := range []int{8, 16, 64} {
				b.Run(fmt.Sprintf("%s/%s/%s/%d", e.Framework, e.Name, s, n), func(b *testing.B) {
					batch, dst := benchBatch(n), make([]float64, benchSamples)
					b.ReportAllocs()
					for b.Loop() {
						if err := e.Advantage(dst, batch, s); err != nil {
							b.Fatal(err)
						}
					}
					reportPerSample(b)
				})
			}
		}
	}
}

// BenchmarkProcess measures advantage, filter and, if set, recompute.
func BenchmarkProcess(b *testing.B) {
	for _, e := range All() {
		if !e.TrainerFilters {
			continue
		}
		for _, recompute := range []bool{false, true} {
			for _, n := range []int{8, 16, 64} {
				b.Run(fmt.Sprintf("%s/recompute=%v/%d", e.Framework, recompute, n), func(b *testing.B) {
					batch := benchBatch(n)
					var r Result
					b.ReportAllocs()
					for b.Loop() {
						if err := Process(&r, e, batch, e.Scales[0], 0.7, 0.5, recompute); err != nil {
							b.Fatal(err)
						}
					}
					reportPerSample(b)
				})
			}
		}
	}
}

// BenchmarkKeep applies a filter.
func BenchmarkKeep(b *testing.B) {
	for _, n := range []int{8, 16, 64, 256} {
		batch := benchBatch(n)
		adv, kept := batch.Rewards, make([]bool, benchSamples)
		for i := range adv {
			adv[i] -= 0.5 // of both signs
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				Keep(kept, adv, batch.Offsets, 0.7, 0.5)
			}
			reportPerSample(b)
		})
	}
}

package estimators

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
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

// perSample runs f as often as b asks for, and reports the median and the minimum of the time per
// sample: on a busy machine the mean is that of the other programs.
func perSample(b *testing.B, f func()) {
	b.Helper()
	var times []time.Duration
	for b.Loop() {
		start := time.Now()
		f()
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2])/benchSamples, "ns/sample")
	b.ReportMetric(float64(times[0])/benchSamples, "least-ns/sample")
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
					perSample(b, func() {
						if err := e.Advantage(dst, batch, s); err != nil {
							b.Fatal(err)
						}
					})
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
					perSample(b, func() {
						if err := process(&r, e, batch, e.Scales[0], 0.7, 0.5, recompute); err != nil {
							b.Fatal(err)
						}
					})
				})
			}
		}
	}
}

// BenchmarkKeep applies a filter.
func BenchmarkKeep(b *testing.B) {
	for _, n := range []int{8, 16, 64, 256} {
		batch := benchBatch(n)
		adv, kept, processed := batch.Rewards, make([]bool, benchSamples), make([]float64, benchSamples)
		for i := range adv {
			adv[i] = float64(float32(adv[i] - 0.5)) // of both signs
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			perSample(b, func() { Keep(kept, processed, adv, batch.Offsets, 0.7, 0.5) })
		})
	}
}

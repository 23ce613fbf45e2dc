package estimators

import (
	"math"
	"math/rand/v2"
	"testing"
)

// What is said to depend on nothing but the group does not change with the others.
func TestLocal(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, e := range All() {
		if !e.Filters || !e.Computable() || e.Needs.Baselines {
			continue
		}
		differ := false
		for _, s := range e.Scales {
			if s == ScaleBatch {
				continue
			}
			for range 20 {
				b := randomBatch(random, e)
				whole := make([]float64, len(b.Rewards))
				_ = e.Advantage(whole, b, s)
				for g := range b.Groups() {
					lo, hi := b.Offsets[g], b.Offsets[g+1]
					alone := make([]float64, hi-lo)
					_ = e.Advantage(alone, b.Slice(lo, hi), s)
					for i, x := range alone {
						differ = differ || math.Float64bits(x) != math.Float64bits(whole[lo+i])
					}
				}
			}
		}
		if differ == e.Local() {
			t.Errorf("%s %s: other groups bear on it: %v", e.Framework, e.Name, differ)
		}
	}
}

// randomBatch has groups of all sizes, as a filter leaves them.
func randomBatch(random *rand.Rand, e *Estimator) Batch {
	b := Batch{Offsets: []int{0}}
	for g := range 6 {
		for range 1 + random.IntN(6) {
			b.Rewards = append(b.Rewards, float64(float32(random.Float64()*float64(g%3))))
			b.Lengths = append(b.Lengths, int32(1+random.IntN(50)))
		}
		b.Offsets = append(b.Offsets, len(b.Rewards))
	}
	if e.Needs.Components {
		for range 2 {
			c := make([]float64, len(b.Rewards))
			for i := range c {
				c[i] = random.Float64()
			}
			b.Components = append(b.Components, c)
		}
		b.Weights = []float64{1, 0.5}
	}
	return b
}

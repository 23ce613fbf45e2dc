package estimators

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// The advantages of a group change with the other groups if and only if DependsOnBatch.
func TestDependsOnBatch(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for _, e := range All() {
		if !e.Computable() {
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
					_ = e.Advantage(alone, b.OneGroup(lo, hi), s)
					for i, x := range alone {
						differ = differ || math.Float64bits(x) != math.Float64bits(whole[lo+i])
					}
				}
			}
		}
		if differ != e.DependsOnBatch {
			t.Errorf("%s %s: depends on other groups: %v", e.Framework, e.Name, differ)
		}
	}
}

// randomBatch returns groups of different sizes, as a filter leaves them.
func randomBatch(random *rand.Rand, e *Estimator) Batch {
	b := Batch{Offsets: []int{0}}
	for g := range 6 {
		for range 1 + random.IntN(6) {
			b.Rewards = append(b.Rewards, float64(float32(random.Float64()*float64(g%3))))
			b.Lengths = append(b.Lengths, int32(1+random.IntN(50)))
		}
		b.Offsets = append(b.Offsets, len(b.Rewards))
	}
	if e.Needs.Baselines {
		for range b.Rewards {
			b.Baselines = append(b.Baselines, random.Float64())
		}
	}
	if e.Needs.Columns != 0 {
		b.Columns = make([][]float64, columnCount)
		for c := range b.Columns {
			for range b.Rewards {
				b.Columns[c] = append(b.Columns[c], float64(random.IntN(4)))
			}
		}
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

// The parts of a separable batch have the advantages of the whole, and one of them is
// refused if and only if the whole is.
func TestSeparable(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	separable := 0
	for _, e := range All() {
		for _, s := range e.Scales {
			for range 40 {
				b := randomBatch(random, e)
				if random.IntN(4) > 0 {
					size := 1 + random.IntN(4)
					for b.Offsets = []int{0}; b.Offsets[len(b.Offsets)-1]+size <= len(b.Rewards); {
						b.Offsets = append(b.Offsets, b.Offsets[len(b.Offsets)-1]+size)
					}
					b = b.GroupRange(0, b.Groups())
				}
				if random.IntN(3) == 0 {
					b.Rewards[random.IntN(len(b.Rewards))] = []float64{math.NaN(), math.Inf(1), MissingReward()}[random.IntN(3)]
				}
				if !e.Separable(b, s) {
					continue
				}
				separable++
				whole, parts := make([]float64, len(b.Rewards)), make([]float64, len(b.Rewards))
				refused := e.Compute(whole, b, s) != nil
				cut := random.IntN(b.Groups() + 1)
				at := b.Offsets[cut]
				first, second := e.Compute(parts[:at], b.GroupRange(0, cut), s), e.Compute(parts[at:], b.GroupRange(cut, b.Groups()), s)
				if got := first != nil || second != nil; got != refused {
					t.Errorf("%s %s: whole refused %v, in parts %v", e.Framework, e.Name, refused, got)
				}
				for i := range whole {
					if math.Float64bits(whole[i]) != math.Float64bits(parts[i]) {
						t.Errorf("%s %s: sample %d is %v, in parts %v", e.Framework, e.Name, i, whole[i], parts[i])
					}
				}
			}
		}
	}
	if separable == 0 {
		t.Error("no batch is separable")
	}
}

// The advantages of float32 estimators are float32 values, so that columns can hold them.
func TestFloat32Advantages(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	for _, e := range All() {
		if !e.Computable() || e.Float != Float32 {
			continue
		}
		for _, s := range e.Scales {
			for range 40 {
				b := randomBatch(random, e)
				adv := make([]float64, len(b.Rewards))
				_ = e.Compute(adv, b, s)
				for _, x := range adv {
					if x == x && float64(float32(x)) != x {
						t.Fatalf("%s %s %s: %v", e.Framework, e.Name, s, x)
					}
				}
			}
		}
	}
}

// By their papers: a group of equal rewards trains under a baseline that is not its own mean.
func TestComparesGroups(t *testing.T) {
	for name, want := range map[string]bool{
		"verl grpo": false, "verl rloo": false, "verl opo": false, "verl gpg": false, "verl reinforce_plus_plus": true, "verl remax": true,
		"verl reinforce_plus_plus_baseline": true, // whose second mean is over tokens
		"openrlhf reinforce":                true, "openrlhf flash_reinforce": true, "openrlhf dr_grpo": false,
		"trl grpo": false, "trl rloo_normalize_advantages": false, "twinkle grpo": false, "ms-swift reinforce_plus_plus": false,
	} {
		framework, name, _ := strings.Cut(name, " ")
		e, err := Find(framework, name)
		if err != nil {
			t.Fatal(err)
		}
		if got := e.ComparesGroups(e.Scales[0]); got != want {
			t.Errorf("%s %s: %v, want %v", framework, name, got, want)
		}
	}
}

package estimators

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Over tokens, each sample counted as often as it is long, the mean is 0 and the variance
// 1 if rewards vary.
func TestWhitenedTokensHaveMean0Variance1(t *testing.T) {
	for _, name := range [][2]string{{"verl", "reinforce_plus_plus"}, {"openrlhf", "reinforce"}, {"slime", "reinforce_plus_plus_baseline"}} {
		e := find(t, name[0], name[1])
		rapid.Check(t, func(t *rapid.T) {
			b := dyadicBatch(t, 2)
			b.Rewards[0], b.Rewards[1] = 9, -9
			b.Lengths = make([]int32, len(b.Rewards))
			for i := range b.Lengths {
				b.Lengths[i] = rapid.Int32Range(1, 900).Draw(t, "length")
			}
			total, mean, square := 0.0, 0.0, 0.0
			for i, a := range advantages(t, e, b, ScaleNone) {
				l := float64(b.Lengths[i])
				total, mean, square = total+l, mean+l*a, square+l*a*a
			}
			if mean /= total; math.Abs(mean) > 1e-5 {
				t.Fatalf("mean %v", mean)
			}
			if v := square / total; math.Abs(v-1) > 1/total+1e-5 {
				t.Fatalf("variance %v over %v tokens", v, total)
			}
		})
	}
}

// The recompute sees the lengths, components and greedy rewards of the kept samples. Kept
// are the first and the last: ReMax gives 1 − 0.5 and 0 − 0.25.
func TestKeptBatchHasAllColumns(t *testing.T) {
	b := Batch{
		Rewards: []float64{1, 5, 0}, Offsets: []int{0, 3}, Lengths: []int32{1, 2, 3},
		Components: [][]float64{{1, 2, 3}, {4, 5, 6}}, Weights: []float64{1, 2}, Baselines: []float64{0.5, 9, 0.25},
	}
	kept := []bool{true, false, true}
	var w workspace
	w.gatherKept(b, kept, Needs{Lengths: true, Components: true, Baselines: true})
	want := Batch{
		Rewards: []float64{1, 0}, Offsets: []int{0, 2}, Lengths: []int32{1, 3},
		Components: [][]float64{{1, 3}, {4, 6}}, Weights: []float64{1, 2}, Baselines: []float64{0.5, 0.25},
	}
	if diff := cmp.Diff(want, w.keptBatch); diff != "" {
		t.Error(diff)
	}
	got := make([]float64, 3)
	Recompute(got, find(t, "verl", "remax"), b, ScaleNone, []float64{7, 7, 7}, kept)
	if diff := cmp.Diff([]float64{0.5, 0, -0.25}, got); diff != "" {
		t.Error(diff)
	}
}

// If the batch lacks what the estimator needs, the advantages are NaN and the refusal is
// of the kind KindMissing.
func TestMissingIn(t *testing.T) {
	b := Batch{Rewards: []float64{1, 0}, Offsets: []int{0, 2}}
	for _, c := range []struct{ framework, name, want string }{
		{"verl", "grpo", ""},
		{"verl", "opo", "missing: response lengths"},
		{"trl", "grpo_normalize_then_sum", "missing: reward components"},
		{"verl", "remax", "missing: greedy baselines"},
		{"prime-rl", "rae", "missing: " + find(t, "prime-rl", "rae").NotComputable},
	} {
		var r Result
		e := find(t, c.framework, c.name)
		err := process(&r, e, b, e.Scales[0], 1, 1, false)
		if got := errorText(err); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.framework, c.name, got, c.want)
		}
		if math.IsNaN(r.Processed[0]) != (c.want != "") {
			t.Errorf("%s %s: %v", c.framework, c.name, r.Processed)
		}
	}
}

// verl's whitening refuses fewer than two tokens, EasyR1's does not.
func TestBatchesOfOneToken(t *testing.T) {
	one := Batch{Rewards: []float64{1}, Offsets: []int{0, 1}, Lengths: []int32{1}}
	none := Batch{Rewards: []float64{1}, Offsets: []int{0, 1}, Lengths: []int32{0}}
	for _, c := range []struct {
		framework string
		b         Batch
		want      string
	}{
		{"verl", one, "ValueError: The sum of the mask is one, which can cause a division by zero."},
		{"verl", none, "ValueError: At least one element in the mask has to be 1."},
		{"easyr1", one, ""},
	} {
		got := find(t, c.framework, "reinforce_plus_plus").Advantage(make([]float64, 1), c.b, ScaleNone)
		if errorText(got) != c.want {
			t.Errorf("%s: %q, want %q", c.framework, errorText(got), c.want)
		}
	}
}

// AReaL's groups are blocks by position. Of 2, 2 and 1 samples the last fills no block:
// (0.5 − 0)/(0 + 1e-5).
func TestRowsBeyondTheLastBlock(t *testing.T) {
	dst := make([]float64, 5)
	b := Batch{Rewards: []float64{1, 0, 0, 1, 0.5}, Offsets: []int{0, 2, 4, 5}}
	if err := find(t, "areal", "reward_norm").Advantage(dst, b, ScaleGroup); err != nil {
		t.Fatal(err)
	}
	if math.Abs(dst[4]-50000) > 0.01 {
		t.Errorf("%v, want 50000", dst[4])
	}
}

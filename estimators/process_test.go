package estimators

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A recompute over all samples changes nothing, except that groups of equal rewards get
// zeros.
func TestRecomputeOfAllKept(t *testing.T) {
	exceptions := map[string]string{
		"openrlhf flash_reinforce":      "equal rewards are not the mean of the batch",
		"rllm prpo":                     "equal rewards are not the mean of the batch",
		"rllm reinforce":                "equal rewards are kept as they are",
		"roll reward_norm_batch":        "equal rewards are not the mean of the batch",
		"areal reward_norm_batch":       "equal rewards are not the mean of the batch",
		"trl rloo_normalize_advantages": "float32 misses the mean of the batch by a residue",
		"trinity asymre":                "equal rewards train",
		"trinity reinforce":             "equal rewards train",
		"papers w_reinforce":            "equal rewards train",
		"papers nsr":                    "equal rewards train",
		"papers psr":                    "equal rewards train",
		"papers pkpo_s":                 "equal rewards train",
		"papers pkpo_sloo":              "equal rewards train",
	}
	forEach(t, exceptions, func(t *rapid.T, e *Estimator, s Scale) {
		b := dyadicBatch(t, smallestLog2(e))
		want := advantages(t, e, b, s)
		kept := slices.Repeat([]bool{true}, len(want))
		got := make([]float64, len(want))
		Recompute(got, e, b, s, want, kept)
		checkSame(t, "recomputed", got, want, 0) // dyadic groups of equal rewards have 0 before
	})
}

// The recomputed advantages of a group are those of its kept rewards as a batch.
func TestRecomputeIsTheEstimatorOnTheKept(t *testing.T) {
	e := find(t, "easyr1", "grpo")
	rapid.Check(t, func(t *rapid.T) {
		b := dyadicBatch(t, 1)
		var r Result
		pos, neg := rapid.Float64Range(0, 0.99).Draw(t, "pos"), rapid.Float64Range(0, 1).Draw(t, "neg")
		if err := process(&r, e, b, ScaleGroup, pos, neg, true); err != nil {
			t.Fatal(err)
		}
		for g := range b.Groups() {
			var rewards, got, old []float64
			for i := b.Offsets[g]; i < b.Offsets[g+1]; i++ {
				if r.Kept[i] {
					rewards, got, old = append(rewards, b.Rewards[i]), append(got, r.Processed[i]), append(old, r.Unfiltered[i])
				} else if r.Processed[i] != 0 {
					t.Fatalf("dropped sample %d has %v", i, r.Processed[i])
				}
			}
			want := old
			if len(rewards) >= 2 {
				want = advantages(t, e, Batch{Rewards: rewards, Offsets: []int{0, len(rewards)}}, ScaleGroup)
			}
			checkSame(t, "kept", got, want, 0)
		}
	})
}

// Twinkle's arithmetic on the kept samples. Of the first group 0 and 1 are kept:
// ±0.5/(√½ + 1e-8). Of the second the equal rewards 0.7: 0, though twinkle itself
// would give a float residue. Of the third one sample, which keeps its value. Of the
// last nothing.
func TestRecomputeOfAnotherFramework(t *testing.T) {
	b := Batch{
		Rewards: []float64{0, 1, 1, .7, .7, .7, 0, 3, 1, 5, 6, 7},
		Offsets: []int{0, 3, 6, 9, 12},
	}
	kept := []bool{true, true, false, true, true, true, false, true, false, false, false, false}
	unfiltered := []float64{9, 9, 9, 9, 9, 9, 9, 8, 9, 9, 9, 9}
	want := []float64{-0.70710677, 0.70710677, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0}
	got := make([]float64, len(want))
	Recompute(got, find(t, "twinkle", "grpo"), b, ScaleGroup, unfiltered, kept)
	for i := range want {
		if float32(got[i]) != float32(want[i]) {
			t.Errorf("sample %d has %v, want %v", i, got[i], want[i])
		}
	}
}

func TestProcessWithoutFilterIgnoresRecompute(t *testing.T) {
	b := constantAndMixed(0.7)
	var r Result
	if err := process(&r, find(t, "twinkle", "grpo"), b, ScaleGroup, 1, 1, true); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r.Unfiltered, r.Processed); diff != "" {
		t.Errorf("(-original +processed):\n%s", diff)
	}
	if slices.Contains(r.Kept, false) {
		t.Errorf("samples dropped: %v", r.Kept)
	}
}

func TestProcessFillsResultOfRefusedBatch(t *testing.T) {
	b := Batch{Rewards: []float64{1, 0, 0.5}, Offsets: []int{0, 2, 3}}
	var r Result
	err := process(&r, find(t, "easyr1", "grpo"), b, ScaleGroup, 0.5, 1, false)
	if got := errorText(err); got != "AssertionError: GRPO needs rollout.n > 1." {
		t.Errorf("error %q", got)
	}
	if r.Processed[0] <= 0 || r.Processed[1] >= 0 || !math.IsNaN(r.Unfiltered[2]) || r.Processed[2] != 0 {
		t.Errorf("original %v, processed %v", r.Unfiltered, r.Processed)
	}
	err = process(&r, find(t, "easyr1", "grpo"), b, ScaleGroup, 2, 1, false)
	if got := errorText(err); got != "AssertionError: keep_pos_ratio must be in [0, 1], got 2.0" {
		t.Errorf("error %q", got)
	}
	if r.Unfiltered[0] <= 0 || !math.IsNaN(r.Processed[0]) || r.Kept[0] {
		t.Errorf("refused ratio: original %v, processed %v, kept %v", r.Unfiltered, r.Processed, r.Kept)
	}
}

// The allocations of the second batch do not grow with the number of its groups.
func TestProcessReusesMemory(t *testing.T) {
	b := benchBatch(8)
	b.Rewards, b.Offsets = b.Rewards[:8*1000], b.Offsets[:1001]
	var r Result
	e := find(t, "easyr1", "grpo")
	run := func() { _ = process(&r, e, b, ScaleGroup, 0.5, 0.7, true) }
	run()
	if n := testing.AllocsPerRun(5, run); n > 2 {
		t.Errorf("%v allocations", n)
	}
}

// process computes a batch from end to end: the advantages of e, the filter, and the recompute if recompute is set.
func process(r *Result, e *Estimator, b Batch, s Scale, keepPos, keepNeg float64, recompute bool) error {
	r.Unfiltered = resize(r.Unfiltered, len(b.Rewards))
	refused := e.Compute(r.Unfiltered, b, s)
	if err := r.Filter(e, b, s, keepPos, keepNeg, recompute); err != nil {
		return err
	}
	return refused
}

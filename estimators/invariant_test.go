package estimators

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// dyadicBatch draws a batch whose rewards are multiples of 1/4 up to 8, in groups of
// one size, a power of two from 2^minLog2 on. Sums, means and shifts of such rewards are
// exact in float32, so that mathematical identities hold to the bit.
func dyadicBatch(t *rapid.T, minLog2 int) Batch {
	n := 1 << rapid.IntRange(minLog2, 6).Draw(t, "log2 of size")
	groups := rapid.IntRange(1, 6).Draw(t, "groups")
	b := Batch{Rewards: make([]float64, n*groups)}
	for i := range b.Rewards {
		b.Rewards[i] = float64(rapid.IntRange(-32, 32).Draw(t, "quarters")) / 4
	}
	b.Offsets, _ = EqualGroups(len(b.Rewards), n)
	return b
}

// smallestLog2 is the binary logarithm of the size of groups from which an estimator is defined.
func smallestLog2(e *Estimator) int {
	if e.Selects() || strings.HasPrefix(e.Name, "pkpo") {
		return 3 // by default pods takes 8 samples, pkpo 4 or 5
	}
	return 1
}

func advantages(t *rapid.T, e *Estimator, b Batch, s Scale) []float64 {
	t.Helper()
	dst := make([]float64, len(b.Rewards))
	if err := e.Advantage(dst, b, s); err != nil {
		t.Fatalf("%s %s %s: %v", e.Framework, e.Name, s, err)
	}
	return dst
}

// forEach checks a property of every estimator that needs only rewards, under each of its
// scales. exceptions says why a property does not hold.
func forEach(t *testing.T, exceptions map[string]string, property func(*rapid.T, *Estimator, Scale)) {
	t.Helper()
	for _, e := range All() {
		name := e.Framework + " " + e.Name
		if !e.NeedsOnlyRewards() || exceptions[name] != "" {
			continue
		}
		for _, s := range e.Scales {
			t.Run(name+" "+string(s), func(t *testing.T) {
				t.Helper()
				rapid.Check(t, func(t *rapid.T) { property(t, e, s) })
			})
		}
	}
}

func TestShiftChangesNothing(t *testing.T) {
	exceptions := map[string]string{
		"rllm reinforce":                  "the reward itself",
		"verl gpg":                        "counts rewards that are not 0",
		"skyrl maxrl":                     "divides by the mean",
		"prime-rl max_rl":                 "divides by the mean",
		"nemo-rl grpo":                    "rounding decides whether s = 0",
		"areal reward_norm":               "clips at 20",
		"areal reward_norm_biased":        "clips at 20",
		"areal reward_norm_batch":         "clips at 20",
		"areal reward_norm_leave_one_out": "clips at 20",
		"trinity reinforce":               "has no baseline",
		"papers w_reinforce":              "has no baseline",
		"papers nsr":                      "has no baseline",
		"papers psr":                      "has no baseline",
		"papers pkpo_s":                   "has no baseline",
		"papers pkpo_sloo":                "the baseline has a share of k/(n − 1), the reward of k/n",
	}
	forEach(t, exceptions, func(t *rapid.T, e *Estimator, s Scale) {
		b := dyadicBatch(t, smallestLog2(e))
		want := advantages(t, e, b, s)
		shift := float64(rapid.IntRange(-16, 16).Draw(t, "shift"))
		for i := range b.Rewards {
			b.Rewards[i] += shift
		}
		// Welford's running means are not exact, nor is r·n/(n−1).
		checkSame(t, "shifted", advantages(t, e, b, s), want, 1e-5)
	})
}

func TestPermutationPermutesAdvantages(t *testing.T) {
	exceptions := map[string]string{"papers pods": "of equal rewards the first stay"}
	forEach(t, exceptions, func(t *rapid.T, e *Estimator, s Scale) {
		b := dyadicBatch(t, smallestLog2(e))
		before := advantages(t, e, b, s)
		moved := Batch{Rewards: make([]float64, len(b.Rewards)), Offsets: b.Offsets}
		want := make([]float64, len(before))
		for g := range b.Groups() {
			lo, n := b.Offsets[g], b.Offsets[g+1]-b.Offsets[g]
			order := make([]int, n)
			for i := range order {
				order[i] = i
			}
			for at, from := range rapid.Permutation(order).Draw(t, "order") {
				moved.Rewards[lo+at], want[lo+at] = b.Rewards[lo+from], before[lo+from]
			}
		}
		checkSame(t, "permuted", advantages(t, e, moved, s), want, 1e-6)
	})
}

func TestGroupsSumToZero(t *testing.T) {
	exceptions := map[string]string{
		"openrlhf flash_reinforce":   "the mean is that of the batch",
		"rllm prpo":                  "the mean is that of the batch",
		"rllm reinforce":             "the reward itself",
		"easyr1-upstream grpo_passk": "only the best has an advantage",
		"verl grpo_passk":            "only the best has an advantage",
		"openrlhf dr_grpo":           "clips at 10",
		"openrlhf rloo":              "clips at 10",
		"nemo-rl grpo":               "each sample has its own divisor",
		"roll reward_norm_batch":     "the mean is that of the batch",
		"areal reward_norm_batch":    "the mean is that of the batch",
		"trinity asymre":             "the baseline is not the mean",
		"trinity reinforce":          "has no baseline",
		"papers w_reinforce":         "has no baseline",
		"papers nsr":                 "has no baseline",
		"papers psr":                 "has no baseline",
		"papers pkpo_s":              "has no baseline",
		"papers pkpo_sloo":           "the baseline leaves the sample out",
		"papers pkpo_sloo_minus_one": "is never negative",
	}
	forEach(t, exceptions, func(t *rapid.T, e *Estimator, s Scale) {
		b := dyadicBatch(t, smallestLog2(e))
		adv := advantages(t, e, b, s)
		for g := range b.Groups() {
			sum, size := 0.0, 1.0
			for _, a := range adv[b.Offsets[g]:b.Offsets[g+1]] {
				sum += a
				size += math.Abs(a)
			}
			if math.Abs(sum) > 1e-6*size {
				t.Fatalf("group %d sums to %v", g, sum)
			}
		}
	})
}

func TestRLOOIsScaledGRPO(t *testing.T) {
	centred, leaveOneOut := find(t, "twinkle", "grpo"), find(t, "easyr1", "rloo")
	rapid.Check(t, func(t *rapid.T) {
		b := dyadicBatch(t, 1)
		n := float64(b.Offsets[1])
		want := advantages(t, centred, b, ScaleNone)
		for i := range want {
			want[i] *= n / (n - 1)
		}
		checkSame(t, "rloo", advantages(t, leaveOneOut, b, ScaleNone), want, 1e-6)
	})
}

// Under other scales than batch, a group and its copy have the same advantages.
func TestEqualGroupsHaveEqualAdvantages(t *testing.T) {
	forEach(t, nil, func(t *rapid.T, e *Estimator, s Scale) {
		if s == ScaleBatch {
			return // it divides by the standard deviation of the batch
		}
		b := dyadicBatch(t, smallestLog2(e))
		n := b.Offsets[1]
		b.Rewards = append(b.Rewards, b.Rewards[:n]...)
		b.Offsets = append(b.Offsets, len(b.Rewards))
		adv := advantages(t, e, b, s)
		checkSame(t, "copy", adv[len(adv)-n:], adv[:n], 0)
	})
}

func checkSame(t *rapid.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	for i := range want {
		if math.Abs(got[i]-want[i]) > tolerance*max(1, math.Abs(want[i])) {
			t.Fatalf("%s: sample %d has %v, want %v", what, i, got[i], want[i])
		}
	}
}

func find(t *testing.T, framework, name string) *Estimator {
	t.Helper()
	e, err := Find(framework, name)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Memory is allocated per batch: a thousand groups take as many allocations as ten.
func TestNoAllocationPerGroup(t *testing.T) {
	batch := func(groups int) (Batch, []float64) {
		n := groups * 64
		b := Batch{Rewards: make([]float64, n), Lengths: make([]int32, n), Baselines: make([]float64, n)}
		for i := range b.Rewards {
			b.Rewards[i], b.Lengths[i] = float64(i%7)/10, int32(1+i%50)
		}
		b.Offsets, _ = EqualGroups(n, 64)
		b.Components = [][]float64{b.Rewards, b.Rewards}
		b.Columns = slices.Repeat([][]float64{b.Rewards}, int(columnCount))
		return b, make([]float64, n)
	}
	few, fewDst := batch(10)
	many, manyDst := batch(1000)
	for _, e := range All() {
		if !e.Computable() {
			continue
		}
		for _, s := range e.Scales {
			a := testing.AllocsPerRun(2, func() { _ = e.Advantage(fewDst, few, s) })
			b := testing.AllocsPerRun(2, func() { _ = e.Advantage(manyDst, many, s) })
			if b > a+10 {
				t.Errorf("%s %s %s allocates %v times for 10 groups and %v times for 1000", e.Framework, e.Name, s, a, b)
			}
		}
	}
}

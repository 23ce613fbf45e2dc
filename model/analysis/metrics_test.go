package analysis

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vantage/model"
)

// Groups of eight 10.1, of zeros, and of unequal rewards. TRL's float32 standard deviation of the
// first is 1e-6, that of torch.std over rows exactly 0; under scale batch the batch decides for all.
func TestFracRewardZeroStdIsThatOfTheTrainer(t *testing.T) {
	constant := []float64{10.1, 10.1, 10.1, 10.1, 10.1, 10.1, 10.1, 10.1}
	snap := snapshotOf(constant, make([]float64, 8), []float64{1, 0, 0, 0, 0, 0, 0, 0})
	for _, c := range []struct {
		framework, scale string
		want             float64
	}{
		{"easyr1", "group", 2.0 / 3},
		{"trl", "group", 1.0 / 3},
		{"trl", "none", 1.0 / 3},
		{"trl", "batch", 0},
		{"trl-1.5", "group", 2.0 / 3},
		{"trl-1.5", "batch", 0},
		{"ms-swift", "group", 2.0 / 3},
		{"ms-swift", "batch", 2.0 / 3},
	} {
		a := analyze(t, snap, settingsWith(t, "framework", c.framework, "estimator", "grpo", "scale", c.scale))
		if got := a.Metric("frac_reward_zero_std"); got != c.want {
			t.Errorf("%s, scale %s: %v, want %v", c.framework, c.scale, got, c.want)
		}
		if some := a.Subset([]int{0, 1, 2}); some.Metric("frac_reward_zero_std") != c.want {
			t.Errorf("%s, scale %s: a subset of all groups has %v", c.framework, c.scale, some.Metric("frac_reward_zero_std"))
		}
	}
}

// The names are exactly those of the metrics that steps have.
func TestMetricNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		store := model.NewStore()
		chunk := &model.Chunk{Format: "made", LengthUnit: model.LengthTokens, HasTruth: true}
		for step := range rapid.IntRange(1, 4).Draw(t, "steps") {
			for prompt := range rapid.IntRange(1, 3).Draw(t, "groups") {
				for range rapid.IntRange(1, 9).Draw(t, "size") {
					chunk.Records = append(chunk.Records, model.Record{
						Step: int64(step), Prompt: uint64(prompt + 1), Reward: 1, Advantage: math.NaN(), Length: rapid.Int32Range(-1, 1).Draw(t, "length"),
					})
				}
			}
		}
		store.Append(chunk)
		snap, set := store.Snapshot(), model.DefaultSettings()
		want := map[string]bool{}
		err := Each(context.Background(), snap, set, func(a *Analysis) error {
			for _, m := range a.Metrics {
				want[m.Name] = true
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		names, err := MetricNames(snap, set)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]bool{}
		for _, name := range names {
			if got[name] {
				t.Fatalf("%s comes twice", name)
			}
			got[name] = true
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

// runWithOutlier is a run of 640 groups of 8: 5,120 rewards of 0 and 1, with one of another value.
func runWithOutlier(outlier float64) model.Snapshot {
	var groups [][]float64
	for g := range 640 {
		rewards := make([]float64, 8)
		for i := range rewards {
			rewards[i] = float64(min(1, max(0, g%9-i)))
		}
		groups = append(groups, rewards)
	}
	groups[4][7] = outlier
	return snapshotOf(groups...)
}

// One sample above or below all others changes no other group's fate, and pass@1 by that sample only.
func TestOutlierLeavesFatesAndSolveRate(t *testing.T) {
	plain := analyze(t, runWithOutlier(0), model.DefaultSettings())
	if plain.Fates[model.FateAllCorrect] == 0 || plain.Fates[model.FateAllWrong] == 0 {
		t.Fatalf("fates %v", plain.Fates)
	}
	for outlier, solved := range map[float64]float64{1.5: 1, -3: 0} {
		a := analyze(t, runWithOutlier(outlier), model.DefaultSettings())
		if a.Fates != plain.Fates {
			t.Errorf("fates %v with %v, %v without", a.Fates, outlier, plain.Fates)
		}
		if got, want := a.Metric("pass@1"), plain.Metric("pass@1")+solved/5120; math.Abs(got-want) > 1e-12 {
			t.Errorf("pass@1 is %v with %v, want %v", got, outlier, want)
		}
	}
}

// Continuous rewards have no pass@k and no solve rate, unless the settings say what is solved.
func TestContinuousRewardsHaveNoSolveRate(t *testing.T) {
	var groups [][]float64
	for g := range 100 {
		groups = append(groups, []float64{float64(g) / 100, float64(g*g) / 1e4, 0, 1})
	}
	snap := snapshotOf(groups...)
	a := analyze(t, snap, model.DefaultSettings())
	names, err := MetricNames(snap, model.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(names, IsSolveMetric) || slices.ContainsFunc(a.Metrics, func(m Metric) bool { return IsSolveMetric(m.Name) }) {
		t.Errorf("metrics %v, %v", names, a.Metrics)
	}
	if !strings.Contains(a.NoSolved, "--solved-at") {
		t.Errorf("the reason is %q", a.NoSolved)
	}
	given := analyze(t, snap, settingsWith(t, "solved_at", "1"))
	if got := given.Metric("pass@1"); got != 0.25 || given.NoSolved != "" {
		t.Errorf("pass@1 is %v, %q", got, given.NoSolved)
	}
}

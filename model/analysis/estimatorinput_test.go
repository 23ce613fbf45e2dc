package analysis

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"vantage/estimators"
	"vantage/model"
)

// withComponents is a run of one step and one prompt, with components for each sample.
func withComponents(unit model.LengthUnit, names []string, rewards []float64, components ...[]float64) model.Snapshot {
	chunk := &model.Chunk{Format: "made", LengthUnit: unit, ComponentNames: names, Progress: model.Progress{CaughtUp: true}}
	for i, r := range rewards {
		rec := model.Record{Step: 1, Prompt: 1, Reward: r, Advantage: math.NaN(), Length: -1}
		if unit != model.LengthUnknown {
			rec.Length = int32(10 * (i + 1))
		}
		if components != nil {
			rec.Components = components[i]
		}
		chunk.Records = append(chunk.Records, rec)
	}
	store := model.NewStore()
	store.Append(chunk)
	return store.Snapshot()
}

// Every estimator computes, or says what the log would need.
func TestEveryEstimatorComputesOrSaysWhatItNeeds(t *testing.T) {
	nan := math.NaN()
	logs := map[string]model.Snapshot{
		"rewards only": snapshotOf([]float64{1, 0, 1, 0}, []float64{0, 0, 1, 0}),
		"no lengths":   withComponents(model.LengthUnknown, nil, []float64{1, 0, 1, 0}),
	}
	names, parts := []string{"a", "baseline", "b"}, [][]float64{{1, .5, 0}, {0, .5, 1}, {0, .5, nan}, {1, .5, 0}}
	for c := estimators.InputTokens; c <= estimators.StepReward; c++ {
		names = append(names, c.Names()[0])
		for i := range parts {
			parts[i] = append(parts[i], float64(i/2))
		}
	}
	logs["all there is"] = withComponents(model.LengthTokens, names, []float64{1, 0, 1, 0}, parts...)
	for name, snap := range logs {
		for _, e := range estimators.All() {
			set := model.DefaultSettings()
			set.Framework, set.Estimator, set.Scale = e.Framework, e.Name, e.Scales[0]
			a, err := Analyze(context.Background(), snap, 0, set)
			var need *model.MissingError
			switch missing := snap.Missing(e); {
			case missing == nil && err != nil:
				t.Errorf("%s: %s %s: %v", name, e.Framework, e.Name, err)
			case missing == nil && len(a.Original) != a.Rows:
				t.Errorf("%s: %s %s gave nothing", name, e.Framework, e.Name)
			case missing != nil && !errors.As(err, &need):
				t.Errorf("%s: %s %s lacks %q and says %v", name, e.Framework, e.Name, missing, err)
			case name == "all there is" && missing != nil && e.Computable():
				t.Errorf("%s %s finds that all there is lacks something: %s", e.Framework, e.Name, missing)
			}
			if _, err := ComputeTrend(context.Background(), snap, set, nil, nil, 1); (err == nil) != (snap.Missing(e) == nil) {
				t.Errorf("%s: %s %s: the trend says %v", name, e.Framework, e.Name, err)
			}
		}
	}
}

func TestRewardIsThatOfTheSettings(t *testing.T) {
	snap := withComponents(model.LengthTokens, []string{"a", "b"}, []float64{9, 9, 9, 9}, []float64{1, 0}, []float64{0, 0.5}, []float64{1, math.NaN()}, []float64{math.NaN(), math.NaN()})
	tests := []struct {
		key, value string
		want       []float64 // rewards; the last sample has none
	}{
		{"reward", "a", []float64{1, 0, 1}},
		{"weights", "a=1,b=2", []float64{1, 1, 1}},
		{"weights", "b=-1", []float64{0, -0.5, math.NaN()}},
	}
	for _, test := range tests {
		set, err := model.DefaultSettings().Set(test.key, test.value)
		if err != nil {
			t.Fatal(err)
		}
		a := analyze(t, snap, set)
		for i, want := range test.want {
			if got := a.LoggedRewards[i]; got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Errorf("%s=%s: sample %d has reward %v, want %v", test.key, test.value, i, got, want)
			}
		}
		if !estimators.IsMissing(a.LoggedRewards[3]) {
			t.Errorf("%s=%s: a sample without components has reward %v", test.key, test.value, a.LoggedRewards[3])
		}
	}
	set, _ := model.DefaultSettings().Set("reward", "c")
	if _, err := Analyze(context.Background(), snap, 0, set); err == nil || err.Error() != `the log has no reward column "c": it has a, b` {
		t.Errorf("an unknown reward: %v", err)
	}
	set, _ = model.DefaultSettings().Set("reward", "a")
	set, _ = set.Set("weights", "b=1")
	if err := set.Validate(); err == nil || !strings.Contains(err.Error(), "give one of --reward and --weights") {
		t.Errorf("both: %v", err)
	}
}

// GDPO of one function with weight 2: trl normalizes it within the group and then
// over the batch, by the std with ddof 1: (±1 − 0)/(1.1547 + 1e-4) twice.
func TestWeightsMultiplyComponents(t *testing.T) {
	snap := withComponents(model.LengthTokens, []string{"a", "b"}, []float64{9, 9, 9, 9}, []float64{1, 7}, []float64{-1, 3}, []float64{1, 1}, []float64{-1, 2})
	set := settingsWith(t, "framework", "trl", "estimator", "grpo_normalize_then_sum", "weights", "a=2")
	a := analyze(t, snap, set)
	z := 2 / (math.Sqrt(4./3) + 1e-4)
	want := z / (z*math.Sqrt(4./3) + 1e-4)
	if math.Abs(a.Original[0]-want) > 1e-6 || a.Original[1] != -a.Original[0] {
		t.Errorf("%v, want ±%v", a.Original, want)
	}
}

func TestBaselineIsNotARewardFunction(t *testing.T) {
	snap := withComponents(model.LengthTokens, []string{"greedy_reward"}, []float64{1, 0}, []float64{0.25}, []float64{0.25})
	a := analyze(t, snap, settingsWith(t, "framework", "verl", "estimator", "remax"))
	if a.Original[0] != 0.75 || a.Original[1] != -0.25 {
		t.Errorf("%v, want 0.75 and -0.25", a.Original)
	}
	gdpo, err := estimators.Find("verl", "gdpo")
	if err != nil || snap.Missing(gdpo) == nil {
		t.Errorf("a baseline feeds GDPO: %v", err)
	}
}

// A response of unknown length has no weight; the others keep theirs.
func TestUnknownLengthHasNoWeight(t *testing.T) {
	chunk := chunkOf(1, []float64{1, 0, 0.5})
	chunk.Records[2].Length = -1
	store := model.NewStore()
	store.Append(chunk)
	a := analyze(t, store.Snapshot(), settingsWith(t, "framework", "verl", "estimator", "opo"))
	// lengths 10 and 11: the baseline is 10/21
	if got, want := a.Original[2], 0.5-10./21; math.Abs(got-want) > 1e-6 {
		t.Errorf("%v, want %v", got, want)
	}
	if w, ok := warningOf(a, model.WarnApproximateLengths); !ok || w.Count != 1 || !strings.Contains(w.Text, "no token") {
		t.Errorf("%+v", w)
	}
}

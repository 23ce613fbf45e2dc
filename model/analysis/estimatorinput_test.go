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

// withParts is a run of one step and one prompt whose reward functions gave parts,
// one row per sample.
func withParts(unit model.LengthUnit, names []string, rewards []float64, parts ...[]float64) model.Snapshot {
	chunk := &model.Chunk{Format: "made", LengthUnit: unit, ComponentNames: names, Progress: model.Progress{CaughtUp: true}}
	for i, r := range rewards {
		rec := model.Record{Step: 1, Prompt: 1, Reward: r, Advantage: math.NaN(), Length: -1}
		if unit != model.LengthUnknown {
			rec.Length = int32(10 * (i + 1))
		}
		if parts != nil {
			rec.Components = parts[i]
		}
		chunk.Records = append(chunk.Records, rec)
	}
	store := model.NewStore()
	store.Append(chunk)
	return store.Snapshot()
}

// Whatever the log is like, every estimator either computes or says in a sentence
// what the log would need.
func TestEveryEstimatorComputesOrSaysWhatItNeeds(t *testing.T) {
	nan := math.NaN()
	logs := map[string]model.Snapshot{
		"rewards only": made([]float64{1, 0, 1, 0}, []float64{0, 0, 1, 0}),
		"no lengths":   withParts(model.LengthUnknown, nil, []float64{1, 0, 1, 0}),
		"all there is": withParts(model.LengthTokens, []string{"a", "baseline", "b"}, []float64{1, 0, 1, 0}, []float64{1, .5, 0}, []float64{0, .5, 1}, []float64{0, .5, nan}, []float64{1, .5, 0}),
	}
	for name, snap := range logs {
		for _, e := range estimators.All() {
			set := model.DefaultSettings()
			set.Framework, set.Estimator, set.Scale = e.Framework, e.Name, e.Scales[0]
			a, err := Analyze(context.Background(), snap, 0, set)
			var need *model.MissingError
			switch lack := snap.Missing(e); {
			case lack == nil && err != nil:
				t.Errorf("%s: %s %s: %v", name, e.Framework, e.Name, err)
			case lack == nil && len(a.Original) != a.Rows:
				t.Errorf("%s: %s %s gave nothing", name, e.Framework, e.Name)
			case lack != nil && !errors.As(err, &need):
				t.Errorf("%s: %s %s lacks %q and says %v", name, e.Framework, e.Name, lack, err)
			case name == "all there is" && lack != nil && e.Computable():
				t.Errorf("%s %s finds that all there is lacks something: %s", e.Framework, e.Name, lack)
			}
			if _, err := ComputeTrend(context.Background(), snap, set, nil, nil, 1); (err == nil) != (snap.Missing(e) == nil) {
				t.Errorf("%s: %s %s: the trend says %v", name, e.Framework, e.Name, err)
			}
		}
	}
}

func TestChosenReward(t *testing.T) {
	snap := withParts(model.LengthTokens, []string{"a", "b"}, []float64{9, 9, 9, 9}, []float64{1, 0}, []float64{0, 0.5}, []float64{1, math.NaN()}, []float64{math.NaN(), math.NaN()})
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

// GDPO of one function with weight 2: trl normalizes it within the group, then the
// whole batch by the sample std: (±1 − 0)/(1.1547 + 1e-4) twice over.
func TestWeightsReachTheComponents(t *testing.T) {
	snap := withParts(model.LengthTokens, []string{"a", "b"}, []float64{9, 9, 9, 9}, []float64{1, 7}, []float64{-1, 3}, []float64{1, 1}, []float64{-1, 2})
	set := settings(t, "framework", "trl", "estimator", "grpo_normalize_then_sum", "weights", "a=2")
	a := analyze(t, snap, set)
	z := 2 / (math.Sqrt(4./3) + 1e-4)
	want := z / (z*math.Sqrt(4./3) + 1e-4)
	if math.Abs(a.Original[0]-want) > 1e-6 || a.Original[1] != -a.Original[0] {
		t.Errorf("%v, want ±%v", a.Original, want)
	}
}

func TestBaselineIsNoRewardFunction(t *testing.T) {
	snap := withParts(model.LengthTokens, []string{"greedy_reward"}, []float64{1, 0}, []float64{0.25}, []float64{0.25})
	a := analyze(t, snap, settings(t, "framework", "verl", "estimator", "remax"))
	if a.Original[0] != 0.75 || a.Original[1] != -0.25 {
		t.Errorf("%v, want 0.75 and -0.25", a.Original)
	}
	gdpo, err := estimators.Find("verl", "gdpo")
	if err != nil || snap.Missing(gdpo) == nil {
		t.Errorf("a baseline feeds GDPO: %v", err)
	}
}

func TestWarningsAboutTheLog(t *testing.T) {
	rpp := settings(t, "framework", "verl", "estimator", "reinforce_plus_plus")
	characters := withParts(model.LengthCharacters, nil, []float64{1, 0, 1, 0})
	if w, ok := warningOf(analyze(t, characters, rpp), model.WarnApproximateLengths); !ok || w.Count != 4 || !strings.Contains(w.Text, "characters") {
		t.Errorf("characters: %+v", w)
	}
	if w, ok := warningOf(analyze(t, characters, settings(t, "framework", "verl")), model.WarnApproximateLengths); ok {
		t.Errorf("grpo needs no lengths: %+v", w)
	}
	if w, ok := warningOf(analyze(t, withParts(model.LengthTokens, nil, []float64{1, 0, 1, 0}), rpp), model.WarnApproximateLengths); ok {
		t.Errorf("tokens: %+v", w)
	}

	// openrlhf divides 0 by 0 for rewards that a float cannot hold
	huge := withParts(model.LengthTokens, nil, []float64{3e38, -3e38, 3e38, -3e38})
	a := analyze(t, huge, settings(t, "framework", "slime", "estimator", "reinforce_plus_plus"))
	if w, ok := warningOf(a, model.WarnUndefinedAdvantages); ok != (a.Table[0].Fate == model.FateInvalid) || ok && w.Count != 1 {
		t.Errorf("undefined: %+v, fate %v, %v", w, a.Table[0].Fate, a.Original)
	}
}

func TestLoggedAdvantagesAreCompared(t *testing.T) {
	given := func(advantages ...float64) model.Snapshot {
		chunk := madeChunk(1, []float64{1, 0, 1, 0})
		for i, a := range advantages {
			chunk.Records[i].Advantage = a
		}
		store := model.NewStore()
		store.Append(chunk)
		return store.Snapshot()
	}
	centred := settings(t, "framework", "tinker")
	if w, ok := warningOf(analyze(t, given(0.5, -0.5, 0.5, -0.5), centred), model.WarnLoggedDiffers); ok {
		t.Errorf("equal advantages: %+v", w)
	}
	w, ok := warningOf(analyze(t, given(0.5, -0.5, 0.75, math.NaN()), centred), model.WarnLoggedDiffers)
	if !ok || w.Count != 1 || w.Of != 3 || w.Example != 0 || !strings.Contains(w.Text, "up to 0.25") {
		t.Errorf("one differs: %+v", w)
	}
	noNumber := madeChunk(1, []float64{math.NaN(), 0, 1, 0})
	noNumber.Records[0].Advantage = 0.5
	store := model.NewStore()
	store.Append(noNumber)
	if w, ok := warningOf(analyze(t, store.Snapshot(), centred), model.WarnLoggedDiffers); !ok || !strings.Contains(w.Text, "gives, one of the two is no number") {
		t.Errorf("computed from NaN: %+v", w)
	}
	// written with seven digits: 1/√(4/3) is 0.866025403…
	easy := given(0.8660254, -0.8660254, 0.8660254, -0.8660254)
	if w, ok := warningOf(analyze(t, easy, model.DefaultSettings()), model.WarnLoggedDiffers); ok {
		t.Errorf("fewer digits: %+v", w)
	}
}

// What is right and what is wrong is told by the reward that was chosen.
func TestFatesAreThoseOfTheChosenReward(t *testing.T) {
	snap := withParts(model.LengthTokens, []string{"a"}, []float64{9, 3}, []float64{1}, []float64{1})
	if fate := analyze(t, snap, settings(t, "reward", "a")).Table[0].Fate; fate != model.FateRight {
		t.Errorf("the only reward there is, 1, is %v", fate)
	}
}

// One response whose length nobody knows does not take the others theirs.
func TestAnUnknownLengthCountsForNoToken(t *testing.T) {
	chunk := madeChunk(1, []float64{1, 0, 0.5})
	chunk.Records[2].Length = -1
	store := model.NewStore()
	store.Append(chunk)
	a := analyze(t, store.Snapshot(), settings(t, "framework", "verl", "estimator", "opo"))
	// lengths 10 and 11: the baseline is 10/21
	if got, want := a.Original[2], 0.5-10./21; math.Abs(got-want) > 1e-6 {
		t.Errorf("%v, want %v", got, want)
	}
	if w, ok := warningOf(a, model.WarnApproximateLengths); !ok || w.Count != 1 || !strings.Contains(w.Text, "no token") {
		t.Errorf("%+v", w)
	}
}

// The filter can be tried on all of the GRPO family, whatever it is called.
func TestFilterOfTheFamily(t *testing.T) {
	for _, e := range estimators.All() {
		set := model.DefaultSettings()
		set.Framework, set.Estimator, set.Scale, set.KeepPos = e.Framework, e.Name, e.Scales[0], 0.5
		if err := set.Validate(); (err == nil) != (e.CanFilter && e.Computable()) {
			t.Errorf("%s %s with keep_pos_ratio 0.5: %v", e.Framework, e.Name, err)
		}
	}
}

package analysis

import (
	"context"
	"errors"
	"math"
	"slices"
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
	return stepsOf(chunk)
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
			case missing == nil && len(a.Unfiltered) != a.Rows:
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
		{"reward", "a=1,b=2", []float64{1, 1, 1}},
		{"reward", "b=-1", []float64{0, -0.5, math.NaN()}},
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
}

// GDPO of one function with weight 2: trl normalizes it within the group and then
// over the batch, by the std with ddof 1: (±1 − 0)/(1.1547 + 1e-4) twice.
func TestWeightsMultiplyComponents(t *testing.T) {
	snap := withComponents(model.LengthTokens, []string{"a", "b"}, []float64{9, 9, 9, 9}, []float64{1, 7}, []float64{-1, 3}, []float64{1, 1}, []float64{-1, 2})
	set := settingsWith(t, "framework", "trl", "estimator", "grpo_normalize_then_sum", "reward", "a=2")
	a := analyze(t, snap, set)
	z := 2 / (math.Sqrt(4./3) + 1e-4)
	want := z / (z*math.Sqrt(4./3) + 1e-4)
	if math.Abs(a.Unfiltered[0]-want) > 1e-6 || a.Unfiltered[1] != -a.Unfiltered[0] {
		t.Errorf("%v, want ±%v", a.Unfiltered, want)
	}
}

func TestBaselineIsNotARewardFunction(t *testing.T) {
	snap := withComponents(model.LengthTokens, []string{"greedy_reward"}, []float64{1, 0}, []float64{0.25}, []float64{0.25})
	a := analyze(t, snap, settingsWith(t, "framework", "verl", "estimator", "remax"))
	if a.Unfiltered[0] != 0.75 || a.Unfiltered[1] != -0.25 {
		t.Errorf("%v, want 0.75 and -0.25", a.Unfiltered)
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
	a := analyze(t, stepsOf(chunk), settingsWith(t, "framework", "verl", "estimator", "opo"))
	// lengths 10 and 11: the baseline is 10/21
	if got, want := a.Unfiltered[2], 0.5-10./21; math.Abs(got-want) > 1e-6 {
		t.Errorf("%v, want %v", got, want)
	}
	if w, ok := warningOf(a, WarnApproximateLengths); !ok || w.Count != 1 || !strings.Contains(w.Text, "no token") {
		t.Errorf("%+v", w)
	}
}

// A ratio that the trainer refuses keeps nothing, whatever the other ratio is.
func TestRefusedRatioKeepsNothing(t *testing.T) {
	snap := randomStep(60, evenSize)
	for _, ratios := range [][2]float64{{math.NaN(), 1}, {1, math.NaN()}, {0.5, -1}, {2, 0.5}} {
		set := model.DefaultSettings()
		set.KeepPos, set.KeepNeg = ratios[0], ratios[1]
		a := analyze(t, snap, set)
		if a.Kept != 0 || a.Keep[0] || !math.IsNaN(a.Processed[0]) || len(a.Warnings) == 0 || a.Warnings[0].Kind != WarnTrainerRefuses {
			t.Errorf("%v: %d kept, %v, %v", ratios, a.Kept, a.Processed[0], a.Warnings)
		}
	}
}

func TestFateOfGroups(t *testing.T) {
	binary := []float64{1, 1, 0, 0}
	tests := []struct {
		name   string
		groups [][]float64
		set    []string
		want   []model.Fate // of each group
	}{
		{"mixed, correct, wrong, constant", [][]float64{binary, {1, 1}, {0, 0}, {.5, .5}}, nil, []model.Fate{model.FateAlive, model.FateAllCorrect, model.FateAllWrong, model.FateConstant}},
		{"one reward in the whole run is correct if positive", [][]float64{{1, 1}, {1, 1}}, nil, []model.Fate{model.FateAllCorrect, model.FateAllCorrect}},
		{"and wrong if zero", [][]float64{{0, 0}, {0, 0}}, nil, []model.Fate{model.FateAllWrong, model.FateAllWrong}},
		// EasyR1 counts NaN and what is missing as 0, verl's mean of them is NaN
		{"NaN, missing where they count as 0", [][]float64{{1, math.NaN()}, {1, estimators.MissingReward()}, {0, math.NaN()}}, nil, []model.Fate{model.FateAlive, model.FateAlive, model.FateAllWrong}},
		{"NaN, infinite where they spoil the group", [][]float64{{1, math.NaN()}, {0, math.Inf(1)}, binary}, []string{"framework", "verl"}, []model.Fate{model.FateInvalid, model.FateInvalid, model.FateAlive}},
		{"no reward at all", [][]float64{{math.NaN(), math.NaN()}, binary}, nil, []model.Fate{model.FateInvalid, model.FateAlive}},
		{"one sample", [][]float64{binary, {1}}, nil, []model.Fate{model.FateAlive, model.FateSingle}},
		// only the two positives are kept: equal rewards, so recompute gives 0
		{"one-sided filter and recompute kill binary groups", [][]float64{binary}, []string{"keep_neg_ratio", "0", "compute_new_adv", "true"}, []model.Fate{model.FateKilled}},
		// one positive of one is kept, no negative
		{"one kept is short", [][]float64{{1, 0, 0, 0}}, []string{"keep_neg_ratio", "0", "compute_new_adv", "true"}, []model.Fate{model.FateShort}},
		{"one kept without recompute is alive", [][]float64{{1, 0, 0, 0}}, []string{"keep_neg_ratio", "0"}, []model.Fate{model.FateAlive}},
		{"nothing kept is killed", [][]float64{{1, 0, 0, 0}}, []string{"keep_neg_ratio", "0", "keep_pos_ratio", "0"}, []model.Fate{model.FateKilled}},
		// twinkle gives each of eight times 0.7 the advantage +5.96
		{"float residue is noise under twinkle", [][]float64{slices.Repeat([]float64{0.7}, 8), {1, 0, 1, 0, 1, 0, 1, 0}}, []string{"framework", "twinkle"}, []model.Fate{model.FateNoise, model.FateAlive}},
		{"and none under easyr1", [][]float64{slices.Repeat([]float64{0.7}, 8), {1, 0, 1, 0, 1, 0, 1, 0}}, nil, []model.Fate{model.FateConstant, model.FateAlive}},
	}
	for _, test := range tests {
		a := analyze(t, snapshotOf(test.groups...), settingsWith(t, test.set...))
		for g, want := range test.want {
			if got := a.Table[g].Fate; got != want {
				t.Errorf("%s: group %d is %v, want %v", test.name, g, got, want)
			}
		}
	}
}

// Groups of an open step have no other fate, and raise no warnings.
func TestOpenStepHasNoWarnings(t *testing.T) {
	store := model.NewStore()
	chunk := chunkOf(1, []float64{1, 0}, []float64{1}, []float64{math.NaN(), 1})
	chunk.Progress.Open = true
	store.Append(chunk)
	a := analyze(t, store.Snapshot(), settingsWith(t, "keep_pos_ratio", "0", "compute_new_adv", "true"))
	if a.Fates[model.FateOpen] != 3 || len(a.Warnings) != 0 {
		t.Errorf("%d open groups and %d warnings, want 3 and none", a.Fates[model.FateOpen], len(a.Warnings))
	}
}

// Right and wrong are those of the chosen reward.
func TestFateIsThatOfTheChosenReward(t *testing.T) {
	snap := withComponents(model.LengthTokens, []string{"a"}, []float64{9, 3}, []float64{1}, []float64{1})
	if fate := analyze(t, snap, settingsWith(t, "reward", "a")).Table[0].Fate; fate != model.FateAllCorrect {
		t.Errorf("the only reward there is, 1, is %v", fate)
	}
}

// The mean of 0.45, 0.1 and 0.8 is 0.45, and in float32 a last bit away: that sample gets −8.5e-8, which moves nothing. What is off the
// mean by a fifth of a thousandth of 1,000 does.
func TestResidueAtTheMean(t *testing.T) {
	for _, c := range []struct {
		rewards        []float64
		settings       []string
		train, residue int
	}{
		{[]float64{0.45, 0.1, 0.8}, nil, 2, 1},
		{[]float64{0, 1, 0.5, 0.5}, nil, 2, 0},
		{[]float64{1000, 1000.001, 1000.002, 1000.0012}, nil, 4, 0},
		{[]float64{0.45, 0.1, 0.8, math.NaN()}, nil, 2, 1},                                          // which does not count in the mean
		{[]float64{0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, math.NaN()}, []string{"scale", "none"}, 0, 7}, // nor in whether all are equal
	} {
		a := analyze(t, snapshotOf(c.rewards), settingsWith(t, append([]string{"framework", "trl"}, c.settings...)...))
		if a.Nonzero != c.train || a.Residue != c.residue {
			t.Errorf("%v: %d train and %d are residue of %v, want %d and %d", c.rewards, a.Nonzero, a.Residue, a.Processed, c.train, c.residue)
		}
		if g := a.Table[0]; int(g.KeptPos+g.KeptNeg) != c.train {
			t.Errorf("%v: %d above and %d below 0 are kept of %v", c.rewards, g.KeptPos, g.KeptNeg, a.Processed)
		}
	}
}

// Under skyrl's grpo_batch_normalize the advantages of x, 0, 1 and 1 with 10, 11, 10 and 11 tokens are in proportion 45 to −43 to 1 to 1:
// the mean over 44 positions is −x/88. If x is tiny, those of 1 and 1 are residue, and count in no sum, also if none of them is kept.
func TestResidueThatIsFilteredOut(t *testing.T) {
	snap := snapshotOf([]float64{0x1p-28, 0}, []float64{1, 1})
	a := analyze(t, snap, settingsWith(t, "framework", "skyrl", "estimator", "grpo_batch_normalize", "scale", "none", "keep_pos_ratio", "0"))
	if got, want := a.Metric("vantage/abs_advantage_ratio"), 43./88; math.Abs(got-want) > 1e-6 {
		t.Errorf("the filter leaves %v of Σ|A|, want %v", got, want)
	}
}

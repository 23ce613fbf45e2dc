package analysis

import (
	"math"
	"slices"
	"strings"
	"testing"

	"vantage/model"
)

// Approximate lengths and undefined advantages.
func TestWarningsAboutTheLog(t *testing.T) {
	rpp := settingsWith(t, "framework", "verl", "estimator", "reinforce_plus_plus")
	characters := withComponents(model.LengthCharacters, nil, []float64{1, 0, 1, 0})
	if w, ok := warningOf(analyze(t, characters, rpp), WarnApproximateLengths); !ok || w.Count != 4 || !strings.Contains(w.Text, "characters") {
		t.Errorf("characters: %+v", w)
	}
	if w, ok := warningOf(analyze(t, characters, settingsWith(t, "framework", "verl")), WarnApproximateLengths); ok {
		t.Errorf("grpo needs no lengths: %+v", w)
	}
	if w, ok := warningOf(analyze(t, withComponents(model.LengthTokens, nil, []float64{1, 0, 1, 0}), rpp), WarnApproximateLengths); ok {
		t.Errorf("tokens: %+v", w)
	}

	// the framework divides 0 by 0 for rewards that a float cannot hold
	huge := withComponents(model.LengthTokens, nil, []float64{3e38, -3e38, 3e38, -3e38})
	a := analyze(t, huge, settingsWith(t, "framework", "slime", "estimator", "reinforce_plus_plus"))
	if w, ok := warningOf(a, WarnUndefinedAdvantages); ok != (a.Table[0].Fate == model.FateInvalid) || ok && w.Count != 1 {
		t.Errorf("undefined: %+v, fate %v, %v", w, a.Table[0].Fate, a.Unfiltered)
	}
}

// A penalty above 0 in a sum may be subtracted; one below 0 is added.
func TestPenaltiesOfSums(t *testing.T) {
	for penalty, want := range map[float64]bool{0.5: true, -0.5: false, 0: false} {
		snap := withComponents(model.LengthTokens, []string{"format_reward", "length_penalty"}, []float64{1, 0, 1, 0}, []float64{1, 0}, []float64{0, penalty}, []float64{1, 0}, []float64{0, penalty})
		snap.Run.SumsComponents, snap.Run.NamesRewards = true, true
		w, ok := warningOf(analyze(t, snap, settingsWith(t, "framework", "verl")), WarnAssumedRewards)
		if ok != want || ok && !strings.Contains(w.Advice, "--reward format_reward,length_penalty=-1") {
			t.Errorf("a penalty of %v: %v, %+v", penalty, ok, w)
		}
	}
}

func TestLoggedAdvantagesAreCompared(t *testing.T) {
	logged := func(advantages ...float64) model.Snapshot {
		chunk := chunkOf(1, []float64{1, 0, 1, 0})
		for i, a := range advantages {
			chunk.Records[i].Advantage = a
		}
		store := model.NewStore()
		store.Append(chunk)
		return store.Snapshot()
	}
	centred := settingsWith(t, "framework", "tinker") // r − mean
	if w, ok := warningOf(analyze(t, logged(0.5, -0.5, 0.5, -0.5), centred), WarnLoggedDiffers); ok {
		t.Errorf("equal advantages: %+v", w)
	}
	w, ok := warningOf(analyze(t, logged(0.5, -0.5, 0.75, math.NaN()), centred), WarnLoggedDiffers)
	if !ok || w.Count != 1 || w.Of != 3 || w.Example != 0 || !strings.Contains(w.Text, "up to 0.25") {
		t.Errorf("one differs: %+v", w)
	}
	noNumber := chunkOf(1, []float64{math.NaN(), 0, 1, 0})
	noNumber.Records[0].Advantage = 0.5
	if w, ok := warningOf(analyze(t, stepsOf(noNumber), centred), WarnLoggedDiffers); !ok || !strings.Contains(w.Text, ", one of them is NaN") {
		t.Errorf("computed from NaN: %+v", w)
	}
	if w, ok := warningOf(analyze(t, logged(math.Inf(1), -0.5, 0.5, -0.5), centred), WarnLoggedDiffers); !ok || w.Count != 1 {
		t.Errorf("an infinite advantage in the log: %+v", w)
	}
	// another group of 1e6 makes no difference of 0.25 near
	large := chunkOf(1, []float64{1, 0, 1, 0}, []float64{2e6, 0, 2e6, 0})
	for i, a := range []float64{0.75, -0.5, 0.5, -0.5, 1e6, -1e6, 1e6, -1e6} {
		large.Records[i].Advantage = a
	}
	if w, ok := warningOf(analyze(t, stepsOf(large), centred), WarnLoggedDiffers); !ok || w.Count != 1 || w.Example != 0 {
		t.Errorf("beside a group of 1e6: %+v", w)
	}
	// written with seven digits: 1/√(4/3) is 0.866025403…
	easy := logged(0.8660254, -0.8660254, 0.8660254, -0.8660254)
	if w, ok := warningOf(analyze(t, easy, model.DefaultSettings()), WarnLoggedDiffers); ok {
		t.Errorf("fewer digits: %+v", w)
	}
}

// A group of a multiple of the usual size may be several; no group may have another size above that.
func TestMergedGroupsAreWarnedOf(t *testing.T) {
	pair, four := []float64{1, 0}, []float64{1, 0, 1, 0}
	for _, test := range []struct {
		name     string
		groups   [][]float64
		set      [2]string
		reorders bool
		count    int
		advice   string
	}{
		{"one of three", [][]float64{pair, pair, four}, [2]string{}, false, 1, "--num-generations 2"},
		{"rows are reordered", [][]float64{pair, pair, four}, [2]string{}, true, 1, "log a group id"},
		{"one was cut", [][]float64{pair, pair, four, {1}}, [2]string{}, false, 1, "--num-generations 2"},
		{"sizes of all kinds", [][]float64{pair, pair, four, {1, 0, 1}}, [2]string{}, false, 0, ""},
		{"all equal", [][]float64{four, four}, [2]string{}, false, 0, ""},
		{"ones", [][]float64{{1}, {1}, pair}, [2]string{}, false, 0, ""},
		{"the person says so", [][]float64{pair, pair, four}, [2]string{"num_generations", "2"}, false, 0, ""},
	} {
		chunk := chunkOf(1, test.groups...)
		chunk.HasTruth, chunk.Positional = false, !test.reorders
		store := model.NewStore()
		store.Append(chunk)
		set := model.DefaultSettings()
		if test.set[0] != "" {
			set, _ = set.Set(test.set[0], test.set[1])
		}
		w, ok := warningOf(analyze(t, store.Snapshot(), set), WarnGroupingDoubt)
		if ok != (test.count > 0) || w.Count != test.count || !strings.Contains(w.Advice, test.advice) || ok && w.Example != 2 {
			t.Errorf("%s: %+v, want %d", test.name, w, test.count)
		}
	}
}

// Of a group of which the log holds a part, only what follows is known: the mean where r − A is one value or is told, and logged
// advantages.
func TestGroupsOfWhichTheLogHoldsAPart(t *testing.T) {
	nan := math.NaN()
	for name, c := range map[string]struct {
		whole      model.Whole
		advantages []float64
		mean       float64
		want       []float64 // advantages
	}{
		"r − A is 0.25":               {model.Whole{Mean: nan, Std: nan}, []float64{0.75, -0.25}, 0.25, []float64{0.75, -0.25}},
		"A is divided":                {model.Whole{Mean: nan, Std: nan}, []float64{1.7, -0.6}, nan, []float64{1.7, -0.6}},
		"the mean is told":            {model.Whole{Size: 8, Mean: 0.25, Std: nan}, []float64{nan, nan}, 0.25, []float64{0.5, -0.5}},
		"it is the whole":             {model.Whole{Size: 2, Mean: 0.5, Std: nan}, []float64{nan, nan}, 0.5, []float64{0.5, -0.5}},
		"nothing but that it is part": {model.Whole{Mean: nan, Std: nan}, []float64{nan, nan}, nan, []float64{0.5, -0.5}},
	} {
		chunk := chunkOf(1, []float64{1, 0})
		for i, a := range c.advantages {
			chunk.Records[i].Advantage, chunk.Records[i].Whole = a, &c.whole
		}
		a := analyze(t, stepsOf(chunk), settingsWith(t, "framework", "tinker")) // r − mean
		isWhole := c.whole.Size == 2
		g := a.Table[0]
		if g.RewardMean != c.mean && !(math.IsNaN(g.RewardMean) && math.IsNaN(c.mean)) {
			t.Errorf("%s: mean %v, want %v", name, g.RewardMean, c.mean)
		}
		if math.IsNaN(g.RewardStd) == isWhole || g.HasSolved && !isWhole {
			t.Errorf("%s: std %v, solved %t", name, g.RewardStd, g.HasSolved)
		}
		if !slices.Equal(a.Unfiltered, c.want) {
			t.Errorf("%s: advantages %v, want %v", name, a.Unfiltered, c.want)
		}
		if w, ok := warningOf(a, WarnPartialGroups); ok == isWhole || ok && (w.Count != 1 || !strings.Contains(w.Text, "the log holds 2 samples")) {
			t.Errorf("%s: %+v", name, w)
		}
	}

	chunk := chunkOf(1, []float64{1, 0, 0, 0})
	whole := &model.Whole{Size: 4, Mean: 0.25, Std: nan}
	for i := range chunk.Records {
		chunk.Records[i].Whole = whole
	}
	chunk.Records[2].Status, chunk.Records[3].Status = model.StatusUnlogged, model.StatusUnlogged
	a := analyze(t, stepsOf(chunk), settingsWith(t, "framework", "tinker"))
	if w, ok := warningOf(a, WarnPartialGroups); !ok || !strings.Contains(w.Text, "2 of 4 samples") || a.Table[0].RewardMean != 0.25 || a.Unfiltered[0] != 0.75 {
		t.Errorf("a group that was completed: %+v, mean %v, advantages %v", w, a.Table[0].RewardMean, a.Unfiltered)
	}
}

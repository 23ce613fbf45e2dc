package analysis

import (
	"math"
	"strings"
	"testing"

	"vantage/model"
)

// Approximate lengths and undefined advantages.
func TestWarningsAboutTheLog(t *testing.T) {
	rpp := settingsWith(t, "framework", "verl", "estimator", "reinforce_plus_plus")
	characters := withComponents(model.LengthCharacters, nil, []float64{1, 0, 1, 0})
	if w, ok := warningOf(analyze(t, characters, rpp), model.WarnApproximateLengths); !ok || w.Count != 4 || !strings.Contains(w.Text, "characters") {
		t.Errorf("characters: %+v", w)
	}
	if w, ok := warningOf(analyze(t, characters, settingsWith(t, "framework", "verl")), model.WarnApproximateLengths); ok {
		t.Errorf("grpo needs no lengths: %+v", w)
	}
	if w, ok := warningOf(analyze(t, withComponents(model.LengthTokens, nil, []float64{1, 0, 1, 0}), rpp), model.WarnApproximateLengths); ok {
		t.Errorf("tokens: %+v", w)
	}

	// the framework divides 0 by 0 for rewards that a float cannot hold
	huge := withComponents(model.LengthTokens, nil, []float64{3e38, -3e38, 3e38, -3e38})
	a := analyze(t, huge, settingsWith(t, "framework", "slime", "estimator", "reinforce_plus_plus"))
	if w, ok := warningOf(a, model.WarnUndefinedAdvantages); ok != (a.Table[0].Fate == model.FateInvalid) || ok && w.Count != 1 {
		t.Errorf("undefined: %+v, fate %v, %v", w, a.Table[0].Fate, a.Original)
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
	if w, ok := warningOf(analyze(t, logged(0.5, -0.5, 0.5, -0.5), centred), model.WarnLoggedDiffers); ok {
		t.Errorf("equal advantages: %+v", w)
	}
	w, ok := warningOf(analyze(t, logged(0.5, -0.5, 0.75, math.NaN()), centred), model.WarnLoggedDiffers)
	if !ok || w.Count != 1 || w.Of != 3 || w.Example != 0 || !strings.Contains(w.Text, "up to 0.25") {
		t.Errorf("one differs: %+v", w)
	}
	noNumber := chunkOf(1, []float64{math.NaN(), 0, 1, 0})
	noNumber.Records[0].Advantage = 0.5
	store := model.NewStore()
	store.Append(noNumber)
	if w, ok := warningOf(analyze(t, store.Snapshot(), centred), model.WarnLoggedDiffers); !ok || !strings.Contains(w.Text, "gives, one of the two is no number") {
		t.Errorf("computed from NaN: %+v", w)
	}
	// written with seven digits: 1/√(4/3) is 0.866025403…
	easy := logged(0.8660254, -0.8660254, 0.8660254, -0.8660254)
	if w, ok := warningOf(analyze(t, easy, model.DefaultSettings()), model.WarnLoggedDiffers); ok {
		t.Errorf("fewer digits: %+v", w)
	}
}

func TestMergedGroupsAreWarnedOf(t *testing.T) {
	chunk := chunkOf(1, []float64{1, 0}, []float64{1, 0}, []float64{1, 0, 1, 0})
	chunk.HasTruth = false
	store := model.NewStore()
	store.Append(chunk)
	a := analyze(t, store.Snapshot(), model.DefaultSettings())
	if w, ok := warningOf(a, model.WarnGroupingDoubt); !ok || w.Count != 1 || w.Example != 2 {
		t.Errorf("%+v, want one group, the third", w)
	}
}

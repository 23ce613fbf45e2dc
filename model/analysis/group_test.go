package analysis

import (
	"math"
	"testing"

	"vantage/model"
)

// Groups of rewards of three levels, by hand. With keep_neg_ratio 0 and recompute the kept samples are
//
//	0 0 0 .5 .5 1   mean 1/3   kept .5 .5 1, mean 2/3: both .5 go from + to −
//	0 .5 1          mean 1/2   kept .5 1, mean 3/4: .5 goes from 0 to −
//	0 0 1 1         mean 1/2   kept 1 1, mean 1: both go from + to 0
//	1 1 1           mean 1     kept as they are: 0 stays 0
//
// and with keep_pos_ratio 0 of the same groups mirrored everything is mirrored.
func TestFlipsByKind(t *testing.T) {
	groups := [][]float64{{0, 0, 0, .5, .5, 1}, {0, .5, 1}, {0, 0, 1, 1}, {1, 1, 1}}
	var mirrored [][]float64
	for _, g := range groups {
		var m []float64
		for _, r := range g {
			m = append(m, 1-r)
		}
		mirrored = append(mirrored, m)
	}
	recompute := []string{"compute_new_adv", "true"}
	for _, c := range []struct {
		groups  [][]float64
		set     []string
		want    Flips
		text    string
		nonzero int
	}{
		{groups, append(recompute, "keep_neg_ratio", "0"), Flips{2, 0, 0, 1, 2, 0}, "2 +→−, 1 0→−, 2 +→0", 5},
		{mirrored, append(recompute, "keep_pos_ratio", "0"), Flips{0, 2, 1, 0, 0, 2}, "2 −→+, 1 0→+, 2 −→0", 5},
		// dropped samples have the advantage 0 and are no flips
		{groups, []string{"keep_neg_ratio", "0"}, Flips{}, "", 6},
		{groups, nil, Flips{}, "", 12},
	} {
		a := analyze(t, snapshotOf(c.groups...), settingsWith(t, c.set...))
		if a.Flips != c.want || a.Flips.String() != c.text || a.Flips.Total() != int(a.Metric("vantage/flips")) {
			t.Errorf("%v: flips %v, %q; want %v, %q", c.set, a.Flips, a.Flips, c.want, c.text)
		}
		if a.Nonzero != c.nonzero || a.Nonzero != int(a.Metric("vantage/nonzero_advantages")) {
			t.Errorf("%v: %d advantages are not 0, want %d", c.set, a.Nonzero, c.nonzero)
		}
	}
}

// An advantage that is no number has no sign, before or after.
func TestFlipOf(t *testing.T) {
	for _, c := range []struct {
		from, to float64
		want     string
	}{
		{1, -1, "+→−"},
		{-1, 1, "−→+"},
		{0, 2, "0→+"},
		{0, -2, "0→−"},
		{1, 0, "+→0"},
		{-1, math.Copysign(0, -1), "−→0"},
		{1, 2, ""},
		{0, math.Copysign(0, -1), ""},
		{math.NaN(), 1, ""},
		{0, math.NaN(), ""},
		{1, math.NaN(), ""},
	} {
		if got := FlipOf(c.from, c.to); got != c.want || (got != "") != IsFlip(c.from, c.to) {
			t.Errorf("%v to %v is %q, want %q", c.from, c.to, got, c.want)
		}
	}
}

// A step with NaN advantages counts only the numbers.
func TestNonzeroWithoutNaN(t *testing.T) {
	a := analyze(t, snapshotOf([]float64{1, 0, math.NaN()}, []float64{1, 0, 1, 0}), settingsWith(t))
	nonzero := 0
	for _, x := range a.Processed {
		if x < 0 || x > 0 {
			nonzero++
		}
	}
	if a.Nonzero != nonzero || nonzero < 4 {
		t.Errorf("%d, want %d of %v", a.Nonzero, nonzero, a.Processed)
	}
}

// Every cause, by hand.
func TestCause(t *testing.T) {
	half := model.DefaultSettings()
	half.KeepNeg, half.Recompute = 0, true
	nothing := model.DefaultSettings()
	nothing.KeepPos, nothing.KeepNeg = 0, 0
	one := model.DefaultSettings()
	one.KeepPos, one.KeepNeg, one.Recompute = 0.1, 0, true
	for name, c := range map[string]struct {
		set        model.Settings
		rewards    []float64
		components [][]float64 // of each sample
		lengths    []int32
		want       string
	}{
		"all correct":            {model.DefaultSettings(), []float64{1, 1, 1, 1}, nil, nil, "all correct (4/4 at 1): zero variance at the best reward of the run"},
		"all wrong":              {model.DefaultSettings(), []float64{0, 0, 0, 0}, nil, nil, "all wrong (4/4 at 0): zero variance at the worst reward of the run"},
		"constant":               {model.DefaultSettings(), []float64{0.5, 0.5, 0.5, 0.5}, nil, nil, "all equal (4/4 at 0.500): zero variance between the worst and the best reward of the run"},
		"cancel":                 {model.DefaultSettings(), []float64{0.5, 0.5, 0.5, 0.5}, [][]float64{{0.5, 0}, {0, 0.5}, {0.5, 0}, {0, 0.5}}, nil, "all equal (4/4 at 0.500): zero variance, though right and format vary: they cancel"},
		"cancel at best":         {model.DefaultSettings(), []float64{1, 1, 1, 1}, [][]float64{{1, 0}, {0, 1}, {1, 0}, {0, 1}}, nil, "all correct (4/4 at 1): zero variance, though right and format vary: they cancel"},
		"too close":              {model.DefaultSettings(), []float64{0.5, 0.5, 0.50000006, 0.5}, nil, nil, "rewards from 0.5 to 0.50000006, but all advantages are 0: the difference is below the estimator's precision"},
		"truncated, but correct": {model.DefaultSettings(), []float64{1, 1, 1, 1}, nil, []int32{64, 64, 64, 64}, "all correct (4/4 at 1): zero variance at the best reward of the run"},
		"truncated":              {model.DefaultSettings(), []float64{0, 0, 0, 0}, nil, []int32{64, 64, 64, 64}, "all wrong (4/4 at 0): zero variance; every response has 64 tokens, as the longest of the step: perhaps cut off there"},
		"killed one-sided":       {half, []float64{1, 1, 0, 0}, nil, nil, "only 2 positive samples are kept, all with equal rewards: recompute gives 0"},
		"killed by all":          {nothing, []float64{1, 1, 0, 0}, nil, nil, "the filter drops all 4 samples with an advantage"},
		"short":                  {one, []float64{1, 1, 0, 0}, nil, nil, "1 of 4 kept: too few to recompute, original values stay"},
		"missing":                {model.DefaultSettings(), []float64{1, math.NaN(), 0, 0}, nil, nil, "1 of 4 rewards are NaN or missing: the trainer counts it as reward 0"},
		"alive":                  {model.DefaultSettings(), []float64{1, 0, 1, 0}, nil, nil, ""},
	} {
		chunk := &model.Chunk{Files: []string{"x"}, HasTruth: true, LengthUnit: model.LengthTokens, ComponentNames: []string{"right", "format"}}
		add := func(prompt uint64, rewards []float64, components [][]float64, lengths []int32) {
			for i, r := range rewards {
				rec := model.Record{Step: 1, Prompt: prompt, Reward: r, Advantage: math.NaN(), Length: int32(i + 1)}
				if components != nil {
					rec.Components = components[i]
				}
				if lengths != nil {
					rec.Length = lengths[i]
				}
				chunk.Records = append(chunk.Records, rec)
			}
		}
		add(1, c.rewards, c.components, c.lengths)
		add(2, []float64{0, 1, 0, 1}, nil, nil)
		s := model.NewStore()
		s.Append(chunk)
		snap := s.Snapshot()
		a := analyze(t, snap, c.set)
		if got := a.Cause(0); got != c.want {
			t.Errorf("%s (%s):\n got %s\nwant %s", name, a.Table[0].Fate, got, c.want)
		}
	}
}

package analysis

import (
	"math"
	"testing"

	"vantage/model"
)

func TestFates(t *testing.T) {
	binary := []float64{1, 1, 0, 0}
	tests := []struct {
		name   string
		groups [][]float64
		set    []string
		want   []model.Fate // of each group
	}{
		{"mixed, right, wrong, stuck", [][]float64{binary, {1, 1}, {0, 0}, {.5, .5}}, nil, []model.Fate{model.FateAlive, model.FateRight, model.FateWrong, model.FateStuck}},
		{"one reward in the whole run is right if positive", [][]float64{{1, 1}, {1, 1}}, nil, []model.Fate{model.FateRight, model.FateRight}},
		{"and wrong if zero", [][]float64{{0, 0}, {0, 0}}, nil, []model.Fate{model.FateWrong, model.FateWrong}},
		{"NaN, missing, infinite", [][]float64{{1, math.NaN()}, {1, missing()}, {0, math.Inf(1)}}, nil, []model.Fate{model.FateInvalid, model.FateInvalid, model.FateInvalid}},
		{"one sample", [][]float64{binary, {1}}, nil, []model.Fate{model.FateAlive, model.FateSingle}},
		// only the two positives are kept: equal rewards, so recompute gives 0
		{"one-sided filter and recompute kill binary groups", [][]float64{binary}, []string{"keep_neg_ratio", "0", "compute_new_adv", "true"}, []model.Fate{model.FateKilled}},
		// one positive of one is kept, no negative
		{"one kept is short", [][]float64{{1, 0, 0, 0}}, []string{"keep_neg_ratio", "0", "compute_new_adv", "true"}, []model.Fate{model.FateShort}},
		{"one kept without recompute is alive", [][]float64{{1, 0, 0, 0}}, []string{"keep_neg_ratio", "0"}, []model.Fate{model.FateAlive}},
		{"nothing kept is killed", [][]float64{{1, 0, 0, 0}}, []string{"keep_neg_ratio", "0", "keep_pos_ratio", "0"}, []model.Fate{model.FateKilled}},
		// eight times 0.7 beside a mixed group: twinkle gives each +5.96
		{"float residue is noise under twinkle", [][]float64{repeat(0.7, 8), {1, 0, 1, 0, 1, 0, 1, 0}}, []string{"framework", "twinkle"}, []model.Fate{model.FateNoise, model.FateAlive}},
		{"and none under easyr1", [][]float64{repeat(0.7, 8), {1, 0, 1, 0, 1, 0, 1, 0}}, nil, []model.Fate{model.FateStuck, model.FateAlive}},
	}
	for _, test := range tests {
		a := analyze(t, made(test.groups...), settings(t, test.set...))
		for g, want := range test.want {
			if got := a.Table[g].Fate; got != want {
				t.Errorf("%s: group %d is %v, want %v", test.name, g, got, want)
			}
		}
	}
}

func TestOpenStepIsNotJudged(t *testing.T) {
	store := model.NewStore()
	chunk := madeChunk(1, []float64{1, 0}, []float64{1}, []float64{math.NaN(), 1})
	chunk.Progress.Open = true
	store.Append(chunk)
	a := analyze(t, store.Snapshot(), settings(t, "keep_pos_ratio", "0", "compute_new_adv", "true"))
	if a.Fates[model.FateOpen] != 3 || len(a.Warnings) != 0 {
		t.Errorf("%d open groups and %d warnings, want 3 and none", a.Fates[model.FateOpen], len(a.Warnings))
	}
}

package diagnosis

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vantage/model"
)

// Nothing is well of which no sample trains: rows with a prompt each are compared with nothing. An estimator with a baseline of the batch
// compares them, and logged advantages show that they train.
func TestNothingComparedIsNotHealthy(t *testing.T) {
	batch := model.DefaultSettings()
	batch.Framework, batch.Estimator, batch.Scale = "verl", "reinforce_plus_plus", "batch"
	for name, c := range map[string]struct {
		perGroup int
		set      model.Settings
		logged   float64
		want     string
	}{
		"a prompt for each row":                        {1, model.DefaultSettings(), math.NaN(), Unknown},
		"a prompt for eight rows":                      {8, model.DefaultSettings(), math.NaN(), Healthy},
		"a prompt for each row, baseline of the batch": {1, batch, math.NaN(), Healthy},
		"a prompt for each row, logged advantages":     {1, model.DefaultSettings(), 0.5, Healthy},
	} {
		rng := rand.New(rand.NewPCG(1, 2))
		chunk := &model.Chunk{Files: []string{"x"}, LengthUnit: model.LengthTokens, Progress: model.Progress{Files: 1, CaughtUp: true}}
		for step := range 40 {
			for i := range 32 {
				right := verdict(rng, 0.3+0.3*float64(step)/40)
				advantage := c.logged * (2*right - 1)
				chunk.Records = append(chunk.Records, model.Record{
					Step: int64(step + 1), Prompt: uint64(32*step + i/c.perGroup + 1), Preview: fmt.Sprint(32*step + i/c.perGroup), Reward: right, Advantage: advantage, Length: int32(80 + rng.IntN(60)),
				})
			}
		}
		store := model.NewStore()
		store.Append(chunk)
		look, err := See(t.Context(), store.Snapshot(), c.set, Reading{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		d := look.Diagnosis
		if got := d.Health(); got != c.want || got == Unknown && !strings.Contains(d.WhyUnknown(), "no sample trains") {
			t.Errorf("%s: %s (%s), want %s: %v", name, got, d.HealthReason(), c.want, d.Findings)
		}
	}
}

// Without prompts and with one id for the run, or that of the step, nothing is known of groups: a run is well only if its reward gains.
// Other ids of steps of one group are those of prompts.
func TestOneIDForAll(t *testing.T) {
	ofRun := func(int) string { return "run" }
	for name, c := range map[string]struct {
		gain  float64
		id    func(step int) string
		want  bool // that this is why
		blind bool
	}{
		"the reward gains": {0.6, ofRun, false, true}, "it is level": {0, ofRun, true, true}, "the step": {0, strconv.Itoa, true, true},
		"a prompt each": {0, func(step int) string { return fmt.Sprint("log.jsonl:", step) }, false, false},
	} {
		chunk := &model.Chunk{Files: []string{"x"}, LengthUnit: model.LengthTokens, Progress: model.Progress{Files: 1, CaughtUp: true}}
		rng := rand.New(rand.NewPCG(5, 6))
		for step := range 40 {
			for range 32 {
				chunk.Records = append(chunk.Records, model.Record{
					Step: int64(step), Group: c.id(step), Reward: verdict(rng, 0.2+c.gain*float64(step)/40), Advantage: math.NaN(), Length: int32(50 + rng.IntN(90)),
				})
			}
		}
		store := model.NewStore()
		store.Append(chunk)
		look, err := See(t.Context(), store.Snapshot(), model.DefaultSettings(), Reading{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		isBlind := slices.ContainsFunc(look.Diagnosis.Blind, func(b Blind) bool { return b.Kind == Saturated })
		why := look.Diagnosis.WhyUnknown()
		if isWhy := strings.Contains(why, "one for the whole run or the number of the step"); isWhy != c.want || isBlind != c.blind {
			t.Errorf("%s: %s; groups are told: %t", name, why, !isBlind)
		}
	}
}

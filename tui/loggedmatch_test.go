package tui

import (
	"testing"

	"vantage/model"
)

// runWithAdvantages returns a run whose logged advantages are those of f, with a group of
// rewards 1, 0, 0, 0 in each step. Its newest step is open.
func runWithAdvantages(steps int, f func(step int, reward float64) float64) *madeSource {
	source := &madeSource{}
	for step := range steps + 1 {
		chunk := &model.Chunk{Format: "trl", Framework: "trl", Files: []string{"made"}, Progress: model.Progress{CaughtUp: true, Open: true}}
		for _, reward := range []float64{1, 0, 0, 0} {
			chunk.Records = append(chunk.Records, model.Record{Step: int64(step), Group: "a", Reward: reward, Advantage: f(step, reward), Length: -1})
		}
		source.chunks = append(source.chunks, chunk)
	}
	return source
}

// If no estimator reproduces the logged advantages, a warning says what they look like.
func TestUnknownAdvantagesAreAWarning(t *testing.T) {
	triple := func(_ int, reward float64) float64 { return 3 * (reward - 0.25) }
	drive(t, runWithAdvantages(1, triple), 120, 36, model.DefaultSettings(), func(d *driver) {
		d.press("w", "w")
		d.wantText("log = no known estimator", "3 times those of trl")
		if want := model.DefaultSettings().WithFramework("trl"); d.app.settings.now != want {
			t.Errorf("started with %+v", d.app.settings.now)
		}
	})
}

// The comparison is repeated when there are more samples; the settings stay.
func TestMatchIsRepeatedWithMoreSteps(t *testing.T) {
	turns := func(step int, reward float64) float64 { // r − μ, and from the third step on something else
		if step > 2 {
			return reward
		}
		return reward - 0.25
	}
	drive(t, runWithAdvantages(8, turns), 120, 36, model.DefaultSettings(), func(d *driver) {
		if r := d.app.loggedMatch.report; r == nil || r.HasMatch() || r.Steps < 4 {
			t.Errorf("the last verdict is %+v", r)
		}
		if set := d.app.settings.now; set.Framework != "trl" || set.Scale != "none" {
			t.Errorf("at first only r − μ was there, and the program is at %+v", set)
		}
	})
}

// An estimator that reproduces most of the logged advantages is named as the nearest.
func TestNearestEstimatorIsNamed(t *testing.T) {
	once := func(step int, reward float64) float64 {
		if step == 0 {
			return reward
		}
		return reward - 0.25
	}
	drive(t, runWithAdvantages(4, once), 120, 36, model.DefaultSettings(), func(d *driver) {
		d.wantText("! log ≈ trl grpo none, 12/16")
	})
}

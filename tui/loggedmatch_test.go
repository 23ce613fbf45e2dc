package tui

import (
	"strings"
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

// If no estimator reproduces the logged advantages, a warning says so.
func TestUnknownAdvantagesAreAWarning(t *testing.T) {
	t.Parallel()
	squared := func(_ int, reward float64) float64 { return reward*reward + 0.5 }
	drive(t, runWithAdvantages(1, squared), 120, 36, model.DefaultSettings(), func(d *driver) {
		if strings.Contains(d.frame(), "so it is selected") {
			t.Error("an estimator is said to match that does not")
		}
		d.press("w", "w")
		d.wantText("log = no known estimator", "logged advantages")
	})
}

// Rewards less the mean of their group, times a factor, are a rule of the trainer's own: they are taken as they are, without a warning.
func TestOwnRuleIsNoWarning(t *testing.T) {
	t.Parallel()
	triple := func(_ int, reward float64) float64 { return 3 * (reward - 0.25) }
	drive(t, runWithAdvantages(1, triple), 120, 36, model.DefaultSettings(), func(d *driver) {
		d.wantText("log = no known estimator", "none at this step")
		want := model.DefaultSettings().WithFramework("trl")
		want.FromLog, want.OwnRule = true, true
		if d.app.env.Settings.Now != want {
			t.Errorf("started with %+v", d.app.env.Settings.Now)
		}
	})
}

// The comparison is repeated when there are more samples; the settings stay.
func TestMatchIsRepeatedWithMoreSteps(t *testing.T) {
	t.Parallel()
	turns := func(step int, reward float64) float64 { // r − μ, and from the third step on something else
		if step > 2 {
			return reward
		}
		return reward - 0.25
	}
	drive(t, runWithAdvantages(8, turns), 120, 36, model.DefaultSettings(), func(d *driver) {
		if r := d.app.env.LoggedMatch.Latest.Report; r == nil || r.HasMatch() || r.Steps < 4 {
			t.Errorf("the last verdict is %+v", r)
		}
		if set := d.app.env.Settings.Now; set.Framework != "trl" || set.Scale != "none" {
			t.Errorf("at first only r − μ was there, and the program is at %+v", set)
		}
	})
}

// An estimator that reproduces most of the logged advantages is named as the nearest.
func TestNearestEstimatorIsNamed(t *testing.T) {
	t.Parallel()
	once := func(step int, reward float64) float64 {
		if step == 0 {
			return reward
		}
		return reward - 0.25
	}
	drive(t, runWithAdvantages(4, once), 120, 36, model.DefaultSettings(), func(d *driver) {
		d.wantText("! log ≈ TRL grpo none, 12/16")
	})
}

// Steps whose advantages are all 0 tell no estimators apart: the first with signal decides, as if it was the
// first step.
func TestUndecidedUntilAStepHasSignal(t *testing.T) {
	t.Parallel()
	equal := func(steps int) *madeSource {
		source := runWithAdvantages(steps, func(step int, reward float64) float64 {
			if step < 3 {
				return 0
			}
			return reward - 0.25
		})
		for _, chunk := range source.chunks[:min(3, len(source.chunks))] {
			for i := range chunk.Records {
				chunk.Records[i].Reward = 1
			}
		}
		return source
	}
	drive(t, equal(2), 120, 36, model.DefaultSettings(), func(d *driver) {
		d.wantText("log: all advantages are 0 so far")
		if c := d.app.env.Choice(); c.Compared != 0 || c.Framework != "trl" || d.app.env.Settings.Now.Scale != "group" {
			t.Errorf("%+v", c)
		}
	})
	drive(t, equal(5), 120, 36, model.DefaultSettings(), func(d *driver) {
		d.wantText("so it is selected (u undoes)")
		if set := d.app.env.Settings.Now; set.Framework != "trl" || set.Scale != "none" {
			t.Errorf("at %+v", set)
		}
	})
}

// A change of the estimator is told with its step.
func TestMixtureIsTold(t *testing.T) {
	t.Parallel()
	turns := func(step int, reward float64) float64 { // r − μ, and from step 4 on r − mean of the others
		if step >= 4 {
			return (reward - 0.25) * 4 / 3
		}
		return reward - 0.25
	}
	drive(t, runWithAdvantages(12, turns), 120, 36, model.DefaultSettings(), func(d *driver) {
		d.press("w", "w")
		d.wantText("! TRL rloo none from step 4 on", "gives steps 0 to 3", "from step 4")
	})
}

package tui

import (
	"math"
	"strings"
	"testing"

	"vantage/model"
	"vantage/model/match"
)

// runWithColumns returns a run without totals, with columns accuracy, format and tokens. Its advantages
// are those of accuracy + format/2. Before step known all samples are alike.
func runWithColumns(steps, known int) *madeSource {
	source := &madeSource{}
	for step := range steps {
		chunk := &model.Chunk{
			Format: "trl", Framework: "trl", Files: []string{"made"}, SumsComponents: true,
			ComponentNames: []string{"accuracy", "format", "tokens"}, Progress: model.Progress{CaughtUp: true},
		}
		for i, advantage := range []float64{0.5, -0.75, -0.25, 0.5} {
			accuracy, format, tokens := []float64{1, 0, 0, 1}[i], []float64{0.5, 0, 1, 0.5}[i], []float64{20, 35, 10, 22}[i]
			if step < known {
				advantage, accuracy, format, tokens = 0, 0, 0, 20
			}
			chunk.Records = append(chunk.Records, model.Record{
				Step: int64(step), Prompt: 1, Reward: accuracy + format + tokens, Components: []float64{accuracy, format, tokens}, Advantage: advantage, Length: -1,
			})
		}
		source.chunks = append(source.chunks, chunk)
	}
	return source
}

// The numbers change to the reward that the log shows, which is said and can be taken back.
func TestRewardIsLearnedFromTheLog(t *testing.T) {
	t.Parallel()
	drive(t, runWithColumns(1, 0), 120, 36, model.DefaultSettings(), func(d *driver) {
		d.wantText("reward = accuracy + 0.5·format, found in the log (u undoes", "reward 0.750")
		if set := d.app.env.Settings.Now; set.Weights != "accuracy=1,format=0.5" || set.Framework != "trl" || set.Scale != "none" {
			t.Errorf("computed with %+v", set)
		}
		d.press("!")
		d.wantText("accuracy + 0.5·format (4/4 (100%) logged advantages prove it); not counted: tokens; --reward")
		d.press("esc", "u")
		d.wantText("reward 22.750", "sum of all 3 numeric columns")
		if text := d.app.env.Choice().Evidence(); text != "" {
			t.Errorf("with another reward nothing was compared, and it says %q", text)
		}
	})
}

// A log that shows its reward later is believed then, but not over what the person said.
func TestRewardIsLearnedLater(t *testing.T) {
	t.Parallel()
	drive(t, runWithColumns(9, 3), 120, 36, model.DefaultSettings(), func(d *driver) {
		if set := d.app.env.Settings.Now; set.Weights != "accuracy=1,format=0.5" {
			t.Errorf("computed with %+v", set)
		}
	})
	given, _ := model.DefaultSettings().Set("reward", "accuracy,tokens=0.1")
	driveWith(t, runWithColumns(9, 0), 120, 36, Options{Settings: given, Given: match.Given{Rewards: match.FromFlag}}, func(d *driver) {
		if r := d.app.env.Rewards(); d.app.env.Settings.Now.Weights != given.Weights || r.Origin != match.FromFlag {
			t.Errorf("computed with %+v, by %s", d.app.env.Settings.Now, r.Origin)
		}
	})
}

func TestRewardOfTheCommandLine(t *testing.T) {
	t.Parallel()
	drive(t, runWithColumns(1, 0), 120, 36, model.DefaultSettings(), func(d *driver) {
		run := func(text string) error {
			app, err := runReward(d.app, strings.Fields(text))
			if err == nil {
				d.app = app
				d.send(nil)
			}
			return err
		}
		for text, want := range map[string]string{"": "reward takes columns", "nothing": "the log has no reward column", "accuracy,nothing=2": "no reward column"} {
			if err := run(text); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v, want %s", text, err, want)
			}
		}
		for _, c := range []struct{ text, formula string }{{"tokens", "tokens"}, {"accuracy,tokens=0.5", "accuracy + 0.5·tokens"}, {"auto", "accuracy + 0.5·format"}} {
			if err := run(c.text); err != nil || d.app.env.Rewards().Formula != c.formula {
				t.Errorf("%q: %s, %v, want %s", c.text, d.app.env.Rewards(), err, c.formula)
			}
		}
	})
}

// A configuration that names other columns than the log has does not hide the log.
func TestConfigurationOfOtherColumns(t *testing.T) {
	t.Parallel()
	given, _ := model.DefaultSettings().Set("reward", "accuracy,unknown=0.1")
	driveWith(t, runWithColumns(1, 0), 120, 36, Options{Settings: given, Given: match.Given{Rewards: match.FromConfig}}, func(d *driver) {
		d.press("!")
		d.wantText("accuracy + 0.5·format", "which the log lacks")
	})
}

// The second run has its own columns.
func TestSecondRunHasItsOwnReward(t *testing.T) {
	t.Parallel()
	plain := &model.Chunk{Format: "verl", Files: []string{"made"}, Progress: model.Progress{CaughtUp: true}}
	for i := range 4 {
		plain.Records = append(plain.Records, model.Record{Prompt: 1, Reward: float64(i % 2), Advantage: math.NaN(), Length: -1})
	}
	o := Options{Settings: model.DefaultSettings(), Second: &madeSource{chunks: []*model.Chunk{plain}}, SecondTitle: "b"}
	driveWith(t, runWithColumns(1, 0), 120, 36, o, func(d *driver) {
		d.press("c")
		if r := d.app.views.compare.Job.Value.Result; d.app.views.compare.Job.Err != nil || r == nil || len(r.Pairs) != 1 {
			t.Errorf("compared %+v, %v", r, d.app.views.compare.Job.Err)
		}
	})
}

package tui

import (
	"strings"
	"testing"

	"vantage/model"
)

// repeatingRun is a run whose logged advantages are r − μ of four rows. A prompt comes twice in each
// step from the one given on. Its newest step is open.
func repeatingRun(steps, repeatsFrom int) *madeSource {
	source := &madeSource{}
	groups := [][]float64{{1, 0, 0, 0}, {1, 1, 1, 0}, {1, 1, 0, 0}}
	for step := range steps + 1 {
		chunk := &model.Chunk{Format: "trl", Framework: "trl", Positional: true, HasTruth: true, Files: []string{"made"}, Progress: model.Progress{CaughtUp: true, Open: true}}
		for g, rewards := range groups {
			prompt := uint64(g + 1)
			if step >= repeatsFrom && g == 1 {
				prompt = 1
			}
			mean := (rewards[0] + rewards[1] + rewards[2] + rewards[3]) / 4
			for _, r := range rewards {
				chunk.Records = append(chunk.Records, model.Record{Step: int64(step), Prompt: prompt, Reward: r, Advantage: r - mean, Length: -1})
			}
		}
		source.chunks = append(source.chunks, chunk)
	}
	return source
}

// Repeated prompts are divided as soon as the first step is complete, and undo does not merge them.
func TestGroupsAreTakenFromTheAdvantages(t *testing.T) {
	t.Parallel()
	drive(t, repeatingRun(1, 0), 120, 36, model.DefaultSettings(), func(d *driver) {
		d.wantText("groups changed: 4 consecutive rows of a prompt are a group, as the logged advantages prove", "signal 3/3", "✓ 12/12 as logged")
		d.press("p", "u", "u", "u")
		if a := d.app.env.Result.Analysis; a == nil || a.Groups != 3 || d.app.env.Settings.Now.Proved.Sizes[0] != 4 {
			t.Errorf("after undo: %+v", d.app.env.Settings.Now)
		}
		d.press("!")
		d.wantText("4 consecutive rows of a prompt are a group")
	})
}

// The first step in which a prompt comes twice changes the groups, although the next comparison would be
// at twice as many steps; a person's estimator stays.
func TestGroupsChangeWithTheFirstRepeatedPrompt(t *testing.T) {
	t.Parallel()
	source := repeatingRun(5, 5)
	source.chunks = append(source.chunks, repeatingRun(6, 5).chunks[6])
	drive(t, source, 120, 36, model.DefaultSettings(), func(d *driver) {
		if a := d.app.env.Result.Analysis; a == nil || a.Step != 6 || a.Groups != 3 { // which is as large as those before it
			t.Fatalf("%+v", a)
		}
		d.wantText("groups changed")
	})
}

// Advantages that nothing gives change no groups.
func TestNoGroupsWithoutProof(t *testing.T) {
	t.Parallel()
	source := repeatingRun(4, 0)
	for _, c := range source.chunks {
		for i := range c.Records {
			c.Records[i].Advantage = float64(i * i % 7)
		}
	}
	drive(t, source, 120, 36, model.DefaultSettings(), func(d *driver) {
		if a := d.app.env.Result.Analysis; a == nil || a.Last().Groups != 2 || strings.Contains(d.app.overlays.notice, "groups changed") {
			t.Errorf("%+v, notice %q", a, d.app.overlays.notice)
		}
	})
}

package tui

import (
	"math"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"vantage/model"
	"vantage/tui/view"
)

// j and k change the step of the whole screen, w and W go to steps of first warnings, and
// Enter goes to the groups of the step.
func TestStepsViewMovesTheStep(t *testing.T) {
	t.Parallel()
	drive(t, runWithNaNFromStep7(), 120, 36, filterSettings(), func(d *driver) {
		d.press("3", "enter")
		if d.app.position.view != view.Steps {
			t.Fatal("Enter in the steps does not open them")
		}
		d.press("k", "k", "[")
		if got := d.app.env.Result.Analysis.Step; got != 9 {
			t.Errorf("three steps back from 12: %d", got)
		}
		d.press("W")
		if got := d.app.env.Result.Analysis.Step; got != 7 || !strings.Contains(d.app.overlays.notice, "first at step 7: 1 of 8 samples has a NaN") {
			t.Errorf("the warning before step 9: step %d, %q", got, d.app.overlays.notice)
		}
		d.wantText("7  invalid rewards")
		d.press("w", "w")
		if got := d.app.env.Result.Analysis.Step; got != 7 {
			t.Errorf("the only two steps with something new are 1 and 7; twice on from 7 is step %d", got)
		}
		d.press("enter")
		if text := ansi.Strip(d.frame()); !strings.Contains(text, "steps 1-7 ") || d.app.position.view != view.Overview {
			t.Error("the overview is not at that step")
		}
	})
}

// runWithNaNFromStep7 returns a run of 12 steps with two groups of four. From step 7 on a
// reward is NaN.
func runWithNaNFromStep7() *madeSource {
	source := &madeSource{}
	for step := range 12 {
		chunk := &model.Chunk{Format: "made", Files: []string{"made.jsonl"}, HasTruth: true, Progress: model.Progress{Files: 1, CaughtUp: true}}
		for i := range 8 {
			reward := float64(i % 2)
			if step >= 6 && i == 0 {
				reward = math.NaN()
			}
			chunk.Records = append(chunk.Records, model.Record{Step: int64(step + 1), Prompt: uint64(i/4 + 1), Preview: "q", Reward: reward, Advantage: math.NaN(), Length: 10})
		}
		source.chunks = append(source.chunks, chunk)
	}
	return source
}

// The trend comes in parts, the newest steps first, and says how far it is; a part under
// earlier settings is dropped.
func TestStepsComeInParts(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(30), 120, 36, filterSettings(), func(d *driver) {
		d.press("3", "3")
		computeHalfTheTrend(d)
		d.wantText("11/30 steps")
		if d.press(":", "e", "x", "p", "o", "r", "t", " ", "m", "d", "enter"); !strings.Contains(d.frame(), "11/30 steps") {
			t.Error("half a run is exported as if it were all of it")
		}
		d.press("esc", "esc", "3", "3")
		a := d.app.startTrend(192)
		late := a.commands.Started[0]()
		d.app = a.withoutCommands()
		d.press("p")
		want := d.app.env.Result.Trend
		if d.send(late); d.app.env.Result.Trend != want || !want.Complete() || want.Settings != d.app.env.Settings.Now {
			t.Error("a part under the settings of before is on the screen")
		}
	})
}

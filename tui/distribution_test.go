package tui

import (
	"math"
	"strings"
	"testing"

	"vantage/model"
	"vantage/tui/overview"
)

// Continuous rewards show no solve rate but the reason, until :solved says what is solved; u takes it back.
func TestContinuousRewardsShowNoSolveRate(t *testing.T) {
	t.Parallel()
	chunk := &model.Chunk{Format: "made", Files: []string{"made.jsonl"}, LengthUnit: model.LengthTokens, Progress: model.Progress{Files: 1, CaughtUp: true}}
	for i := range 192 {
		chunk.Records = append(chunk.Records, model.Record{Step: 1, Prompt: uint64(i/8 + 1), Reward: math.Sqrt(float64(i)), Advantage: math.NaN(), Length: 9})
	}
	drive(t, &madeSource{chunks: []*model.Chunk{chunk}}, 120, 36, filterSettings(), func(d *driver) {
		d.wantText("pass@1 solved at which reward?")
		d.press(":")
		d.typeText("solved 10")
		d.press("enter")
		if text := d.frame(); strings.Contains(text, "none: continuous") || d.app.env.Result.Analysis.Metric("pass@1") != 92.0/192 {
			t.Errorf("pass@1 is %v in\n%s", d.app.env.Result.Analysis.Metric("pass@1"), text)
		}
		d.press("u")
		d.wantText("pass@1 solved at which reward?")
	})
}

// Each figure is drawn, and the counts of a bin are shown.
func TestDistributionShowsEachFigure(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(3), 120, 36, filterSettings(), func(d *driver) {
		d.press("v")
		d.wantText("2 rewards  all over kept")
		d.press("l")
		d.wantText(" above, ")
		for range overview.Distributions(d.app.env) {
			d.press("v", "#")
			d.frame()
		}
	})
}

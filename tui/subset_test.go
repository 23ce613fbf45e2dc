package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"vantage/model"
	"vantage/model/analysis"
	"vantage/tui/env"
	"vantage/tui/job"
)

// Metrics and distribution are of the groups that the filter shows, and say so; so is the
// baseline.
func TestFiguresFollowTheFilter(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(3), 200, 60, filterSettings(), func(d *driver) {
		x := d.app.env.Result.Analysis
		whole, samples := x.Metric("critic/score/mean"), 0
		d.press("/")
		d.typeText("fate:wrong") // all rewards are 0, while it is still typed
		for _, g := range d.app.env.Result.Rows {
			samples += x.Table[g].Size()
		}
		mark := fmt.Sprintf("[%d/%d]", len(d.app.env.Result.Rows), x.Groups)
		d.wantText(
			"groups  "+mark+" · fate:wrong", "advantages "+mark, "step 3 · "+mark+" groups shown",
			fmt.Sprintf("samples %6d", samples), "frac_reward_zero_std",
		)
		if got := d.app.env.ShownFigures(); got.Metric("critic/score/mean") != 0 || got.Rows != samples || whole == 0 {
			t.Errorf("mean reward %v of %d samples, want 0 of %d", got.Metric("critic/score/mean"), got.Rows, samples)
		}
		d.press("enter", "b", "r")
		if d.app.env.BaselineFigures().Rows != samples {
			t.Error("the baseline is of other groups")
		}
		d.press("[")
		if got := d.app.env.ShownFigures(); got.Step != 2 || got.Fates[model.FateAllWrong] != got.Groups {
			t.Errorf("at the step before: %+v", got)
		}
		d.press("u", "u", "u")
		if d.app.env.Settings.Filter != "" || d.app.env.ShownFigures() != &d.app.env.Result.Analysis.StepFigures || strings.Contains(ansi.Strip(d.frame()), "groups shown") {
			t.Error("undo does not bring back the figures of all groups")
		}
	})
}

// A late answer about other groups is not shown.
func TestLateFiguresAreDropped(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(1), 120, 36, filterSettings(), func(d *driver) {
		d.press("/")
		d.typeText("fate:wrong")
		late := job.Answer[env.SubsetKey, env.Subset]{Number: d.app.env.Subset.Number, Value: env.Subset{Figures: analysis.StepFigures{Rows: 12345}}}
		d.press("backspace")
		d.send(late)
		if s := d.app.env.ShownFigures(); s != nil && s.Rows == 12345 {
			t.Error("a late answer is shown")
		}
	})
}

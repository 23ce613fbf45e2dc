package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// With a baseline every figure has its difference, B swaps the two, and undo takes both back.
func TestBaselineShowsDifferences(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(3), 120, 36, filterSettings(), func(d *driver) {
		was := d.app.result.analysis
		d.press("b", "m", "m", "m")
		now := d.app.result.analysis
		if d.app.baselineAnalysis() == nil || d.app.result.base.Kept != was.Kept || now.Kept == was.Kept {
			t.Fatalf("kept %d, baseline %v", now.Kept, d.app.result.base)
		}
		want := fmt.Sprintf("kept %d/%d (%.0f%%) Δ−%d", now.Kept, now.Rows, 100*float64(now.Kept)/float64(now.Rows), was.Kept-now.Kept)
		if text := ansi.Strip(d.frame()); !strings.Contains(text, want) || !strings.Contains(text, "A baseline") {
			t.Errorf("%q is not on the screen\n%s", want, text)
		}
		d.press("B")
		if d.app.settings.now != filterSettings() || d.app.settings.base.settings.KeepNeg != 0.35 {
			t.Errorf("swapped: %+v against %+v", d.app.settings.now, d.app.settings.base.settings)
		}
		d.press("u", "u", "u", "u")
		if !d.app.settings.base.on || d.app.settings.now != filterSettings() {
			t.Errorf("three changes undone: %+v", d.app.settings)
		}
		d.press("b")
		if d.app.settings.base.on {
			t.Error("b on the baseline's settings does not take it away")
		}
		d.press("B")
		if !strings.Contains(d.app.notice, "no baseline") {
			t.Errorf("%q", d.app.notice)
		}
	})
}

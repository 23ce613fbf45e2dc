package tui

import (
	"fmt"
	"strings"
	"testing"

	"vantage/themes"
)

// The cell under the cursor becomes the settings, and undo takes it back.
func TestSweepApplies(t *testing.T) {
	play(t, madeRun(3), 120, 36, filtered(), func(d *door) {
		d.press("S", "k", "l", "l", "enter")
		if got := d.app.set.now; got.KeepPos != 0.75 || got.KeepNeg != 0.6 {
			t.Errorf("keep %v and %v, want 0.75 and 0.6", got.KeepPos, got.KeepNeg)
		}
		kept := fmt.Sprintf("kept %d/", d.app.result.analysis.Kept)
		d.press("S")
		if frame := d.frame(); !strings.Contains(frame, "keep_pos 0.75  keep_neg 0.60") || !strings.Contains(strings.ReplaceAll(frame, d.app.look.theme.Paint(themes.Dim, "kept "), "kept "), kept) {
			t.Errorf("the map does not say what the overview says: %s\n%s", kept, frame)
		}
		d.press("esc", "u")
		if got := d.app.set.now; got != filtered() {
			t.Errorf("undo leaves %+v", got)
		}
	})
}

func TestSweepNeedsAFilter(t *testing.T) {
	set := filtered().WithEstimator("rloo")
	set.KeepPos, set.KeepNeg, set.Recompute = 1, 1, false
	play(t, madeRun(3), 120, 36, set, func(d *door) {
		d.press("S")
		if !strings.Contains(d.app.notice, "GRPO family") || d.app.place.view != viewOverview {
			t.Errorf("view %d, notice %q", d.app.place.view, d.app.notice)
		}
	})
}

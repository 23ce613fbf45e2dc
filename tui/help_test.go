package tui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// ? shows the keys, then the estimator at work, then closes the help.
func TestThirdQuestionMarkClosesTheHelp(t *testing.T) {
	drive(t, madeRun(3), 120, 36, filterSettings(), func(d *driver) {
		d.press("?")
		d.wantText("type to look for a key")
		d.press("?")
		d.wantText("easyr1 grpo", "any key closes this page")
		d.press("?")
		if d.app.helpOpen || d.app.helpOnEstimator {
			t.Error("the third ? does not close the help")
		}
	})
}

// The help narrows while one types, scrolls, and closes without another effect.
func TestHelpIsSearched(t *testing.T) {
	drive(t, madeRun(3), 80, 24, filterSettings(), func(d *driver) {
		before := d.app.settings
		d.press("?")
		whole := d.frame()
		d.press("down", "down")
		if d.frame() == whole {
			t.Error("the help does not scroll")
		}
		d.typeText("keep_neg")
		if text := ansi.Strip(d.frame()); !strings.Contains(text, "keep_neg_ratio down by 0.05") || strings.Contains(text, "keep_pos_ratio down") {
			t.Error(text)
		}
		d.press("esc")
		if d.app.helpOpen || d.app.settings.now != before.now {
			t.Error("the keys did something else")
		}
	})
}

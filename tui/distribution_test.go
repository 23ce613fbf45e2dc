package tui

import (
	"testing"
)

// Each figure is drawn, and the counts of a bin are shown.
func TestDistributionShowsEachFigure(t *testing.T) {
	drive(t, madeRun(3), 120, 36, filterSettings(), func(d *driver) {
		d.press("v")
		d.wantText("2 rewards  all over kept")
		d.press("l")
		d.wantText(" above, ")
		for range d.app.distributions() {
			d.press("v", "L")
			d.frame()
		}
	})
}

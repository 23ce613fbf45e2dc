package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"vantage/model"
	"vantage/tui/cells"
)

// How many samples train stands in the step line at every width from 40 columns, in a small step and in
// the largest: how many are kept would be taken for it.
func TestStepLineAlwaysHasNonzeroAdvantages(t *testing.T) {
	for _, ascii := range []bool{false, true} {
		name := map[bool]string{false: "A≠0 ", true: "A!=0 "}[ascii]
		driveWith(t, madeRun(3), 120, 36, Options{Settings: filterSettings(), ASCII: ascii}, func(d *driver) {
			d.press("b", "m", "m")
			for w := 40; w <= 220; w++ {
				checkStepLine(t, d.app, w, fmt.Sprintf("%s%d/192", name, d.app.result.analysis.Nonzero))
			}
			large := *d.app.result.analysis
			large.Step, large.Rows, large.Nonzero, large.Kept = 100_000, 131_072, 131_000, 131_072
			large.Fates[model.FateKilled], large.Fates[model.FateShort], large.Fates[model.FateNoise] = 4000, 3000, 2000
			d.app.result.analysis = &large
			for w := 40; w <= 220; w++ {
				checkStepLine(t, d.app, w, name+"131k/131k (99%)")
			}
		})
	}
}

func checkStepLine(t *testing.T, a App, w int, want string) {
	t.Helper()
	line := ansi.Strip(a.stepLine(w))
	if !strings.Contains(line+" ", want+" ") || strings.Contains(line, "…") || cells.Width(line) != w {
		t.Errorf("%d columns: %q, want %q", w, line, want)
	}
	if strings.Contains(line, "kept") != strings.Contains(line, "kept ") {
		t.Errorf("%d columns: %q is cut", w, line)
	}
}

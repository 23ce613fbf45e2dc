package tui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// Every line of what a stage means can be read on a small screen.
func TestChainTextScrolls(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{60, 16}, {80, 24}, {120, 36}} {
		drive(t, madeRun(3), size[0], size[1], filterSettings(), func(d *driver) {
			d.press("C", "j", "j", "right")
			_, lines := d.app.stagePane(size[0], size[1]-4)
			seen := ""
			for range lines {
				seen += ansi.Strip(d.frame())
				d.press("ctrl+d")
			}
			for _, line := range lines {
				if !strings.Contains(seen, strings.TrimSpace(ansi.Strip(line))) {
					t.Errorf("%v: %q is never on the screen", size, line)
				}
			}
			bottom := d.app.chain.line
			if d.press("ctrl+u"); bottom > 0 && d.app.chain.line >= bottom {
				t.Error("^U does not go up")
			}
			if d.press("j"); d.app.chain.line != 0 {
				t.Error("another stage does not begin at its first line")
			}
		})
	}
}

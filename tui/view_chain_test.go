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
			_, lines := d.app.views.chain.Pane(d.app.env, size[0], size[1]-4)
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
			bottom := d.app.views.chain.Line
			if d.press("ctrl+u"); bottom > 0 && d.app.views.chain.Line >= bottom {
				t.Error("^U does not go up")
			}
			if d.press("j"); d.app.views.chain.Line != 0 {
				t.Error("another stage does not begin at its first line")
			}
		})
	}
}

// Each stage says what there is before and after it, and that nothing is filtered where nothing is.
func TestChainSaysBeforeAndAfter(t *testing.T) {
	drive(t, madeRun(3), 120, 36, filterSettings(), func(d *driver) {
		d.press("C", "j", "j", "j")
		d.wantText("groups admitted     no filter", "kept 136/192", "samples 192 → 136", "advantage before    192", "advantage after     136")
		d.press("-")
		d.wantText("samples kept        no filter")
		if strings.Contains(d.frame(), "advantage after") {
			t.Error("what does not differ is drawn twice")
		}
	})
}

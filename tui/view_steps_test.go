package tui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"vantage/themes"
	"vantage/tui/chart"
)

func TestStepsFrames(t *testing.T) {
	for _, size := range [][2]int{{60, 16}, {80, 24}, {120, 36}, {200, 60}} {
		for _, mode := range []string{"colour", "mono", "ascii"} {
			play(t, madeRun(30), size[0], size[1], filtered(), func(d *door) {
				if mode != "colour" {
					d.app.look.theme = themes.Mono()
				}
				if mode == "ascii" {
					d.app.look.glyphs = chart.ASCII()
				}
				d.press("3", "3", "k", "k", "a")
				matchFrame(t, fmt.Sprintf("steps-%dx%d-%s", size[0], size[1], mode), d.frame())
				d.press("!")
				matchFrame(t, fmt.Sprintf("problems-%dx%d-%s", size[0], size[1], mode), d.frame())
			})
		}
	}
}

// Scrubbing moves the step that everything shows; w goes to where a warning appears
// first, and the figure is that of the step.
func TestAllSteps(t *testing.T) {
	play(t, madeRun(30), 120, 36, filtered(), func(d *door) {
		d.press("3", "enter")
		if d.app.place.view != viewSteps {
			t.Fatal("Enter in the steps does not open them")
		}
		d.press("k", "k")
		if got := d.app.result.analysis.Step; got != 28 {
			t.Errorf("two steps back from 30: %d", got)
		}
		d.press("w")
		first := d.app.result.analysis.Step
		if len(d.app.result.analysis.Warnings) == 0 || !strings.Contains(d.app.notice, fmt.Sprintf("first at step %d", first)) {
			t.Errorf("step %d, %q", first, d.app.notice)
		}
		for i := range d.app.result.trend.Steps {
			s := &d.app.result.trend.Steps[i]
			for _, w := range s.Warnings {
				if s.Step < first && strings.HasPrefix(d.app.notice, string(w.Kind)) {
					t.Errorf("%s is at step %d already", w.Kind, s.Step)
				}
			}
		}
		d.press("esc")
		if text := ansi.Strip(d.frame()); !strings.Contains(text, fmt.Sprintf("step %d", first)) || d.app.place.view != viewOverview {
			t.Error("the overview is not at that step")
		}
	})
}

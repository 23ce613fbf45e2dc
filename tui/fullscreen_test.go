package tui

import (
	"slices"
	"strings"
	"testing"

	"vantage/tui/layout"
	"vantage/tui/overview"
	"vantage/tui/view"
)

// Each pane goes to the whole screen by its number pressed twice, or by z, and back by either or by Esc;
// the hints say so. The whole screen of the steps is the view of all steps.
func TestFullScreen(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(3), 80, 24, filterSettings(), func(d *driver) {
		shown := func() int { return strings.Count(d.frame(), "╭") }
		all := shown()
		for p, number := range []string{"1", "2", "3", "4", "5"} {
			pane := layout.Pane(p)
			for _, open := range [][]string{{number, number}, {number, "z"}} {
				for _, back := range []string{number, "z", "esc"} {
					if pane == layout.Steps && back == "z" {
						continue // it enlarges the chart of the steps
					}
					other := "5"
					if number == other {
						other = "4"
					}
					d.press(slices.Concat([]string{other}, open)...)
					if pane == layout.Steps {
						if d.app.position.view != view.Steps {
							t.Fatalf("%q: not all steps", open)
						}
						d.press(back)
					} else {
						d.wantText("z Esc " + number + " all-panes")
						if r := d.app.views.panes.Screen(d.app.env).Panes[p]; r != (layout.Rect{Y: 3, W: 80, H: 20}) || shown() != 1 {
							t.Errorf("%q: %+v of %d panes", open, r, shown())
						}
						d.press(back)
					}
					if d.app.position.view != view.Overview || d.app.views.panes.FullScreen || d.app.views.panes.Focus != pane {
						t.Errorf("%q, then %s: %+v", open, back, d.app.position)
					}
				}
			}
		}
		if d.press("1"); shown() != all {
			t.Errorf("%d panes, %d at first", shown(), all)
		}
	})
}

// What leads to another pane leads to all of them.
func TestLeavingFullScreen(t *testing.T) {
	t.Parallel()
	for _, keys := range [][]string{{"1", "1", "tab"}, {"2", "2", "1"}, {"1", "1", "w"}, {"5", "z", "/"}, {"1", "1", "v"}} {
		drive(t, madeRun(3), 120, 36, filterSettings(), func(d *driver) {
			if d.press(slices.Concat([]string{"4"}, keys)...); d.app.views.panes.FullScreen {
				t.Errorf("%q leaves the pane on the whole screen", keys)
			}
		})
	}
	drive(t, madeRun(3), 120, 36, filterSettings(), func(d *driver) {
		if d.press("z", "enter", "J", "esc"); !d.app.views.panes.FullScreen || d.app.env.Place.Row != 1 {
			t.Error("an opened group does not lead back to the whole screen")
		}
	})
}

// On the whole screen the groups have their length, the reason of their fate and the components, the
// metrics are all in sight, and warnings have all their text.
func TestFullScreenSaysMore(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(3), 120, 36, filterSettings(), func(d *driver) {
		d.press("z")
		d.wantText("tokens", "why", "1 of 8 rewards are NaN")
		d.press("5", "5")
		x := d.app.env.Result.Analysis
		for _, m := range x.Metrics {
			d.wantText(m.Name[strings.LastIndex(m.Name, "/")+1:])
		}
		in := d.app.views.panes.Screen(d.app.env).Panes[layout.Metrics].Inner()
		if _, hidden := overview.MetricLayout(d.app.env, len(x.Metrics), in.W, in.H); hidden != 0 {
			t.Errorf("%d rows are hidden", hidden)
		}
		d.press("4", "4")
		for _, w := range x.Warnings {
			d.wantText(strings.Fields(w.Advice)[0])
		}
	})
}

package tui

import (
	"testing"

	"vantage/tui/chart"
)

// Of the steps 1 to 30, which are 29 apart, x shows half around step 21: 14.5 is rounded to 15, from 21 − 7.5 = 13.5, which is rounded to
// 14. The next half is 8, from 21 − 4. X shows twice as many at a time up to all.
func TestZoomOfSteps(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(30), 120, 36, filterSettings(), func(d *driver) {
		d.press("3", "3", "{", "]")
		if d.app.env.Place.Step != 21 {
			t.Fatalf("step %d", d.app.env.Place.Step)
		}
		want := func(what string, lo, hi float64) {
			t.Helper()
			if got := d.app.views.steps.WindowAxis(d.app.env); got != (chart.Axis{Lo: lo, Hi: hi}) {
				t.Errorf("%s: %v, want %v to %v", what, got, lo, hi)
			}
		}
		want("all", 1, 30)
		d.press("x")
		want("half", 14, 29)
		d.wantText("steps 14–29 of 1–30")
		d.press("x")
		want("a quarter", 17, 25)
		d.press("h")
		want("half a window earlier", 13, 21)
		d.press("l", "l", "l", "l", "l")
		want("up to the end", 22, 30)
		d.press("k")
		want("back to the step on the screen", 20, 28)
		d.press("X", "X", "X")
		want("all again", 1, 30)
		d.typeText(":range 5 9")
		d.press("enter")
		want("a range", 5, 9)
		d.press("x")
		want("the least", 5, 9)
		d.typeText(":range last 10")
		d.press("enter")
		want("the last", 21, 30)
		for _, wrong := range []string{"range 9 5", "range 31 40", "range last", "range last x", "range"} {
			d.typeText(":" + wrong)
			d.press("enter")
			d.wantText("range takes two steps (100 200)")
			d.press("esc")
			want(wrong, 21, 30)
		}
		d.typeText(":range all")
		d.press("enter")
		want("all by name", 1, 30)
		d.press(".")
		d.wantText("all steps are shown: x shows fewer")
	})
}

// A window moves with the step that is moved to.
func TestWindowFollowsTheStep(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(30), 120, 36, filterSettings(), func(d *driver) {
		d.typeText(":range 11 20")
		d.press("enter", "g")
		if got := d.app.views.steps.WindowAxis(d.app.env); d.app.env.Place.Step != 1 || got != (chart.Axis{Lo: 1, Hi: 10}) {
			t.Errorf("at step %d: %v", d.app.env.Place.Step, got)
		}
	})
}

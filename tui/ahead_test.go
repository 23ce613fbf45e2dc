package tui

import (
	"context"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
)

// While the screen rests the next keys are computed: each then shows what it shows without.
func TestAhead(t *testing.T) {
	for _, keys := range [][]string{{"f"}, {"e"}, {"s"}, {"r"}, {"f", "f", "r", "u"}, {"e", "p", "r", "s"}} {
		var frames [2]string
		for i, from := range []int{1 << 30, 0} {
			drive(t, madeRun(3), 120, 36, filterSettings(), func(d *driver) {
				d.app.ahead.from = from
				d.press("p")
				for _, key := range keys {
					if known := d.app.result.ahead; (known != nil) != (from == 0) {
						t.Fatalf("before %s of %v: computed ahead %v", key, keys, known != nil)
					}
					d.press(key)
				}
				frames[i] = d.frame()
			})
		}
		if frames[0] != frames[1] {
			t.Errorf("%v shows\n%s\nwithout work ahead\n%s", keys, frames[1], frames[0])
		}
	}
}

// What is asked for meanwhile ends the work, and what comes late is dropped.
func TestAheadIsDropped(t *testing.T) {
	drive(t, madeRun(3), 120, 36, filterSettings(), func(d *driver) {
		d.app.ahead = ahead{rest: time.Hour}
		d.holds = true
		d.press("p")
		if len(d.waits) != 1 {
			t.Fatalf("%d pauses", len(d.waits))
		}
		next, work := d.app.Update(d.waits[0])
		d.app = next.(App)
		d.press("p")
		if msg := work(); msg != nil {
			t.Errorf("a key was pressed, yet there is %T", msg)
		}
		d.send(aheadMsg{revision: d.app.work.revision - 1})
		if d.rest(); d.app.result.ahead == nil {
			t.Error("the last key is not followed by work ahead")
		}
		if _, cmd := d.app.Update(tea.KeyPressMsg{Code: 'j', Text: "j"}); cmd != nil && cmd() != nil {
			t.Error("moving the cursor computes")
		}
	})
}

// While a log grows all the time nothing is computed ahead; once it rests what is asked for is.
func TestNothingAheadOfAFastLog(t *testing.T) {
	drive(t, madeRun(3), 120, 36, filterSettings(), func(d *driver) {
		d.app.ahead.from = 0
		d.app.work.throttled = true // a refresh from data was a moment ago
		if d.press("p"); d.app.result.ahead != nil {
			t.Error("computed ahead between two refreshes")
		}
		if d.send(throttleEndedMsg{}); d.app.result.ahead == nil {
			t.Error("nothing came, yet nothing is computed ahead")
		}
	})
}

// A step of usual size is left alone.
func TestNothingAhead(t *testing.T) {
	d := &driver{t: t, app: New(context.Background(), madeRun(3), Options{Title: "made", Settings: filterSettings()}), holds: true}
	d.send(tea.WindowSizeMsg{Width: 120, Height: 36})
	d.run(d.app.Init())
	if d.press("f"); len(d.waits) > 0 || d.app.result.ahead != nil {
		t.Error("a small step is computed ahead")
	}
}

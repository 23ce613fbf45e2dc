package tui

import (
	"context"
	"testing"
	"testing/synctest"

	tea "charm.land/bubbletea/v2"
)

// driveTwoRuns starts App on two made runs; the second has the rewards 1 − r.
func driveTwoRuns(t *testing.T, w, h int, f func(*driver)) {
	t.Helper()
	other := madeRun(2)
	for _, chunk := range other.chunks {
		for i := range chunk.Records {
			chunk.Records[i].Reward = 1 - chunk.Records[i].Reward
		}
	}
	synctest.Test(t, func(t *testing.T) {
		d := &driver{t: t, app: New(context.Background(), madeRun(2), Options{
			Title: "base", Second: other, SecondTitle: "new", Settings: filterSettings(), NoColor: true,
		})}
		d.send(tea.WindowSizeMsg{Width: w, Height: h})
		d.run(d.app.Init())
		f(d)
	})
}

// With the rewards 1 − r the best prompt of one run is the worst of the other.
func TestCompareViewPairsPrompts(t *testing.T) {
	driveTwoRuns(t, 120, 36, func(d *driver) {
		d.press("c")
		r := d.app.second.result
		if r == nil || len(r.Pairs) == 0 || r.OnlyA+r.OnlyB != 0 {
			t.Fatalf("%+v", r)
		}
		for _, p := range r.Pairs {
			if sum := p.A + p.B; sum < 1-1e-9 || sum > 1+1e-9 {
				t.Errorf("%v and %v", p.A, p.B)
			}
		}
		d.wantText("A base   B new", "wins", "worst for B first")
		d.press("o")
		d.wantText("best for B first")
		d.press("esc")
		if d.app.position.view != viewOverview {
			t.Error("Esc does not leave")
		}
	})
	drive(t, madeRun(2), 120, 36, filterSettings(), func(d *driver) {
		d.press("c")
		d.wantText("one run is open")
	})
}

package tui

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"vantage/model"
	"vantage/tui/env"
)

func TestSortingKeepsTheCursorOnItsGroup(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(3), 120, 36, filterSettings(), func(d *driver) {
		d.press("j", "j")
		here := d.app.env.SelectedGroup().Name
		for _, s := range env.Sortings()[1 : len(env.Sortings())-1] { // all but the step, which all groups share
			d.press("o")
			x := d.app.env.Result.Analysis
			if !slices.IsSortedFunc(d.app.env.Result.Rows, func(g, h int) int { return s.Compare(&x.Table[g], &x.Table[h]) }) {
				t.Errorf("not %s", s.Words)
			}
			if d.app.env.SelectedGroup().Name != here {
				t.Errorf("%s: the cursor has left its group", s.Words)
			}
		}
		d.press("o", "o", "O")
		d.wantText("prompt▼", "by prompt, reversed")
	})
}

// Undo brings the order back like the filter, and the cursor stays on its group.
func TestUndoOrder(t *testing.T) {
	t.Parallel()
	drive(t, madeRun(3), 120, 36, filterSettings(), func(d *driver) {
		d.press("j", "j")
		group, rows := d.app.env.SelectedGroup().Name, slices.Clone(d.app.env.Result.Rows)
		d.press("o", "O", "p")
		if text := ansi.Strip(d.frame()); !strings.Contains(text, "by prompt, reversed") || slices.Equal(rows, d.app.env.Result.Rows) {
			t.Errorf("the order is not another:\n%s", text)
		}
		d.press("u", "u")
		if text := ansi.Strip(d.frame()); !strings.Contains(text, "by prompt") || strings.Contains(text, "reversed") {
			t.Errorf("the first undo of the order leaves\n%s", text)
		}
		d.press("u")
		if text := ansi.Strip(d.frame()); !strings.Contains(text, "worst first") || !slices.Equal(rows, d.app.env.Result.Rows) || d.app.env.SelectedGroup().Name != group {
			t.Errorf("the last undo leaves\n%s", text)
		}
		d.press("ctrl+r")
		d.wantText("by prompt")
	})
}

// Long numbers are shortened, never cut.
func TestLargeFigures(t *testing.T) {
	t.Parallel()
	var records []model.Record
	for i := range 5000 {
		records = append(records, model.Record{Step: 1, Group: "many", Reward: float64(i%1000) - 54_000, Advantage: math.NaN(), Length: -1})
	}
	for i := range 8 {
		records = append(records, model.Record{Step: 1, Group: "huge", Reward: 3.4e38 / float64(1+i), Advantage: math.NaN(), Length: -1})
	}
	source := &madeSource{chunks: []*model.Chunk{{Format: "jsonl", Records: records, Progress: model.Progress{CaughtUp: true}}}}
	drive(t, source, 80, 24, model.DefaultSettings(), func(d *driver) {
		d.wantText("-54k±289", " 5000 ")
		if frame := ansi.Strip(d.frame()); regexp.MustCompile(`\d…`).MatchString(frame) {
			t.Errorf("a number is cut:\n%s", frame)
		}
		d.press("enter")
		if frame := ansi.Strip(d.frame()); regexp.MustCompile(`\d…|\d{12}`).MatchString(frame) {
			t.Errorf("a number is cut, or too long:\n%s", frame)
		}
	})
}

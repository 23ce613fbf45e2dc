package tui

import (
	"fmt"
	"testing"

	"vantage/model"
)

// If no sample could be read, a key shows the reasons before there is an analysis.
func TestProblemsBeforeAnySample(t *testing.T) {
	t.Parallel()
	reason := model.Problem{File: "a.jsonl", Line: 7, Reason: "column 1: the line is no object"}
	drive(t, progressOnly(model.Progress{Files: 1, CaughtUp: true}, reason), 80, 24, filterSettings(), func(d *driver) {
		d.press("!")
		d.wantText("a.jsonl:7: column 1: the line is no object", "what to do")
	})
}

// Many problems are counted by reason and listed one by one; scrolling ends at the last, and
// one up from there scrolls.
func TestProblemsAreCounted(t *testing.T) {
	t.Parallel()
	var all []model.Problem
	for i := range 40 {
		all = append(all, model.Problem{File: "a.jsonl", Line: int64(i + 1), Reason: fmt.Sprintf("column %d: %q stands where an object should be", i, fmt.Sprint(i))})
	}
	all = append(all, model.Problem{File: "b.jsonl", Reason: "cannot be opened"})
	drive(t, progressOnly(model.Progress{Files: 2, CaughtUp: true}, all...), 100, 30, filterSettings(), func(d *driver) {
		d.press("!")
		d.wantText("41 places could not be read", `40 ×  "…" stands where an object should be, first at a.jsonl:1`, "1 ×  cannot be opened, first at b.jsonl")
		d.press("G")
		d.wantText("b.jsonl: cannot be opened")
		end := d.frame()
		if d.press("j", "j"); d.frame() != end {
			t.Error("it scrolls beyond the end")
		}
		if d.press("k"); d.frame() == end {
			t.Error("one up from the end shows nothing else")
		}
	})
}

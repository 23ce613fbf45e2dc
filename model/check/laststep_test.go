package check

import (
	"math"
	"strings"
	"testing"
	"time"

	"vantage/model"
)

// written is when the log of the tests was written last.
var written = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// logWith returns a log whose steps have so many rows.
func logWith(rows ...int) model.Snapshot {
	c := &model.Chunk{Format: "made", Progress: model.Progress{CaughtUp: true, LastWrite: written}}
	for step, n := range rows {
		for i := range n {
			c.Records = append(c.Records, model.Record{Step: int64(step + 1), Prompt: 1, Reward: float64(i % 2), Advantage: math.NaN(), Length: -1})
		}
	}
	store := model.NewStore()
	store.Append(c)
	return store.Snapshot()
}

// A last step with fewer rows than each before it counts once nothing was written for a while.
func TestCompleteSteps(t *testing.T) {
	for name, c := range map[string]struct {
		rows  []int
		quiet time.Duration
		ended bool
		steps int
		note  string
	}{
		"as many rows":            {[]int{256, 256}, 0, false, 2, ""},
		"steps that vary":         {[]int{200, 256, 230}, 0, false, 2 + 1, ""},
		"the first step":          {[]int{4}, 0, false, 1, ""},
		"no step":                 {nil, 0, false, 0, ""},
		"short and just written":  {[]int{256, 256, 4}, time.Minute, false, 2, "step 3 has 4 rows, those before it 256 or more: not judged"},
		"short and quiet":         {[]int{256, 256, 4}, time.Hour, false, 3, "step 3 has 4 rows, those before it 256 or more: judged anyway, because nothing was written after"},
		"short in a log that end": {[]int{256, 4}, 0, true, 2, "step 2 has 4 rows, those before it 256 or more: judged anyway, because the log has ended"},
	} {
		got, note := CompleteSteps(logWith(c.rows...), written.Add(c.quiet), c.ended)
		if len(got.Steps) != c.steps || !strings.HasPrefix(note, c.note) || (note == "") != (c.note == "") {
			t.Errorf("%s: %d steps, %q; want %d, %q", name, len(got.Steps), note, c.steps, c.note)
		}
	}
}

// A file that could not be read as a whole is noted; a bad row is not, since a rule counts it.
func TestUnreadFiles(t *testing.T) {
	snap := logWith(4)
	snap.Run.Problems = []model.Problem{{File: "a.jsonl", Line: 3, Reason: "torn"}}
	if note := UnreadFiles(snap); note != "" {
		t.Error(note)
	}
	snap.Run.Problems = append(snap.Run.Problems, model.Problem{File: "b.parquet", Reason: "it ends early"})
	if note, want := UnreadFiles(snap), "1 file not or not wholly read, of unknown rows: no rule counts them; first b.parquet: it ends early"; note != want {
		t.Errorf("%q, want %q", note, want)
	}
}

// A log whose rows are torn fails by its share of them, and the monitor tells when that begins and ends.
func TestUnreadableRows(t *testing.T) {
	r, err := Parse("unreadable>1%")
	if err != nil {
		t.Fatal(err)
	}
	m := NewMonitor([]Rule{r})
	for _, c := range []struct {
		log         Log
		passes      bool
		value       string
		transitions int
	}{
		{Log{Rows: 256}, true, "0/256 (0%)", 0},
		{Log{Rows: 256, Unreadable: 128, Advice: "first a.jsonl:2"}, false, "128/256 (50%)", 1},
		{Log{Rows: 256, Unreadable: 129}, false, "129/256 (50%)", 0},
		{Log{Rows: 1000, Unreadable: 10}, true, "10/1000 (1%)", 1},
	} {
		e := NewEvaluator([]Rule{r})
		e.AddLog(c.log)
		f := e.Findings[0]
		if f.Passed() != c.passes || !f.Evaluated() || f.Whole != c.value || f.Advice != c.log.Advice {
			t.Errorf("%+v: %+v", c.log, f)
		}
		if got := m.AddLog(c.log, 3); len(got) != c.transitions || m.Failing() == c.passes {
			t.Errorf("%+v: %v", c.log, got)
		}
	}
}

// The last step of a log that is read once is open while a short one may still be written.
func TestLastIsOpen(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rows   []int
		quiet  time.Duration
		stream bool
		want   bool
	}{
		{[]int{4, 4, 2}, time.Minute, false, true},
		{[]int{4, 4, 2}, time.Hour, false, false},
		{[]int{4, 4, 2}, time.Minute, true, false},
		{[]int{4, 4, 4}, time.Minute, false, false},
		{[]int{4}, time.Minute, false, false},
	} {
		snap := logWith(c.rows...)
		snap.Run.Progress.BytesAll = 1
		if c.stream {
			snap.Run.Progress.BytesAll = 0
		}
		if got := LastIsOpen(snap, written.Add(c.quiet)); got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
}

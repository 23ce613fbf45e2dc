package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"vantage/model"
	"vantage/tui/chart"
)

// failingSource is a source that fails at once.
type failingSource struct{ err error }

func (f failingSource) Next(context.Context) (*model.Chunk, error) { return nil, f.err }

var errPermission = errors.New("open runs/made: permission denied")

// progressOnly returns a source with progress and problems but no samples.
func progressOnly(p model.Progress, problems ...model.Problem) *madeSource {
	return &madeSource{chunks: []*model.Chunk{{Progress: p, Problems: problems, Skipped: len(problems)}}}
}

// growingRun returns a run of two complete steps and the beginning of a third.
func growingRun() *madeSource {
	source := madeRun(3)
	last := source.chunks[2]
	last.Records = last.Records[:14*8]
	last.Progress.Open = true
	return source
}

// noRewardProblem is the problem of a file without rewards.
var noRewardProblem = model.Problem{File: "a.jsonl", Reason: `no reward field: the keys are "foo", "bar"; needed is a number under reward, score or total_reward`}

// Each state without an analysis says what is missing and what to do.
func TestPlaceholdersSayWhatIsMissing(t *testing.T) {
	for name, state := range map[string]struct {
		source func() Source
		keys   []string
		says   []string
	}{
		"empty": {func() Source { return progressOnly(model.Progress{CaughtUp: true}) }, nil, []string{"waiting for the first step in runs/made", "found 0 files at 14:03:22", "vantage formats", "TRL with log_completions=True"}},
		"notes": {func() Source {
			return &madeSource{chunks: []*model.Chunk{{Progress: model.Progress{CaughtUp: true}, Notes: []string{"a .wandb file holds scalars"}}}}
		}, nil, []string{"waiting for the first step", "a .wandb file holds scalars"}},
		"loading": {func() Source {
			return progressOnly(model.Progress{Files: 3, BytesRead: 1_200_000_000, BytesAll: 3_500_000_000})
		}, nil, []string{"34% · 1.2/3.5 GB"}},
		"unknown": {func() Source { return progressOnly(model.Progress{Files: 1, CaughtUp: true}, noRewardProblem) }, nil, []string{"nothing in runs/made can be read", "score or"}},
		"failed":  {func() Source { return failingSource{errPermission} }, nil, []string{"permission denied"}},
		"growing": {func() Source { return growingRun() }, []string{"3", "3", "]"}, []string{"step 3 (14/24 groups, still growing)"}},
	} {
		for _, size := range [][2]int{{60, 16}, {80, 24}, {120, 36}, {200, 60}} {
			for mode, dress := range displayVariants() {
				drive(t, state.source(), size[0], size[1], filterSettings(), func(d *driver) {
					dress(&d.app.display)
					if d.app.sourceState.err == nil {
						d.app.sourceState.ended = false // the source goes on, as a followed run does
					}
					d.press(state.keys...)
					text := strings.Join(strings.Fields(ansi.Strip(d.frame())), " ")
					for _, says := range state.says {
						if mode != "ascii" && !strings.Contains(text, says) {
							t.Errorf("%s at %v does not say %q:\n%s", name, size, says, d.frame())
						}
					}
				})
			}
		}
	}
}

// A screen that is too small says which size is needed, and shows the figures of the step.
func TestTooSmallScreenSaysWhatItNeeds(t *testing.T) {
	drive(t, madeRun(3), 48, 12, filterSettings(), func(d *driver) {
		text := ansi.Strip(d.frame())
		if !strings.Contains(text, "vantage needs 60×16, this is 48×12") || !strings.Contains(text, "step 3  reward") {
			t.Error(text)
		}
		d.app.display.glyphs = chart.ASCII()
		if text := ansi.Strip(d.frame()); strings.ContainsAny(text, "×−│") {
			t.Errorf("not ASCII: %s", text)
		}
	})
}

// The remaining time follows from the bytes read so far: at 300 MB in 3 s the other 600 MB
// take 6 s. There is no estimate in the first second.
func TestReadRateEstimatesTheRemainingTime(t *testing.T) {
	at := func(second int) time.Time { return time.Date(2026, 1, 2, 14, 3, second, 0, time.UTC) }
	var p readRate
	for _, c := range []struct {
		second int
		read   int64
		done   bool
		want   time.Duration
	}{
		{0, 100e6, false, 0},
		{0, 200e6, false, 0},
		{3, 400e6, false, 6 * time.Second},
		{9, 1000e6, true, 0},
		{20, 1000e6, false, 0}, // it grows again: from the start
	} {
		if p = p.updated(at(c.second), model.Progress{BytesRead: c.read, BytesAll: 1000e6, CaughtUp: c.done}); p.remaining != c.want {
			t.Errorf("%d bytes after %d s: %v left, want %v", c.read, c.second, p.remaining, c.want)
		}
	}
}

// If no sample could be read, a key shows the reasons before there is an analysis.
func TestProblemsBeforeAnySample(t *testing.T) {
	reason := model.Problem{File: "a.jsonl", Line: 7, Reason: "column 1: the line is no object"}
	drive(t, progressOnly(model.Progress{Files: 1, CaughtUp: true}, reason), 80, 24, filterSettings(), func(d *driver) {
		d.press("!")
		if text := ansi.Strip(d.frame()); !strings.Contains(text, "a.jsonl:7: column 1: the line is no object") || !strings.Contains(text, "what to do") {
			t.Error(text)
		}
	})
}

// Many problems are counted by reason and listed one by one; scrolling ends at the last, and
// one up from there scrolls.
func TestProblemsAreCounted(t *testing.T) {
	var all []model.Problem
	for i := range 40 {
		all = append(all, model.Problem{File: "a.jsonl", Line: int64(i + 1), Reason: fmt.Sprintf("column %d: %q stands where an object should be", i, fmt.Sprint(i))})
	}
	all = append(all, model.Problem{File: "b.jsonl", Reason: "cannot be opened"})
	drive(t, progressOnly(model.Progress{Files: 2, CaughtUp: true}, all...), 100, 30, filterSettings(), func(d *driver) {
		d.press("!")
		text := ansi.Strip(d.frame())
		for _, want := range []string{"41 places could not be read", `40 ×  "…" stands where an object should be, first at a.jsonl:1`, "1 ×  cannot be opened, first at b.jsonl"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is missing:\n%s", want, text)
			}
		}
		d.press("G")
		if text := ansi.Strip(d.frame()); !strings.Contains(text, "b.jsonl: cannot be opened") {
			t.Errorf("the end does not show the last problem:\n%s", text)
		}
		end := d.frame()
		if d.press("j", "j"); d.frame() != end {
			t.Error("it scrolls beyond the end")
		}
		if d.press("k"); d.frame() == end {
			t.Error("one up from the end shows nothing else")
		}
	})
}

package tui

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"vantage/model"
	"vantage/tui/chart"
	"vantage/tui/env"
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
	t.Parallel()
	for name, state := range map[string]struct {
		source func() env.Source
		keys   []string
		says   []string
	}{
		"empty": {func() env.Source { return progressOnly(model.Progress{CaughtUp: true}) }, nil, []string{"waiting for the first step in runs/made", "found 0 files at 14:03:22", "vantage list formats", "TRL with log_completions=True"}},
		"notes": {func() env.Source {
			return &madeSource{chunks: []*model.Chunk{{Progress: model.Progress{CaughtUp: true}, Notes: []string{"a .wandb file holds scalars"}}}}
		}, nil, []string{"waiting for the first step", "a .wandb file holds scalars"}},
		"loading": {func() env.Source {
			return progressOnly(model.Progress{Files: 3, BytesRead: 1_200_000_000, BytesAll: 3_500_000_000})
		}, nil, []string{"34% · 1.2/3.5 GB"}},
		"unknown": {func() env.Source { return progressOnly(model.Progress{Files: 1, CaughtUp: true}, noRewardProblem) }, nil, []string{"nothing in runs/made can be read", "score or"}},
		"failed":  {func() env.Source { return failingSource{errPermission} }, nil, []string{"permission denied"}},
		"growing": {func() env.Source { return growingRun() }, []string{"3", "3", "]"}, []string{"step 3 (14/24 groups, still growing)"}},
	} {
		for _, size := range [][2]int{{60, 16}, {80, 24}, {120, 36}, {200, 60}} {
			for mode, dress := range displayVariants() {
				drive(t, state.source(), size[0], size[1], filterSettings(), func(d *driver) {
					dress(&d.app.env.Display)
					if d.app.env.SourceState.Err == nil {
						d.app.env.SourceState.Ended = false // the source goes on, as a followed run does
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
	t.Parallel()
	drive(t, madeRun(3), 48, 12, filterSettings(), func(d *driver) {
		text := ansi.Strip(d.frame())
		if !strings.Contains(text, "vantage needs 60×16, this is 48×12") || !strings.Contains(text, "train 56/192") {
			t.Error(text)
		}
		d.app.env.Display.Glyphs = chart.ASCII()
		if text := ansi.Strip(d.frame()); strings.ContainsAny(text, "×−│") {
			t.Errorf("not ASCII: %s", text)
		}
	})
}

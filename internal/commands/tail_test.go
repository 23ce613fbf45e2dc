package commands

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"vantage/internal/testkit/filetest"
	"vantage/model"
	"vantage/model/analysis"
	"vantage/model/check"
	"vantage/model/diagnosis"
	"vantage/model/match"
	"vantage/model/report"
)

// A tail begins with the newest complete steps, prints each that follows once, and ends when nothing came for its time,
// which rows put off.
func TestTailEndsWhenNothingComes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var chunks []*model.Chunk
		first := rightRows(1, 4)
		for step := int64(2); step <= 5; step++ {
			first.Records = append(first.Records, rightRows(step, 4).Records...)
		}
		chunks = append(chunks, first, rightRows(6, 4), rightRows(7, 4))
		source := newIdleSource(t.Context(), &madeChunks{chunks: chunks, pause: 50 * time.Second}, time.Minute)
		defer source.stop()
		start, steps := time.Now(), []int64{}
		w := watcher{
			source: source, given: model.DefaultSettings(), monitor: check.NewMonitor(nil), backlog: 2,
			choose: func(_ context.Context, _ model.Snapshot, set model.Settings) (model.Settings, match.Choice, error) {
				return set, match.Choice{Origin: match.Assumed}, nil
			},
			note: func(match.Choice) {},
			each: func(s *analysis.StepFigures) error { steps = append(steps, s.Step); return nil },
		}
		if err := w.run(context.Background(), source.ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("it ends with %v", err)
		}
		if want := []int64{4, 5, 6, 7}; !slices.Equal(steps, want) {
			t.Errorf("steps %v, want %v", steps, want)
		}
		if took := time.Since(start); took < 209*time.Second || took > 215*time.Second { // three pauses, and a minute
			t.Errorf("it took %v", took)
		}
	})
}

// The lines of a tail are JSON for themselves.
func TestTailLines(t *testing.T) {
	t.Parallel()
	step := int64(8)
	for _, c := range []struct {
		line       report.TailLine
		json, text string
	}{
		{
			report.TailLine{Step: &analysis.StepFigures{Step: 7, Rows: 4, Nonzero: 2, Groups: 2, Signal: 1, Fates: [model.FateCount]int{model.FateAlive: 1, model.FateKilled: 1}, Warnings: []model.Warning{{Kind: analysis.WarnKilledGroups}, {Kind: analysis.WarnKilledGroups}}}},
			`"step":7,"samples":4,"nonzero_samples":2,"groups":2,"signal_groups":1,"reward_mean":null,"length_mean":null,"fates":{"alive":1,"killed":1},"warnings":["killed-groups"]}` + "\n",
			"      7          2/4        1/2        —        —  1 alive, 1 killed\n",
		},
		{
			report.TailLine{Finding: &diagnosis.Finding{Kind: diagnosis.StuckData, Severity: diagnosis.Alarm, Since: 3, Until: 7, Lasting: true, Title: "a\x1b b"}, At: 7},
			`{"schema":"vantage/tail@3","at_step":7,"finding":{"kind":"stuck_data","severity":"alarm","since":3,"until":7,"title":"a␛ b","example":{"step":0}}}` + "\n",
			"      7  alarm: stuck data since step 3: a␛ b\n",
		},
		{
			report.TailLine{End: "idle", Quiet: 10 * time.Minute, Steps: 3, Unfinished: &step},
			`{"schema":"vantage/tail@3","end":"idle","quiet_seconds":600,"steps":3,"unfinished_step":8}` + "\n",
			"end: idle, no row for 10 min; step 8 may be unfinished; 3 steps\n",
		},
		{report.TailLine{End: "input ended", Steps: 1}, `{"schema":"vantage/tail@3","end":"input ended","steps":1}` + "\n", "end: input ended; 1 step\n"},
	} {
		var json, text strings.Builder
		if err := errors.Join(report.TailJSON(&json, c.line), report.TailText(&text, c.line)); err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(json.String(), c.json) || text.String() != c.text {
			t.Errorf("%s%s", &json, &text)
		}
	}
}

// A tail of a file of averages says at once that no sample comes from it, and what shows it.
func TestTailOfAveragesSaysSo(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "metrics.jsonl")
	filetest.Write(t, log, strings.Repeat(`{"step":1,"critic/score/mean":0.5,"actor/entropy":0.3}`+"\n", 20))
	said := runCommand(t, "tail", log, "--idle-timeout", "5s")
	if !strings.Contains(said, "no samples so far: metrics.jsonl: metrics only") || !strings.Contains(said, "`vantage summary PATH` shows the averages") {
		t.Errorf("it says %s", said)
	}
}

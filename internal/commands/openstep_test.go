package commands

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// What reads a log once says that its newest step is still being written, as check does, and counts it in no sum: the
// step has fewer rows than those before it, and the log was written a moment ago.
func TestNewestStepIsOpen(t *testing.T) {
	t.Parallel()
	var rows strings.Builder
	for step := 1; step <= 5; step++ {
		for i := range 8 {
			if step < 5 || i < 4 {
				rows.WriteString(loggedRow(step, []string{"a", "b"}[i/4], float64(i%2), 0))
			}
		}
	}
	log := filepath.Join(t.TempDir(), "log.jsonl")
	for name, c := range map[string]struct {
		written time.Time
		open    []int64
		samples int
	}{
		"now":       {time.Now(), []int64{5}, 32},
		"yesterday": {time.Now().Add(-24 * time.Hour), nil, 36},
	} {
		putRun(t, log, rows.String(), c.written)
		var summary struct {
			Open    []int64 `json:"open_steps"`
			Samples int
		}
		answerTo(t, &summary, "summary", log, "--json")
		if !slices.Equal(summary.Open, c.open) || summary.Samples != c.samples {
			t.Errorf("%s: %+v", name, summary)
		}
		var steps struct {
			Open []int64 `json:"open_steps"`
			Rows []any
		}
		answerTo(t, &steps, "report", log, "--brief", "--json")
		if !slices.Equal(steps.Open, c.open) || len(steps.Rows) != 5 {
			t.Errorf("%s: %+v", name, steps)
		}
		var report struct {
			Steps   []struct{ Open bool }
			Run     struct{ Samples int }
			Summary struct {
				Samples     int
				OpenSteps   []int64 `json:"open_steps"`
				OpenSamples int     `json:"open_samples"`
			}
		}
		answerTo(t, &report, "report", log, "--format", "json")
		if s := report.Summary; !slices.Equal(s.OpenSteps, c.open) || s.OpenSamples != 36-c.samples || report.Run.Samples != 36 {
			t.Errorf("%s: %+v", name, report)
		}
		if report.Steps[4].Open != (c.open != nil) || report.Steps[3].Open || report.Summary.Samples != c.samples {
			t.Errorf("%s: %+v", name, report)
		}
	}
}

// answerTo runs a command and parses the JSON that it writes.
func answerTo(t *testing.T, answer any, line ...string) {
	t.Helper()
	var out bytes.Buffer
	p := &program{in: strings.NewReader(""), out: &out, errOut: &bytes.Buffer{}}
	root := &cobra.Command{Use: "vantage", SilenceErrors: true, SilenceUsage: true}
	if err := executeLine(t.Context(), p, root, line); err != nil {
		t.Fatal(line, err)
	}
	if err := json.Unmarshal(out.Bytes(), answer); err != nil {
		t.Fatal(line, err)
	}
}

package commands

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"vantage/internal/testkit/filetest"
	"vantage/internal/testkit/illlogs"
	"vantage/internal/testkit/repotest"
	"vantage/loaders/demo/illruns"
	"vantage/model"
	"vantage/model/diagnosis"
)

// illLog writes a run in which a scene sets in at step 36 of 60, of 8 groups of 8 in JSON lines.
func illLog(t *testing.T, kind string) string {
	t.Helper()
	for _, s := range append(illruns.Illnesses(), illruns.Healthy()...) {
		if s.Kind != kind {
			continue
		}
		shape := illruns.Shape{
			Steps: 60, Groups: 8, Size: 8, Reward: illruns.Binary, Format: "jsonl", Genre: "math", Data: illruns.Once, Onset: 0.6, Pace: 0.1, Every: 1, First: 1, Words: 40, Tokens: true,
		}
		dir := filepath.Join(t.TempDir(), "rollouts")
		if err := illlogs.Write(illruns.Make(s, shape, "7"), dir, illruns.Arrange{}); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	t.Fatal("no scene of " + kind)
	return ""
}

// found are the findings of a diagnosis in a line each.
func found(d *diagnosis.Diagnosis) (all string) {
	for _, f := range d.Findings {
		all += fmt.Sprintf("%s %s %d–%d %s\n", f.Severity, f.Kind, f.Since, f.Until, f.Title)
	}
	return all
}

// A look at a run that grows says at each step what a look at the log says that is cut there, and what its summary says.
func TestLooksAtAGrowingRun(t *testing.T) {
	for _, kind := range []string{"answer_collapse", "length_explosion", "grader_outage"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			dir := illLog(t, kind)
			files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
			if err != nil || len(files) != 1 {
				t.Fatal(files, err)
			}
			text := filetest.Read(t, files[0])
			const rows = 8 * 8
			lines := strings.SplitAfter(string(text), "\n")
			p, set := &program{}, model.DefaultSettings()
			p.addFlags(&cobra.Command{}, ofLogs) // with their defaults
			source, snap, err := p.readOpen(t.Context(), []string{files[0]})
			if err != nil {
				t.Fatal(err)
			}
			defer source.Close()
			var look *diagnosis.Look
			told := ""
			for k := 20; k <= 60; k += repotest.Times(20, 5) {
				if look, err = lookAt(t.Context(), source, snap.Only(snap.Steps[:k]), set, diagnosis.Reading{}, look); err != nil {
					t.Fatal(err)
				}
				cut := filepath.Join(t.TempDir(), "cut.jsonl")
				filetest.Write(t, cut, strings.Join(lines[:k*rows], ""))
				cutSource, cutSnap, err := p.readOpen(t.Context(), []string{cut})
				if err != nil {
					t.Fatal(err)
				}
				alone, err := lookAt(t.Context(), cutSource, cutSnap, set, diagnosis.Reading{}, nil)
				cutSource.Close()
				if err != nil {
					t.Fatal(err)
				}
				if got, want := found(look.Diagnosis), found(alone.Diagnosis); got != want {
					t.Errorf("at step %d the run that grows is\n%sand that which is cut there\n%s", k, got, want)
				}
				var summary struct{ Health string }
				if err := json.Unmarshal([]byte(runCommand(t, "summary", cut, "--json")), &summary); err != nil || summary.Health != look.Diagnosis.Health() {
					t.Errorf("at step %d the summary says %q, %v, not %q", k, summary.Health, err, look.Diagnosis.Health())
				}
				told = look.Diagnosis.Health()
			}
			if !strings.HasPrefix(told, kind+" ") {
				t.Errorf("at the end it is %s", told)
			}
		})
	}
}

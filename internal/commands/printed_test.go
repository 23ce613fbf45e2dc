package commands

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"vantage/internal/testkit/filetest"
	"vantage/model"
)

// printedLog is what a trainer prints of so many steps: its bar, and a dict for each step.
func printedLog(steps int) string {
	var b strings.Builder
	for step := 1; step <= steps; step++ {
		fmt.Fprintf(&b, "\r  1%%|#  | %d/200 [00:05<3:20]\r{'loss': 0.0, 'reward': %.3f, 'entropy': 0.5, 'grad_norm': 1.5}\n", step, 0.5+0.001*float64(step))
	}
	return b.String()
}

// What a trainer prints, and averages in any container, are summed up; a command for samples refuses them, and none of them is told how to
// group its rows.
func TestSummaryOfPrinted(t *testing.T) {
	t.Parallel()
	csv := "step,reward,valid_action,errors\n"
	for step := range 40 {
		csv += fmt.Sprintf("%d,0.%d,0.9%d,0\n", step, 40+step, step%10)
	}
	for name, c := range map[string]struct{ text, want string }{
		"slurm-9.out":  {printedLog(40) + "Killed\n", "scalars alone, no samples: standard output, steps 1 to 40 (40)"},
		"averages.csv": {csv, "scalars alone, no samples: CSV of averages, steps 0 to 39 (40)"},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		filetest.Write(t, path, c.text)
		for _, given := range []string{path, dir} {
			var out, errOut bytes.Buffer
			p := &program{out: &out, errOut: &errOut}
			cmd := p.summary()
			cmd.SetArgs([]string{given, "--num-generations", "8"})
			if err := cmd.ExecuteContext(t.Context()); err != nil || !strings.Contains(out.String(), c.want) {
				t.Errorf("%s: %v\n%s", given, err, out.String())
			}
			if p.scalarsAlone(t.Context(), []string{given}, model.Settings{}) == nil {
				t.Errorf("%s has more than scalars", given)
			}
			out.Reset()
			cmd = p.summary()
			cmd.SetArgs([]string{given, "--json"})
			var s struct {
				Schema string
				Steps  int
				Notes  []string
			}
			if err := cmd.ExecuteContext(t.Context()); err != nil || json.Unmarshal(out.Bytes(), &s) != nil || s.Schema != "vantage/scalars@2" || s.Steps != 40 {
				t.Errorf("%s: %v %s", given, err, out.String())
			}
			if isPrinted := name == "slurm-9.out"; isPrinted && !strings.Contains(strings.Join(s.Notes, "\n"), "1 other line: Killed") {
				t.Errorf("%q", s.Notes)
			}
			steps := p.report().build(p)
			steps.SetArgs([]string{given, "--brief"})
			steps.SilenceErrors, steps.SilenceUsage = true, true
			err := steps.ExecuteContext(t.Context())
			if err == nil || strings.Contains(err.Error(), "--group-by") || strings.Contains(err.Error(), "--num-generations") {
				t.Error(err)
			}
		}
	}
}

// What is printed next to samples is read again while it grows.
func TestPrintedNextToSamplesGrows(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeRollouts(t, dir, 30, 4)
	source, err := (&program{split: "train"}).open([]string{filepath.Join(dir, "rollouts")}, true)
	if err != nil {
		t.Fatal(err)
	}
	defer source.Close()
	if _, err := source.Scalars(); err == nil {
		t.Error("there are none yet")
	}
	for _, steps := range []int{10, 30} {
		filetest.Write(t, filepath.Join(dir, "train.log"), printedLog(steps))
		if found, err := source.Scalars(); err != nil || found.Steps != steps || found.Last != int64(steps) {
			t.Errorf("after %d steps: %+v, %v", steps, found, err)
		}
	}
}

package commands

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// AReaL's folders of versions are steps of one run: what is said of the run is said once, and an old text dump is no different.
func TestVersionsOfAReaLAreOneRun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, row string }{
		{"%[1]d/%[2]d.jsonl", `{"task_id": "%[2]d", "sample_idx": %[3]d, "seqlen": 9, "prompt_len": 4, "head_version": %[1]d, "tail_version": %[1]d, "reward": %[4]d, "prompt": "p%[2]d", "completion": "c%[3]d"}` + "\n"},
		{"%[1]d/%[2]d.txt", "idx: %[3]d / 4, seqlen: 9, reward is %[4]d.\nprompt is \np%[2]d\nsequence is: \nc%[3]d of %[1]d\n"},
	} {
		dir := t.TempDir()
		for version := 7; version < 10; version++ {
			for task := range 2 {
				var rows strings.Builder
				for i := range 4 {
					reward := 0 // 3 of the 12 samples of a task
					if i == task {
						reward = 1
					}
					fmt.Fprintf(&rows, c.row, version, task, i, reward)
				}
				putRun(t, filepath.Join(dir, "logs", "me", "exp", "trial0", "rollout", fmt.Sprintf(c.name, version, task)), rows.String(), time.Time{})
			}
		}
		for _, path := range []string{dir, filepath.Join(dir, "logs", "me", "exp", "trial0", "rollout")} {
			out := runCommand(t, "prompts", path)
			if !strings.Contains(out, "a reward of at least 1: 6/24 (25%) samples") || strings.Contains(out, "rollout/8") || !strings.Contains(out, "2 in 3 steps") {
				t.Errorf("%s of %s:\n%s", path, c.name, out)
			}
		}
	}
}

// Numbered folders of another trainer are runs of a sweep, as before.
func TestNumberedFoldersOfASweepAreRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for run := range 2 {
		var rows strings.Builder
		for i := range 8 {
			rows.WriteString(loggedRow(10*run+1, "a", float64(i%2), 0))
		}
		putRun(t, filepath.Join(dir, fmt.Sprint(run), "log.jsonl"), rows.String(), time.Time{})
	}
	if out := runCommand(t, "prompts", dir, "--merge"); !strings.Contains(out, "0: a reward of at least 1: 4/8 (50%) samples") {
		t.Error(out)
	}
}

// A step with a reward that is no number has one mean, that of the others, wherever it is written, and says how many are not; groupsize
// counts the groups that summary counts.
func TestOneNaNHasOneMean(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "log.jsonl")
	var rows strings.Builder
	for i, reward := range []float64{1, 0, 1, 1, 0, 0, 1} { // of 7 rewards 4 are 1
		rows.WriteString(loggedRow(1, []string{"a", "b"}[i/4], reward, 0))
	}
	rows.WriteString(strings.Replace(loggedRow(1, "b", 7, 0), `"reward":7`, `"reward":NaN`, 1))
	putRun(t, log, rows.String(), time.Time{})
	type figures struct {
		Invalid int `json:"invalid_rewards"`
		Metrics map[string]any
	}
	var report struct {
		Steps   []figures
		Summary figures
	}
	answerTo(t, &report, "report", log, "--framework", "verl", "--format", "json")
	for _, f := range append(report.Steps, report.Summary) {
		for name, want := range map[string]float64{"critic/score/mean": 4. / 7, "critic/rewards/mean": 4. / 7, "critic/score/max": 1, "critic/score/min": 0} {
			if f.Metrics[name] != want || f.Invalid != 1 {
				t.Errorf("%s is %v, of %d rewards that are no numbers", name, f.Metrics[name], f.Invalid)
			}
		}
	}
	lines := strings.Split(runCommand(t, "report", log, "--framework", "verl", "--format", "csv"), "\n")
	lines = slices.DeleteFunc(lines, func(line string) bool { return strings.HasPrefix(line, "vantage:") })
	names, values := strings.Split(lines[0], ","), strings.Split(lines[1], ",")
	for name, want := range map[string]string{"invalid_rewards": "1", "critic/score/mean": "0.5714285714285714", "critic/advantages/mean": "NaN"} {
		if at := slices.Index(names, name); at < 0 || values[at] != want {
			t.Errorf("%s of CSV is not %s: %s", name, want, lines[1])
		}
	}
	if out := runCommand(t, "report", log, "--brief", "--framework", "verl"); !strings.Contains(out, "0.571") || !strings.Contains(out, "rewards 1 NaN or missing") {
		t.Error(out)
	}
	var summary, sizes struct {
		Groups, Dead int
		LeftOut      int `json:"left_out"`
	}
	answerTo(t, &summary, "summary", log, "--json")
	answerTo(t, &sizes, "plan", log, "--sizes-only", "--format", "json")
	if summary.Groups != 2 || sizes.Groups != 2 || sizes.LeftOut != 1 {
		t.Errorf("%+v, but of groupsize %+v", summary, sizes)
	}
	if out := runCommand(t, "plan", log, "--sizes-only"); !strings.Contains(out, "2 groups of 4 in 1 step, of which 0/1 (0%) are dead") || !strings.Contains(out, "1 of these groups, with invalid rewards") {
		t.Error(out)
	}
}

// Groups that the logged advantages prove are those of groupsize too: an id that comes twice in a step is two groups.
func TestGroupSizeTakesProvedGroups(t *testing.T) {
	t.Parallel()
	var rows strings.Builder
	for g, rewards := range [][]float64{{1, 0, 0, 0}, {1, 1, 1, 0}, {0, 0, 1, 1}, {0, 1, 0, 0}} {
		mean := (rewards[0] + rewards[1] + rewards[2] + rewards[3]) / 4
		for _, r := range rewards {
			fmt.Fprintf(&rows, `{"step": 1, "prompt": "p%d", "group_id": "g%d", "response": "x", "reward": %v, "advantage": %v}`+"\n", g/2, g/2, r, r-mean)
		}
	}
	log := filepath.Join(t.TempDir(), "log.jsonl")
	putRun(t, log, rows.String(), time.Time{})
	var summary, sizes struct{ Groups int }
	answerTo(t, &summary, "summary", log, "--json")
	answerTo(t, &sizes, "plan", log, "--sizes-only", "--format", "json")
	if summary.Groups != 4 || sizes.Groups != 4 {
		t.Errorf("summary counts %d groups, groupsize %d", summary.Groups, sizes.Groups)
	}
}

// What float arithmetic leaves of equal rewards is not 0 in an export, and does not train in a summary: the export says so, and which it is.
func TestExportSaysWhichSamplesTrain(t *testing.T) {
	t.Parallel()
	var rows strings.Builder
	for i := range 12 { // prime-rl's mean of six rewards of 1.3 is not 1.3 in float32
		rows.WriteString(loggedRow(1, []string{"a", "b"}[i/6], []float64{1.3, 0.1 + 0.3*float64(i%2)}[i/6], 0))
	}
	log := filepath.Join(t.TempDir(), "log.jsonl")
	putRun(t, log, rows.String(), time.Time{})
	var summary struct {
		Nonzero int `json:"nonzero_samples"`
		Residue int `json:"residue_samples"`
	}
	answerTo(t, &summary, "summary", log, "--framework", "prime-rl", "--json")
	out := runCommand(t, "export", log, "--framework", "prime-rl", "--columns", "group,advantage,trains", "--format", "csv")
	if summary.Nonzero != 6 || summary.Residue != 6 || strings.Count(out, "e-07,false\n") != 6 || strings.Count(out, ",true\n") != 6 {
		t.Errorf("%+v, and of export:\n%s", summary, out)
	}
	if !strings.Contains(out, "6 samples of the log hold a rounding error: their advantage is not 0 here") {
		t.Errorf("it does not say so:\n%s", out)
	}
}

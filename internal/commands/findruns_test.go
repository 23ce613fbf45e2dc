package commands

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vantage/model"
	"vantage/model/runlist"
)

// Of a folder with runs of several folders the one written last is read, and the others are named; files side by side, folders of steps and
// validation are no runs of their own.
func TestSeveralRunsAreNotOne(t *testing.T) {
	t.Parallel()
	row := `{"input":"q","output":"a","gts":"1","score":1.0,"step":1}` + "\n"
	dir := t.TempDir()
	for name, age := range map[string]time.Duration{"a/1.jsonl": 3 * time.Hour, "a/2.jsonl": 3 * time.Hour, "b/rollouts/1.jsonl": time.Hour, "b/val/1.jsonl": 0} {
		putRun(t, filepath.Join(dir, "several", name), row, time.Now().Add(-age))
		if strings.HasPrefix(name, "b/") {
			putRun(t, filepath.Join(dir, "one", name), row, time.Now().Add(-age))
		}
	}
	for step := range 3 {
		putRun(t, filepath.Join(dir, "steps", "global_step_"+string(rune('0'+step)), "rows.jsonl"), row, time.Time{})
	}
	putRun(t, filepath.Join(dir, "files", "one.jsonl"), row, time.Time{})
	putRun(t, filepath.Join(dir, "files", "two.jsonl"), row, time.Time{})
	for name, want := range map[string]int{"several": 2, "one": 0, "steps": 0, "files": 0, "nowhere": 0} {
		if runs, _ := (&program{}).runsBelow(t.Context(), filepath.Join(dir, name), true); len(runs) != want {
			t.Errorf("%s: %d runs: %v", name, len(runs), runs)
		}
	}
	var said bytes.Buffer
	p := &program{errOut: &said}
	several := filepath.Join(dir, "several")
	got := p.oneRun(t.Context(), []string{several})
	if want := filepath.Join(several, "b", "rollouts"); len(got) != 1 || got[0] != want {
		t.Errorf("%v, want %s", got, want)
	}
	if text := said.String(); !strings.Contains(text, "holds 2 runs") || !strings.Contains(text, filepath.Join("several", "a")) || !strings.Contains(text, "--merge") {
		t.Error(text)
	}
	p.merge = true
	if got := p.oneRun(t.Context(), []string{several}); got[0] != several {
		t.Error(got)
	}
}

// Where more may lie deeper than is looked, one line says so with what was found.
func TestNotAllRunsAreFoundIsOneLine(t *testing.T) {
	t.Parallel()
	row := `{"input":"q","output":"a","gts":"1","score":1.0,"step":1}` + "\n"
	dir := t.TempDir()
	putRun(t, filepath.Join(dir, "a", "1.jsonl"), row, time.Now().Add(-time.Hour))
	putRun(t, filepath.Join(dir, "b", "1.jsonl"), row, time.Now())
	putRun(t, filepath.Join(dir, strings.Repeat("d/", 40), "1.jsonl"), row, time.Now())
	var said bytes.Buffer
	got := (&program{errOut: &said}).oneRun(t.Context(), []string{dir})
	text := said.String()
	if want := filepath.Join(dir, "b"); got[0] != want || strings.Count(text, "\n") != 1 || !strings.Contains(text, "2 runs or more (listed") || !strings.Contains(text, "--merge") {
		t.Errorf("%v, want %s: %q", got, want, text)
	}
}

// A run of the list is read for what it holds and what ails it: here the reward is 0 for every sample from step 9 on. One that is large,
// on another machine or gone says nothing.
func TestExamineARunOfTheList(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for step := 1; step <= 12; step++ {
		rows := ""
		for i := range 32 { // 4 groups of 8, of which an eighth to a half are solved
			score := "0.0"
			if step < 9 && i%8 <= i/8 {
				score = "1.0"
			}
			rows += fmt.Sprintf(`{"input":"question %d of %d","output":"answer %d","gts":"1","score":%s,"step":%d}`+"\n", i/8, step, i, score, step)
		}
		putRun(t, filepath.Join(dir, fmt.Sprintf("%d.jsonl", step)), rows, time.Time{})
	}
	p := &program{split: "train"}
	c := p.examine(t.Context(), model.DefaultSettings(), runlist.Run{ID: dir})
	if c.Steps != 12 || c.Samples != 12*32 || c.Size < 12*32*60 || !c.Ill || c.Health != "grader outage since 9" {
		t.Errorf("%+v", c)
	}
	for _, r := range []runlist.Run{{ID: dir, Size: maxExamined + 1}, {ID: "node7:runs/a"}, {ID: filepath.Join(dir, "gone")}} {
		if c := p.examine(t.Context(), model.DefaultSettings(), r); c != (runlist.Contents{}) {
			t.Errorf("%s: %+v", r.ID, c)
		}
	}
}

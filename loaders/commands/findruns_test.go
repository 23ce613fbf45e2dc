package commands

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"
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
		if runs, _ := RunsBelow(t.Context(), filepath.Join(dir, name), true); len(runs) != want {
			t.Errorf("%s: %d runs: %v", name, len(runs), runs)
		}
	}
	var said bytes.Buffer
	p := &Program{ErrOut: &said}
	several := filepath.Join(dir, "several")
	got := p.OneRun(t.Context(), []string{several})
	if want := filepath.Join(several, "b", "rollouts"); len(got) != 1 || got[0] != want {
		t.Errorf("%v, want %s", got, want)
	}
	if text := said.String(); !strings.Contains(text, "holds 2 runs") || !strings.Contains(text, filepath.Join("several", "a")) || !strings.Contains(text, "--merge") {
		t.Error(text)
	}
	p.Merge = true
	if got := p.OneRun(t.Context(), []string{several}); got[0] != several {
		t.Error(got)
	}
}

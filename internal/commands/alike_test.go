package commands

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"vantage/internal/testkit/filetest"
	"vantage/internal/testkit/repotest"
)

// Where a model refuses at a step, and groups are all wrong for that, report and check say so, with the words that it wrote; summary and
// the screen have it from the same texts.
func TestAlikeAnswersAreAWarningOfReportAndCheck(t *testing.T) {
	t.Parallel()
	path := agentLog(t) // refusals at step 4
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"report", path, "--steps", "4"}, []string{"! 4 of 4 groups are all wrong, and their answers alike: refusals “I can't help with that…”, 16 of 16 that were read", "read one; if they are refusals"}},
		{[]string{"report", path}, []string{"answers-alike"}},
		{[]string{"report", path, "--format", "json"}, []string{`"kind": "answers-alike",`, `"unit": "groups"`, `"first_step": 4`}},
		{[]string{"report", path, "--format", "html"}, []string{"their answers alike"}},
		{[]string{"check", path, "--fail-on", "answers-alike>0"}, []string{"FAIL  answers-alike>0", "1 of 6 steps: 4; worst is 4 at step 4", "read one; if they are refusals"}},
		{[]string{"check", path, "--fail-on", "answers-alike>50% in 2 steps"}, []string{"ok    answers-alike>50% in 2 steps"}},
		{[]string{"check", path, "--fail-on", "answers-alike>0", "--steps", "5:"}, []string{"ok    answers-alike>0"}},
	} {
		out := runCommand(t, c.args...)
		for _, want := range c.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s has no %q:\n%s", c.args, want, out)
			}
		}
	}
}

// Answers are read of so many steps that are suspect, spread over the run, and of no others; --texts all reads every one.
func TestAlikeReadsStepsEvenly(t *testing.T) {
	repotest.OneGoroutine(t)
	t.Parallel()
	var rows strings.Builder
	for step := 1; step <= 200; step++ { // every second is all wrong, and refused
		for i := range 4 {
			answer := fmt.Sprintf("Step %d has the answer %d, which follows from %d.", step, i, step*i)
			if step%2 == 0 {
				answer = "I can't help with that."
			}
			row, _ := json.Marshal(map[string]any{"step": step, "prompt": "q", "response": answer, "reward": i * (step % 2) / 2})
			fmt.Fprintf(&rows, "%s\n", row)
		}
	}
	path := filepath.Join(t.TempDir(), "log.jsonl")
	filetest.Write(t, path, rows.String())
	type warning struct {
		Kind  string
		First int `json:"first_step"`
		Steps int
	}
	for _, c := range []struct {
		flags       []string
		steps, read int // with the warning; of the 800 answers
	}{
		{nil, 64, 4 * 64}, // at least
		{[]string{"--texts", "all"}, 100, 800},
	} {
		var got struct {
			Texts     int
			TextsRead int `json:"texts_read"`
			Summary   struct{ Warnings []warning }
		}
		out := runCommand(t, append([]string{"report", path, "--per", "run", "--format", "json"}, c.flags...)...)
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatal(err)
		}
		if got.Texts != 800 || got.TextsRead < c.read || len(c.flags) == 0 && got.TextsRead == 800 {
			t.Errorf("%v: %d of %d texts are read", c.flags, got.TextsRead, got.Texts)
		}
		found := false
		for _, w := range got.Summary.Warnings {
			if w.Kind == "answers-alike" {
				found = true
				if w.First != 2 || w.Steps != c.steps {
					t.Errorf("%v: %+v", c.flags, w)
				}
			}
		}
		if !found {
			t.Errorf("%v: no warning", c.flags)
		}
		summary := runCommand(t, append([]string{"summary", path, "--json"}, c.flags...)...)
		if unread := strings.Contains(summary, `"unread_steps":36,`); unread != (len(c.flags) == 0) {
			t.Errorf("%v: %s", c.flags, summary)
		}
	}
	if out := runCommand(t, "summary", path); !strings.Contains(out, "answers were read of 64 of 100 steps that are mostly all wrong, spread evenly") {
		t.Errorf("it does not say what was not read:\n%s", out)
	}
	for _, args := range [][]string{{"summary", path, "--texts", "7"}, {"check", path, "--texts", ""}, {"prompts", path, "--texts", "-1"}} {
		if out := runCommand(t, args...); !strings.Contains(out, "expected") {
			t.Errorf("%v: %s", args, out)
		}
	}
}

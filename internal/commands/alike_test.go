package commands

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"vantage/internal/testkit/filetest"
	"vantage/internal/testkit/repotest"
	"vantage/model"
	"vantage/model/glance"
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

// Answers are read of so many steps that are suspect, the newest, and of no others.
func TestAlikeReadsTheNewestSteps(t *testing.T) {
	repotest.OneGoroutine(t)
	t.Parallel()
	var rows strings.Builder
	most := glance.MostRead(model.Progress{})
	for step := 1; step <= most+6; step++ {
		for i := range 4 {
			row, _ := json.Marshal(map[string]any{"step": step, "prompt": "q", "response": "I can't help with that.", "reward": min(i, step%2)})
			fmt.Fprintf(&rows, "%s\n", row)
		}
	}
	for step := 1001; step <= 1000+most; step++ {
		for range 4 {
			row, _ := json.Marshal(map[string]any{"step": step, "prompt": "q", "response": "I can't help with that.", "reward": 0})
			fmt.Fprintf(&rows, "%s\n", row)
		}
	}
	path := filepath.Join(t.TempDir(), "log.jsonl")
	filetest.Write(t, path, rows.String())
	if out := runCommand(t, "summary", path); !strings.Contains(out, "no answers were read of 259 steps up to 518") { // 518 and 512 steps, of which every second and each are suspect
		t.Errorf("it does not say what was not read:\n%s", out)
	}
	if out := runCommand(t, "summary", path, "--json"); !strings.Contains(out, `"unread_steps":259,`) {
		t.Errorf("its JSON does not:\n%s", out)
	}
	out := runCommand(t, "report", path, "--per", "run", "--format", "json")
	var got struct {
		Summary struct {
			Warnings []struct {
				Kind  string
				First int `json:"first_step"`
				Steps int
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	for _, w := range got.Summary.Warnings {
		if w.Kind == "answers-alike" && (w.First != 1001 || w.Steps != most) {
			t.Errorf("%+v", w)
		}
	}
	if !strings.Contains(out, "answers-alike") {
		t.Error("no warning")
	}
}

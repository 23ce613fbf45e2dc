package commands

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vantage/internal/testkit/filetest"
	"vantage/model"
)

// trainerState is a trainer_state.json of 200 steps as TRL writes it, whose KL bends at step 120. The name of a reward function tries to
// set the title of the terminal.
func trainerState() string {
	var entries []string
	for step := 1; step <= 200; step++ {
		entries = append(entries, fmt.Sprintf(`{"loss": 0.01, "reward": %.3f, "kl": %.3f, "frac_reward_zero_std": 0.2, "rewards/a\u001b]0;x\u0007/mean": 1, "step": %d}`,
			0.2+0.002*float64(step)+0.01*float64(step%3), 0.05+0.0005*float64(step%5)+0.06*float64(max(0, step-120)), step))
	}
	return `{"log_history": [` + strings.Join(entries, ",\n") + `], "max_steps": 500}`
}

// besideSamples is trainerState without the averages that samples have too: those of other samples would contradict it.
func besideSamples() string {
	return strings.NewReplacer(`"reward":`, `"learning_rate":`, `"frac_reward_zero_std":`, `"epoch":`).Replace(trainerState())
}

// A run of which there is only what its trainer logged gets a summary in place of a refusal: as a file, as the folder of a run, from
// the command that opens a screen. Other commands refuse it as ever.
func TestSummaryOfscalarsAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "run", "checkpoint-200"), 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "run", "checkpoint-200", "trainer_state.json")
	filetest.Write(t, file, trainerState())
	for _, path := range []string{file, filepath.Join(dir, "run")} {
		var out, errOut bytes.Buffer
		p := &program{out: &out, errOut: &errOut}
		cmd := p.summary()
		cmd.SetArgs([]string{path})
		if err := cmd.ExecuteContext(t.Context()); err != nil {
			t.Fatal(err)
		}
		text := out.String()
		for _, want := range []string{
			"health    kl drift since 1", "scalars alone, no samples: trainer_state.json, steps 1 to 200 (200)", "kl 4.", "reward 0.62", "log_completions=True",
			"not checked: ", "do: look at samples",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", path, want, text)
			}
		}
		if strings.ContainsAny(text, "\x1b\x07") || len(text) > 2048 {
			t.Errorf("%d bytes, unsafe ones:\n%q", len(text), text)
		}
		out.Reset()
		cmd = p.summary()
		cmd.SetArgs([]string{path, "--json"})
		if err := cmd.ExecuteContext(t.Context()); err != nil {
			t.Fatal(err)
		}
		var s struct {
			Schema   string
			Findings []struct {
				Kind  string
				Since int
			}
			Steps int
		}
		if err := json.Unmarshal(out.Bytes(), &s); err != nil || s.Schema != "vantage/scalars@2" || s.Steps != 200 || len(s.Findings) != 1 || s.Findings[0].Kind != "kl_drift" ||
			s.Findings[0].Since < 115 || s.Findings[0].Since > 125 {
			t.Errorf("%v: %s", err, out.String())
		}
		if alone := p.scalarsAlone(t.Context(), []string{path}, model.Settings{}); string(alone) != text {
			t.Errorf("the command without a name writes:\n%s", alone)
		}
		steps := p.report().build(p)
		steps.SetArgs([]string{path, "--brief"})
		steps.SilenceErrors, steps.SilenceUsage = true, true
		if err := steps.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), "holds averages of steps") {
			t.Error(err)
		}
	}
}

// writeRollouts writes rows as verl's into dir/rollouts: in each step so many groups of four, half of which win.
func writeRollouts(t *testing.T, dir string, steps, groups int) {
	t.Helper()
	if err := os.Mkdir(filepath.Join(dir, "rollouts"), 0o700); err != nil {
		t.Fatal(err)
	}
	var rows strings.Builder
	for step := 1; step <= steps; step++ {
		for i := range 4 * groups {
			fmt.Fprintf(&rows, `{"input":"question %d","output":"answer %d","score":%d,"step":%d}`+"\n", groups*step+i/4, i*step, (i+step)%2, step)
		}
	}
	filetest.Write(t, filepath.Join(dir, "rollouts", "rows.jsonl"), rows.String())
}

// Beside samples, the scalars tell what samples do not.
func TestSummaryReadsScalarsBesideSamples(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeRollouts(t, dir, 30, 4)
	summary := func() string {
		var out bytes.Buffer
		cmd := (&program{out: &out, errOut: &out}).summary()
		cmd.SetArgs([]string{filepath.Join(dir, "rollouts")})
		if err := cmd.ExecuteContext(t.Context()); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	if text := summary(); !strings.Contains(text, "they need the trainer's metrics") {
		t.Error(text)
	}
	filetest.Write(t, filepath.Join(dir, "trainer_state.json"), besideSamples())
	if text, _ := runLine(t, []string{"report", filepath.Join(dir, "rollouts")}); !strings.Contains(text, "no held-out score") || !strings.Contains(text, "no entropy") || strings.Contains(text, "they need the trainer's metrics") || strings.Contains(text, "kl drift: ") {
		t.Error(text)
	}
	for _, name := range []string{"trainer_state.json", "metrics.jsonl"} {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	events := filetest.Read(t, "../../loaders/scalars/testdata/tensorboard/events.out.tfevents.1700000000.node")
	if err := os.Mkdir(filepath.Join(dir, "tb"), 0o700); err != nil {
		t.Fatal(err)
	}
	filetest.Write(t, filepath.Join(dir, "tb", "events.out.tfevents.1.node"), string(events)+strings.Repeat("damage", 9))
	if text := summary(); !strings.Contains(text, "scalars   events.out.tfevents.1.node is damaged: what comes after the damage is not read") {
		t.Error(text)
	}
	if (&program{}).scalarsAlone(t.Context(), []string{dir}, model.Settings{}) != nil {
		t.Error("a folder with samples is not one of scalars alone")
	}
}

// A run that is followed is judged by its scalars too: once, when its steps are complete.
func TestTailReadsScalarsBesideSamples(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeRollouts(t, dir, 200, 1)
	filetest.Write(t, filepath.Join(dir, "trainer_state.json"), besideSamples())
	var out, errOut bytes.Buffer
	cmd := (&program{out: &out, errOut: &errOut}).tail()
	cmd.SetArgs([]string{filepath.Join(dir, "rollouts"), "--idle-timeout", "1s"})
	if err := cmd.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err, errOut.String())
	}
	lines := strings.Split(out.String(), "\n")
	if len(lines) != 4 || !strings.Contains(lines[1], "  alarm: kl drift since step 1") {
		t.Error(out.String())
	}
}

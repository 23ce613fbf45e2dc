package tui_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"vantage/internal/testkit/repotest"
)

// demoFlag is what a flag of the demo shows on the screen, after some keys.
type demoFlag struct{ args, keys, shows string }

// toFirstStep are keys for the first step of the demo, however far it is by then.
const toFirstStep = "{{{{{{{{{{{{"

// demoFlags are the flags that `vantage demo` takes.
func demoFlags() map[string]demoFlag {
	return map[string]demoFlag{
		"ascii":           {"--ascii", "", "+>1 groups"},
		"compute-new-adv": {"--compute-new-adv", "", "recompute on"},
		"config":          {"--config DIR/config.yaml", "", "(--config)"},
		"estimator":       {"--estimator rloo", "", "e rloo"},
		"framework":       {"--framework trl", "", "f TRL"},
		"group-filter":    {"--group-filter openrlhf/dynamic_filtering", "", "skipped"},
		"keep-neg-ratio":  {"--keep-neg-ratio 0.3", "", "0.30 r recompute"},
		"keep-pos-ratio":  {"--keep-pos-ratio 0.3", "", "0.30 m keep_neg"},
		"loss":            {"--loss trl/dapo", "", "C trl/dapo"},
		"mouse":           {"--mouse", "", "\x1b[?1002h"},
		"option":          {"--option algorithm.gamma=1", "", "gamma=1"},
		"overlong":        {"--overlong verl --option max_resp_len=400 --option overlong_buffer_cfg.len=200 --option overlong_buffer_cfg.penalty_factor=1", "", "C verl/dapo"},
		"scale":           {"--scale none", "", "s none"},
		"seed":            {"--seed 7", toFirstStep, "reward 0.290"},
		"solved-at":       {"--solved-at 0.3", "!", "(--solved-at)"},
		"truncated":       {"--truncated mask", "", "C truncated mask"},
		"theme":           {"--theme light", "", "38;5;25m"},
	}
}

// Every flag of the demo changes what it shows.
func TestEveryFlagOfTheDemoIsSeen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "config.yaml"), "algorithm:\n  adv_estimator: grpo\n  keep_pos_ratio: 0.3\n")
	flags := demoFlags()
	checkFlagNames(t, flags, "demo", "ill", "write") // of another run, in another test, and without a screen
	for name, f := range flags {
		t.Run(name, func(t *testing.T) {
			repotest.OneIn(t, 8)
			t.Parallel()
			x := startProgram(t, append([]string{"demo"}, strings.Fields(strings.ReplaceAll(f.args, "DIR", dir))...)...)
			x.waitShown("24 steps")
			x.send(f.keys)
			x.waitShown(f.shows)
		})
	}
	t.Run("none", func(t *testing.T) {
		t.Parallel()
		x := startProgram(t, "demo")
		x.waitShown("24 steps")
		x.send("!")
		x.waitShown("all rows were read")
		x.send("!" + toFirstStep)
		x.waitShown("reward 0.284")
		for name, f := range flags {
			if shows(x.output(), f.shows) {
				t.Errorf("without --%s the demo shows %q too", name, f.shows)
			}
		}
	})
}

// rootFlag is what a flag changes a line by: what is given with the flag, and the path if it is not that of the log.
type rootFlag struct{ args, with, path string }

// rootFlags are the flags of `vantage PATH` that change what it writes if there is no terminal.
func rootFlags() map[string]rootFlag {
	return map[string]rootFlag{
		"attempt":         {"--attempt 7", "", "log.jsonl"},
		"cache":           {"--cache lots", "", "log.jsonl"}, // refused: what it keeps is tried with a real bucket
		"compute-new-adv": {"--compute-new-adv", "--framework easyr1 --keep-pos-ratio 0.4 --keep-neg-ratio 0", "log.jsonl"},
		"config":          {"--config DIR/config.yaml", "", "log.jsonl"},
		"endpoint":        {"--endpoint http://127.0.0.1:2", "--endpoint http://127.0.0.1:1", "s3://bucket/x"},
		"estimator":       {"--estimator rloo", "", "log.jsonl"},
		"format":          {"--format json", "", "log.jsonl"},
		"framework":       {"--framework prime-rl", "", "log.jsonl"},
		"group-by":        {"--group-by question", "", "log.jsonl"},
		"group-filter":    {"--group-filter openrlhf/dynamic_filtering", "", "log.jsonl"},
		"input-format":    {"--input-format csv", "", "log.jsonl"},
		"keep-neg-ratio":  {"--keep-neg-ratio 0", "--framework easyr1", "log.jsonl"},
		"keep-pos-ratio":  {"--keep-pos-ratio 0", "--framework easyr1", "log.jsonl"},
		"off-policy":      {"--off-policy slime/tis", "", "log.jsonl"},
		"loss":            {"--loss trl/dapo", "", "log.jsonl"},
		"merge":           {"--merge", "", "DIR/several"},
		"num-generations": {"--num-generations 2", "", "log.jsonl"},
		"option":          {"--option reward_clip_range=0,0.1", "--framework trl --estimator rloo", "log.jsonl"},
		"overlong":        {"--overlong verl", "--framework verl --option max_resp_len=40 --option overlong_buffer_cfg.len=20 --option overlong_buffer_cfg.penalty_factor=1", "log.jsonl"},
		"password-file":   {"--password-file DIR/log.jsonl", "", "log.jsonl"},
		"prompt":          {"--prompt question", "--group-by prompt", "log.jsonl"},
		"reward":          {"--reward accuracy", "", "log.jsonl"},
		"scale":           {"--scale none", "--framework trl", "log.jsonl"},
		"solved-at":       {"--solved-at 0.5", "", "log.jsonl"},
		"split":           {"--split val", "", "DIR/evaluated"},
		"truncated":       {"--truncated drop", "", "log.jsonl"},
		"step":            {"--step epoch", "", "log.jsonl"},
		"wait":            {"--wait", "", "log.jsonl"},
	}
}

// Every flag of the program without a command does something: most change the report that it writes if there is no
// terminal, the others the screen.
func TestEveryFlagOfTheScreenDoesSomething(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "config.yaml"), "algorithm:\n  adv_estimator: grpo\n  keep_pos_ratio: 0.3\n")
	writeFile(t, filepath.Join(dir, "log.jsonl"), flagRows(t, 6))
	if err := os.MkdirAll(filepath.Join(dir, "evaluated", "val"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, run := range []string{"a", "b"} {
		if err := os.MkdirAll(filepath.Join(dir, "several", run), 0o700); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(dir, "several", run, "1.jsonl"), flagRows(t, 3))
	}
	writeFile(t, filepath.Join(dir, "evaluated", "1.jsonl"), flagRows(t, 3))
	writeFile(t, filepath.Join(dir, "evaluated", "val", "1.jsonl"), flagRows(t, 2))
	flags := rootFlags()
	ofScreen := []string{"ascii", "mouse", "theme"}
	checkFlagNames(t, flags, "", ofScreen...)
	written := func(t *testing.T, words string) string {
		t.Helper()
		code, out, said := runIn(t, dir, strings.Fields(strings.ReplaceAll(words, "DIR", dir))...)
		if strings.Contains(said, "unknown flag") {
			t.Fatal(said)
		}
		return regexp.MustCompile(`\d\d:\d\d:\d\d`).ReplaceAllString(fmt.Sprint(code, string(out), said), "")
	}
	for name, f := range flags {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			line := f.path + " " + f.with
			if without, with := written(t, line), written(t, line+" "+f.args); without == with {
				t.Errorf("vantage %s writes the same with %s:\n%s", line, f.args, with)
			}
		})
	}
	for _, name := range append(ofScreen, "") {
		t.Run("screen "+name, func(t *testing.T) {
			t.Parallel()
			f := demoFlags()[name]
			x := startProgram(t, append([]string{filepath.Join(dir, "log.jsonl")}, strings.Fields(f.args)...)...)
			x.waitShown("advantages")
			if name != "" {
				x.waitShown(f.shows)
				return
			}
			for _, other := range ofScreen {
				if shows(x.output(), demoFlags()[other].shows) {
					t.Errorf("without --%s the screen shows %q too", other, demoFlags()[other].shows)
				}
			}
		})
	}
}

// checkFlagNames fails unless the flags are those that a command takes, or the program, besides others.
func checkFlagNames[T any](t *testing.T, flags map[string]T, command string, others ...string) {
	t.Helper()
	line := strings.Fields("__complete " + command + " --")
	out, err := exec.Command(programPath(t), line...).Output()
	if err != nil {
		t.Fatal(err)
	}
	takes := map[string]bool{}
	for word := range strings.Lines(string(out)) {
		if name, _, _ := strings.Cut(strings.TrimSpace(word), "\t"); strings.HasPrefix(name, "--") && name != "--help" && name != "--version" {
			takes[name[2:]] = true
		}
	}
	for name := range takes {
		if _, known := flags[name]; !known && !slices.Contains(others, name) {
			t.Errorf("nothing says what --%s changes", name)
		}
	}
	for name := range flags {
		if !takes[name] {
			t.Errorf("%s takes no --%s", command, name)
		}
	}
}

// waitShown waits until the terminal shows the words, or was sent these bytes.
func (x *terminal) waitShown(words string) {
	x.t.Helper()
	x.waitUntil(words, func(sent string) bool { return shows(sent, words) })
}

// cursorForward is how a screen skips blank cells.
var cursorForward = regexp.MustCompile(`\x1b\[\d*C`)

// shows reports whether a terminal that was sent these bytes showed the words, or was sent them as they are.
func shows(sent, words string) bool {
	text := ansi.Strip(cursorForward.ReplaceAllString(sent, " "))
	return strings.Contains(strings.Join(strings.Fields(text), " "), words) || strings.Contains(sent, words)
}

// flagRows are steps of 3 groups of 4 answers, with two columns of rewards.
func flagRows(t *testing.T, steps int) string {
	t.Helper()
	var rows strings.Builder
	for step := range steps {
		for g, group := range []string{"a", "b", "c"} {
			for i := range 4 {
				accuracy, format := float64((step+g)%3)/2, 0.0
				if (step+g)%3 == 2 {
					accuracy, format = float64((i+step)%3)/2, float64(i%2)
				}
				length := 9 + 3*((7*i+step)%11)
				row, err := json.Marshal(map[string]any{
					"step": step + 1, "epoch": step/3 + 1, "group_id": group, "prompt": "prompt " + group, "question": fmt.Sprint("question ", i/2),
					"response": strings.Repeat("so ", length/3), "response_length": length, "reward": accuracy + format/4, "accuracy": accuracy, "format": format, "finish_reason": []string{"stop", "length"}[i/3],
				})
				if err != nil {
					t.Fatal(err)
				}
				rows.Write(append(row, '\n'))
			}
		}
	}
	return rows.String()
}

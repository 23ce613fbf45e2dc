package tui_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vantage/internal/testkit/repotest"
)

// Every command in the documentation works as shown, without a terminal, in a folder with
// runs, logs and trainers' configurations.
func TestEveryCommandOfTheDocumentation(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob(filepath.Join("..", ".github", "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	commands := map[string]string{}
	for _, page := range append(pages, filepath.Join("..", "README.md")) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		fenced := false
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "```") {
				fenced = !fenced
			}
			command, _, _ := strings.Cut(strings.TrimSpace(line), " #")
			shown := strings.HasPrefix(line, "    vantage ") || strings.HasPrefix(line, "    cat ") ||
				fenced && (strings.HasPrefix(line, "vantage ") || strings.HasPrefix(line, "cat "))
			needsTerminal := strings.TrimSpace(command) == "vantage" || strings.HasPrefix(strings.TrimSpace(command), "vantage demo") && !strings.Contains(command, "--write")
			if shown && !needsTerminal && !strings.Contains(command, "--watch") {
				commands[strings.TrimSpace(command)] = filepath.Base(page)
			}
		}
	}
	if len(commands) < 4 {
		t.Fatalf("found only %d commands", len(commands))
	}
	for command, page := range commands {
		t.Run(page+": "+command, func(t *testing.T) {
			repotest.OneIn(t, 14)
			t.Parallel()
			runDocumented(t, command)
		})
	}
}

// Every command is shown in a page.
func TestEveryCommandIsDocumented(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob(filepath.Join("..", ".github", "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	all := ""
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		all += string(text)
	}
	names, err := exec.Command(programPath(t), "__complete", "").Output()
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for line := range strings.Lines(string(names)) {
		name, _, described := strings.Cut(strings.TrimSpace(line), "\t")
		if !described || name == "help" {
			continue
		}
		found++
		if !strings.Contains(all, "\nvantage "+name) && !strings.Contains(all, "\n    vantage "+name) {
			t.Errorf("no page shows `vantage %s`", name)
		}
	}
	if found < 10 {
		t.Errorf("only %d commands", found)
	}
}

func runDocumented(t *testing.T, command string) {
	t.Helper()
	dir := t.TempDir()
	writeSampleRuns(t, dir)
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), onPath(t), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_STATE_HOME="+dir)
	out, err := cmd.CombinedOutput()
	if verdict := strings.HasPrefix(command, "vantage check") && cmd.ProcessState.ExitCode() == 3; err != nil && !verdict {
		t.Fatalf("%v: %s", err, out)
	}
	if _, rest, ok := strings.Cut(command, " -o "); ok {
		name, _, _ := strings.Cut(rest, " ")
		if out, err = os.ReadFile(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if len(out) == 0 {
		t.Error("it wrote nothing")
	}
}

// writeSampleRuns writes the logs and configurations that the documentation names.
func writeSampleRuns(t *testing.T, dir string) {
	t.Helper()
	for n, name := range []string{"qwen-math/rollouts", "a", "b", "baseline/rollouts"} {
		run := filepath.Join(dir, "runs", filepath.FromSlash(name))
		if err := os.MkdirAll(run, 0o700); err != nil {
			t.Fatal(err)
		}
		all := ""
		for step := range 3 {
			rows := ""
			for i := range 64 {
				score := float64((i + n) * (i + step) % 5 % 2)
				rows += fmt.Sprintf(`{"input": "question %d", "output": "answer", "gts": "%d", "score": %.1f, "step": %d}`+"\n", i%8, i%8, score, step+1)
			}
			writeFile(t, filepath.Join(run, fmt.Sprintf("%d.jsonl", step+1)), rows)
			all += rows
		}
		writeFile(t, filepath.Join(dir, "rollouts.jsonl"), all)
	}
	writeFile(t, filepath.Join(dir, "easyr1.yaml"), "algorithm:\n  adv_estimator: grpo\n  keep_neg_ratio: 0.5\n")
	writeFile(t, filepath.Join(dir, "run_verl.sh"), "python3 -m verl.trainer.main_ppo \\\n  algorithm.adv_estimator=grpo \\\n  actor_rollout_ref.rollout.n=8\n")
	writeFile(t, filepath.Join(dir, "config.yaml"), "vllm_importance_sampling_mode: sequence_mask\nvllm_importance_sampling_clip_max: 3.0\n")
	if err := os.MkdirAll(filepath.Join(dir, "outputs", "run-1"), 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "outputs", "run-1", "1.jsonl"), `{"step": 1, "prompt": "What is one and one?", "response": "It is two.", "reward": 1, "rollout_log_probs": [-2, -1, -1], "old_log_probs": [-1, -1, -3], "response_mask": [1, 1, 1], "advantage": 1}`+"\n"+
		`{"step": 1, "prompt": "What is one and one?", "response": "It is three.", "reward": 0, "rollout_log_probs": [-4], "old_log_probs": [-1], "response_mask": [1], "advantage": -1}`+"\n")
	writeFile(t, filepath.Join(dir, "logged.jsonl"),
		`{"step": 1, "group_id": "a", "reward": 1, "advantage": 0.5}`+"\n"+`{"step": 1, "group_id": "a", "reward": 0, "advantage": -0.5}`+"\n")
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Every test that the page on reliability names exists.
func TestNamedTestsExist(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", ".github", "docs", "contributors", "reliability.md"))
	if err != nil {
		t.Fatal(err)
	}
	var tests strings.Builder
	err = filepath.WalkDir("..", func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, "_test.go") {
			text, readErr := os.ReadFile(path)
			_, _ = tests.Write(text)
			return readErr
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile("`(Test[A-Za-z]+)`").FindAllStringSubmatch(string(page), -1)
	for _, name := range names {
		if !strings.Contains(tests.String(), "\nfunc "+name[1]+"(") {
			t.Errorf("there is no %s", name[1])
		}
	}
	if len(names) < 10 {
		t.Errorf("only %d tests are named", len(names))
	}
}

// The comment of the package names its files, in the order in which they are read.
func TestPackageCommentNamesTheFiles(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, line := range regexp.MustCompile(`(?m)^//\t(\w+\.go) +\w`).FindAllStringSubmatch(string(text), -1) {
		named = append(named, line[1])
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	files = slices.DeleteFunc(files, func(file string) bool { return file == "doc.go" || strings.HasSuffix(file, "_test.go") })
	if slices.Sort(named); !slices.Equal(named, files) {
		t.Errorf("doc.go names %v, the files are %v", named, files)
	}
}

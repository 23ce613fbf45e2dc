package loaders

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// stateOf returns a trainer_state.json that names reward functions.
func stateOf(names ...string) string {
	text := `{"epoch": 0.1, "log_history": [{"grad_norm": NaN, "reward": 1.0`
	for _, name := range names {
		text += `, "eval_rewards/` + name + `x/mean": 1, "rewards/` + name + `/mean": 0.5, "rewards/` + name + `/std": 0.1`
	}
	return text + `}], "best_metric": null}`
}

// Of each run within the opened directory the newest trainer_state.json names the reward functions; of
// those written at once it is that of the last step.
func TestRewardFunctionsOfTheTrainersRecord(t *testing.T) {
	t.Parallel()
	const rows = `{"step":1,"prompt":"p","response":"a","rewards":{"a":1,"b":2}}` + "\n"
	for name, test := range map[string]struct {
		files map[string]string
		open  string
		want  []string
		from  string
	}{
		"of the output directory":     {map[string]string{"trainer_state.json": stateOf("a", "b"), "completions/1.jsonl": rows}, ".", []string{"a", "b"}, "trainer_state.json"},
		"of a checkpoint":             {map[string]string{"checkpoint-20/trainer_state.json": stateOf("a"), "checkpoint-100/trainer_state.json": stateOf("c"), "completions/1.jsonl": rows}, ".", []string{"c"}, "checkpoint-100/trainer_state.json"},
		"a checkpoint with nothing":   {map[string]string{"checkpoint-1/trainer_state.json": stateOf("a"), "checkpoint-2/trainer_state.json": `{"log_history": []}`, "completions/1.jsonl": rows}, ".", []string{"a"}, "checkpoint-1/trainer_state.json"},
		"outside of what is opened":   {map[string]string{"trainer_state.json": stateOf("a"), "completions/1.jsonl": rows}, "completions", nil, ""},
		"of a run without logs":       {map[string]string{"other/trainer_state.json": stateOf("a"), "run/1.jsonl": rows}, ".", nil, ""},
		"of two runs":                 {map[string]string{"x/trainer_state.json": stateOf("a"), "x/1.jsonl": rows, "y/trainer_state.json": stateOf("b", "a"), "y/1.jsonl": rows}, ".", []string{"a", "b"}, "x/trainer_state.json"},
		"with an escaped name":        {map[string]string{"trainer_state.json": stateOf(`a\"\u00e9`), "1.jsonl": rows}, ".", []string{`a"é`}, "trainer_state.json"},
		"cut":                         {map[string]string{"trainer_state.json": stateOf("a", "b")[:120], "1.jsonl": rows}, ".", []string{"a"}, "trainer_state.json"},
		"only far behind its start":   {map[string]string{"trainer_state.json": strings.Repeat(" ", maxStateBytes) + stateOf("a"), "1.jsonl": rows}, ".", nil, ""},
		"that is no JSON at all":      {map[string]string{"trainer_state.json": "\x00\xff", "1.jsonl": rows}, ".", nil, ""},
		"with more names than anyone": {map[string]string{"trainer_state.json": stateOf(strings.Split(strings.Repeat("a b c d e f g h ", 2)+"i", " ")...), "1.jsonl": rows}, ".", strings.Split("abcdefghi", ""), "trainer_state.json"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for path, text := range test.files {
				writeFile(t, filepath.Join(dir, path), text)
				if err := os.Chtimes(filepath.Join(dir, path), yesterday, yesterday); err != nil {
					t.Fatal(err)
				}
			}
			s, err := Open([]string{filepath.Join(dir, test.open)}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = s.Close() }()
			run := snapshotOf(t, s).Run
			if !slices.Equal(run.RewardNames, test.want) || filepath.ToSlash(run.RewardNamesFrom) != test.from {
				t.Errorf("reward functions %q of %q, want %q of %q", run.RewardNames, run.RewardNamesFrom, test.want, test.from)
			}
		})
	}
}

// A link out of the directory is not followed.
func TestRecordBehindALinkIsNotRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "out", "trainer_state.json"), stateOf("a"))
	writeFile(t, filepath.Join(dir, "run", "1.jsonl"), row(1, 1))
	if err := os.Symlink(filepath.Join(dir, "out", "trainer_state.json"), filepath.Join(dir, "run", "trainer_state.json")); err != nil {
		t.Skip(err)
	}
	s, err := Open([]string{filepath.Join(dir, "run")}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if run := snapshotOf(t, s).Run; run.RewardNames != nil {
		t.Errorf("read %q", run.RewardNames)
	}
}

// The first checkpoint of a run that is followed names them.
func TestFollowedRunLearnsItsRewardFunctions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "completions", "1.jsonl"), row(1, 1))
	r := follow(t, dir, Options{Poll: 10 * time.Millisecond})
	r.until("the first row", hasRewards("1"))
	writeFile(t, filepath.Join(dir, "checkpoint-1", "trainer_state.json"), stateOf("a"))
	writeFile(t, filepath.Join(dir, "completions", "2.jsonl"), row(2, 2))
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for {
		c, err := r.s.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if slices.Equal(c.RewardNames, []string{"a"}) {
			return
		}
	}
}

// writeFile writes a file and the directories above it.
func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

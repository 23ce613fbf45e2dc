package loaders

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// conversation is a row of the lines that miles writes beside a rollout.
const conversation = `{"sample_index":0,"group_index":0,"status":"completed","reward":0.5,"prompt":"q","messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]}` + "\n"

const torchRollout = "compressed/torchfile/testdata/protocol2.pt" // 8 samples of rollout 3

// Of a rollout that miles writes twice the torch file is read, in whatever folders the two lie; lines without such a file are read.
func TestRolloutsOfMilesCountOnce(t *testing.T) {
	for name, c := range map[string]struct {
		files string // of lines, and torch files
		rows  int
		note  string
	}{
		"--dump-details":    {"d/rollout_data/3.pt d/trajectory/3.jsonl", 8, "counted once: d/trajectory/3.jsonl, since d/rollout_data/3.pt holds the same samples; give it by itself to read it"},
		"one folder":        {"3.jsonl 3.pt", 8, "counted once: 3.jsonl, since 3.pt holds the same samples; give it by itself to read it"},
		"several":           {"a/3.jsonl a/4.jsonl a/5.jsonl b/3.pt b/4.pt", 17, "counted once: a/3.jsonl and 1 more, since b/3.pt and the like hold the same samples; give them by themselves to read them"},
		"two runs":          {"one/a/3.jsonl two/b/3.pt", 9, ""},
		"a rollout of less": {"3.jsonl rollout_3.pt", 9, ""},
	} {
		dir := t.TempDir()
		for _, file := range strings.Fields(c.files) {
			writeTwin(t, filepath.Join(dir, file))
		}
		s, err := Open([]string{dir}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := drain(t, s)
		var notes []string
		for _, note := range got.Notes {
			if strings.HasPrefix(note, "counted once") {
				notes = append(notes, note)
			}
		}
		if len(got.Records) != c.rows || strings.Join(notes, "|") != c.note || len(got.Problems) > 0 {
			t.Errorf("%s: %d rows, %q, %v", name, len(got.Records), notes, got.Problems)
		}
	}
}

// miles writes the lines first: they are read until the rollout is there.
func TestRolloutThatComesLater(t *testing.T) {
	dir := t.TempDir()
	writeTwin(t, filepath.Join(dir, "trajectory/3.jsonl"))
	r := follow(t, dir, Options{polling: true, Poll: time.Millisecond})
	r.until("the lines", func(r *follower) bool { return len(r.Records) == 1 })
	writeTwin(t, filepath.Join(dir, "rollout_data/3.pt"))
	r.until("the rollout", func(r *follower) bool { return len(r.Records) == 8 && r.Progress.CaughtUp })
}

// writeTwin writes a file whole: lines, or a rollout of torch.
func writeTwin(t *testing.T, path string) {
	t.Helper()
	data := []byte(conversation)
	if filepath.Ext(path) == ".pt" {
		var err error
		if data, err = os.ReadFile(torchRollout); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".part", data, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".part", path); err != nil {
		t.Fatal(err)
	}
}

package logprobs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vantage/internal/testkit/filetest"
	"vantage/loaders/fileio"
)

// rowsOf writes a row for each step.
func rowsOf(steps ...int) string {
	var text strings.Builder
	for _, step := range steps {
		fmt.Fprintf(&text, `{"step": %d, "rollout_log_probs": [-1], "old_log_probs": [-1.5]}`+"\n", step)
	}
	return text.String()
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	filetest.Write(t, path, string(old)+text)
}

// Of a log that grows the new rows are read, and those of the newest step, with their lines; and all of one that is another.
func TestMemory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, b, c := filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "b.jsonl"), filepath.Join(dir, "c.jsonl")
	var seen Memory
	read := func() string {
		var got []string
		err := ReduceRest(&fileio.Disk{}, dir, &seen, func(s Sample) func(int64) error {
			return func(line int64) error {
				got = append(got, fmt.Sprintf("%s:%d=%d", strings.TrimSuffix(s.File, ".jsonl"), line, s.Step))
				return nil
			}
		}, func() { got = append(got, "…") })
		if errors.Is(err, ErrAgain) {
			seen = Memory{}
			return "again"
		} else if err != nil {
			t.Fatal(err)
		}
		return strings.Join(got, " ")
	}
	for _, c := range []struct {
		what string
		do   func()
		want string
	}{
		{"first", func() { filetest.Write(t, a, rowsOf(1, 1, 2, 2)) }, "a:1=1 a:2=1 a:3=2 a:4=2"},
		{"unchanged", func() {}, "… a:3=2 a:4=2"},
		{"grown", func() { appendTo(t, a, rowsOf(2, 3)+`{"step": 3, "rollout_log`) }, "… a:3=2 a:4=2 a:5=2 a:6=3"},
		{"a torn line goes on", func() { appendTo(t, a, `_probs": [-1]}`+"\n") }, "… a:6=3 a:7=3"},
		{"another file", func() { filetest.Write(t, b, rowsOf(3, 4)) }, "… a:6=3 a:7=3 b:1=3 b:2=4"},
		{"a file that is over", func() { appendTo(t, b, rowsOf(5)) }, "… … b:2=4 b:3=5"},
		{"a row of a step that was over", func() { appendTo(t, a, rowsOf(2)) }, "again"},
		{"all again", func() {}, "a:1=1 a:2=1 a:3=2 a:4=2 a:5=2 a:6=3 a:7=3 a:8=2 b:1=3 b:2=4 b:3=5"},
		{"written anew", func() { filetest.Write(t, b, rowsOf(3, 6, 7, 8)) }, "again"},
		{"all of that", func() {}, "a:1=1 a:2=1 a:3=2 a:4=2 a:5=2 a:6=3 a:7=3 a:8=2 b:1=3 b:2=6 b:3=7 b:4=8"},
		{"shorter", func() { filetest.Write(t, b, rowsOf(3, 6)) }, "again"},
		{"of that", func() { filetest.Write(t, c, rowsOf(9)) }, "a:1=1 a:2=1 a:3=2 a:4=2 a:5=2 a:6=3 a:7=3 a:8=2 b:1=3 b:2=6 c:1=9"},
		{"gone", func() { _ = os.Remove(c) }, "again"},
	} {
		c.do()
		if got := read(); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}

package loaders

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vantage/internal/testkit/filetest"
)

// rowsAndTable are samples as JSON lines and as the rows of a table.
func rowsAndTable(reward float64) (lines, table string) {
	table = "step,prompt,completion,reward\n"
	for i := range 16 {
		lines += fmt.Sprintf("{\"step\": %d, \"prompt\": \"p%d\", \"completion\": \"a%d\", \"reward\": %v}\n", i/8, i/4, i, reward*float64(i%3))
		table += fmt.Sprintf("%d,p%d,a%d,%v\n", i/8, i/4, i, reward*float64(i%3))
	}
	return lines, table
}

// The same samples in another container count once, whatever the order of the files, and which file was left out is told. Files whose rewards
// differ, and those of other names, count.
func TestCopiesCountOnce(t *testing.T) {
	lines, table := rowsAndTable(1)
	otherLines, otherTable := rowsAndTable(0.5)
	document := "[" + strings.ReplaceAll(strings.TrimSpace(lines), "\n", ",") + "]"
	for name, c := range map[string]struct {
		files map[string]string
		rows  int
		left  string
	}{
		"a table":              {map[string]string{"log.csv": table, "log.jsonl": lines}, 16, "counted once: log.csv, because log.jsonl holds the same samples"},
		"a document":           {map[string]string{"samples.json": document, "samples.jsonl": lines}, 16, "counted once: samples.json,"},
		"a packed one":         {map[string]string{"log.jsonl": lines, "log.jsonl.gz": gzipped(t, lines)}, 16, "counted once: log.jsonl.gz,"},
		"one of the same kind": {map[string]string{"log.jsonl": lines, "log_backup.jsonl": lines}, 16, "counted once: log_backup.jsonl,"},
		"other rewards":        {map[string]string{"log.jsonl": lines, "log.csv": otherTable}, 32, ""},
		"steps in the middle":  {map[string]string{"dump.step_1.jsonl": lines, "dump.step_2.jsonl": lines}, 32, ""},
		"other names":          {map[string]string{"a.jsonl": lines, "b.csv": table}, 32, ""},
		"several": {
			map[string]string{"step_1.jsonl": lines, "step_1.csv": table, "step_2.jsonl": otherLines, "step_2.csv": otherTable},
			32,
			"counted once: step_1.csv and 1 more, because step_1.jsonl and the like hold the same samples; give them by themselves to read them",
		},
	} {
		w := trainer{t, t.TempDir()}
		for file, text := range c.files {
			w.add(file, text)
		}
		got := readAll(t, w.dir)
		notes := strings.Join(got.Notes, "; ")
		if len(got.Records) != c.rows || !strings.Contains(notes, c.left) || c.left == "" && strings.Contains(notes, "counted once") {
			t.Errorf("%s: %d rows, %q", name, len(got.Records), notes)
		}
	}
}

// A copy is read instead of the file that it is one of when that goes while it is followed.
func TestCopyIsReadInsteadOfWhatIsGone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	original, table := filepath.Join(dir, "log.jsonl"), filepath.Join(dir, "log.csv")
	lines, cells := rowsAndTable(1)
	filetest.Write(t, original, lines)
	filetest.Write(t, table, cells)
	w := watchRun(t, dir, Options{Poll: 20 * time.Millisecond})
	count := func(want int) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for snap := w.store.Snapshot(); snap.Rows != want || !snap.Run.Progress.CaughtUp; snap = w.store.Snapshot() {
			chunk, err := w.s.Next(ctx)
			if err != nil {
				t.Fatalf("%d rows, want %d: %v", snap.Rows, want, err)
			}
			w.store.Append(chunk)
		}
	}
	count(16)
	other, _ := rowsAndTable(0.5)
	filetest.Write(t, filepath.Join(dir, "other.jsonl"), other)
	count(32)
	if err := os.Remove(original); err != nil {
		t.Fatal(err)
	}
	filetest.Write(t, table, cells+"2,p9,a,1\n")
	count(33)
}

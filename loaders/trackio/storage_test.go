package trackio

import (
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vantage/internal/testkit/filetest"
	"vantage/loaders/fileio"
)

// copied returns the path of a copy of the kept database.
func copied(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "math.db")
	data, err := os.ReadFile("testdata/math.db")
	if err == nil {
		err = os.WriteFile(path, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func text(t *testing.T, s fileio.Storage, name string) string {
	t.Helper()
	h, err := s.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(h)
	if info, _ := h.Stat(); err != nil || info.Size() != int64(len(all)) {
		t.Fatal(len(all), err)
	}
	return string(all)
}

// A path leads to a database, to a run in it, and to a file of that.
func TestOpen(t *testing.T) {
	path := copied(t)
	other := filepath.Join(filepath.Dir(path), "other.db")
	filetest.Write(t, other, strings.Repeat("SQLite ", 100))
	for name, want := range map[string]string{
		path: ".", path + "/": ".", path + "/calm sea": "calm sea", path + "/calm sea/traces.jsonl": "calm sea/traces.jsonl",
		path + "/a/b/c": "no", other: "no", filepath.Dir(path): "no", path + "x": "no", "": "no",
	} {
		s, inner := Open(nil, name)
		if (s == nil) != (want == "no") || s != nil && inner != want {
			t.Errorf("%s: %v, %q", name, s, inner)
		}
	}
	s, _ := Open(nil, path)
	if _, err := s.Stat("nobody"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	tree, err := s.Tree(".")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	_ = fs.WalkDir(tree, ".", func(name string, _ fs.DirEntry, _ error) error {
		names = append(names, name)
		return nil
	})
	entries, err := fs.ReadDir(tree, "calm sea")
	if len(entries) != 1 || err != nil || entries[0].Name() != "traces.jsonl" {
		t.Error(names, entries, err)
	}
}

// Any part of a file is that of its text.
func TestPartsOfFiles(t *testing.T) {
	s, _ := Open(nil, copied(t))
	for _, name := range []string{"brave_sun/completions.jsonl", "calm sea/traces.jsonl"} {
		whole := text(t, s, name)
		h, err := s.Open(name)
		if err != nil || strings.Count(whole, "\n") < 2 {
			t.Fatal(len(whole), err)
		}
		for range 200 {
			from, n := rand.IntN(len(whole)+2), rand.IntN(len(whole)+10)
			part := make([]byte, n)
			got, err := h.ReadAt(part, int64(from))
			want := whole[min(from, len(whole)):min(from+n, len(whole))]
			if string(part[:got]) != want || got < n && !errors.Is(err, io.EOF) {
				t.Fatalf("%s from %d: %d of %d bytes, %v", name, from, got, n, err)
			}
		}
	}
}

// What is logged is appended; where a run was removed, its file is gone, and the others stay as they were.
func TestChanges(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil || exec.Command(python, "-c", "import sqlite3").Run() != nil {
		t.Skip("no python3 with sqlite3")
	}
	path := copied(t)
	run := func(sql string) {
		t.Helper()
		time.Sleep(30 * time.Millisecond) // filesystems tell times by ticks
		const script = "import sqlite3, sys\ndb = sqlite3.connect(sys.argv[1])\ndb.executescript(sys.argv[2])\ndb.close()"
		if out, err := exec.Command(python, "-c", script, path, sql).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	s, _ := Open(nil, path)
	sun, sea := text(t, s, "brave_sun/completions.jsonl"), text(t, s, "calm sea/traces.jsonl")
	run(`INSERT INTO metrics (run_id, timestamp, run_name, step, metrics) SELECT run_id, timestamp, run_name, 9, '{"t":{"_type":"trackio.table","_value":[' || char(10) || ']}}' FROM metrics WHERE run_name = 'brave/sun' LIMIT 1;
		INSERT INTO metrics (run_id, timestamp, run_name, step, metrics) VALUES ('new', '', 'brave/sun', 1, '{"t":{"_type":"trackio.table","_value":[]}}')`)
	if got, want := text(t, s, "brave_sun/completions.jsonl"), sun+`{"trackio":"metrics","step":9,"metrics":{"t":{"_type":"trackio.table","_value":[ ]}}}`+"\n"; got != want {
		t.Errorf("%q after %q", strings.TrimPrefix(got, sun), sun[len(sun)-100:])
	}
	if got := text(t, s, "brave_sun (2)/completions.jsonl"); got != `{"trackio":"metrics","step":1,"metrics":{"t":{"_type":"trackio.table","_value":[]}}}`+"\n" {
		t.Errorf("%q", got)
	}
	run("DELETE FROM metrics WHERE run_name = 'brave/sun'")
	if got := text(t, s, "calm sea/traces.jsonl"); got != sea {
		t.Errorf("%q", got)
	}
	if _, err := s.Open("brave_sun/completions.jsonl"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	run("DROP TABLE traces; DROP TABLE metrics")
	var failure *fileio.Failure
	if _, err := s.Tree("."); !errors.As(err, &failure) || failure.Lost {
		t.Error(err)
	}
}

// The folder of a run has a name that leads nowhere else.
func TestFolders(t *testing.T) {
	for name, want := range map[string]string{"a": "a", "a/b\\c": "a_b_c", "..": "_..", "": "_", ".hidden": "_.hidden", "a\nb": "a_b"} {
		if got := folder(name); got != want {
			t.Errorf("%q: %q", name, got)
		}
	}
}

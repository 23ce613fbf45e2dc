package userfiles

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file goes where the person says, with ~ for the home directory; never over another file, into a folder
// with logs, or beside a log.
func TestSaveAs(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	t.Setenv("XDG_STATE_HOME", home)
	t.Chdir(home)
	for _, dir := range []string{"run/rollouts", "logs/old", "out"} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{"run/rollouts/1.jsonl", "logs/log.jsonl"} {
		if err := os.WriteFile(path, []byte("{}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("run/rollouts", "link"); err != nil {
		t.Fatal(err)
	}
	d, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	d = d.Protect([]string{"run"}).Protect([]string{"logs/log.jsonl", "s3://bucket/run", "node7:run", "-"})
	for path, want := range map[string]string{
		"~/a.md": "a.md", "b.csv": "b.csv", "out/../c.md": "c.md", filepath.Join(home, "out", "d e.md"): "out/d e.md", "logs/old/e.md": "logs/old/e.md", "~f": "~f",
	} {
		got, err := d.SaveAs(path, []byte("text"))
		if want = filepath.Join(home, want); err != nil || got != want {
			t.Errorf("%s: %s, want %s (%v)", path, got, want, err)
		}
		if data, err := os.ReadFile(want); err != nil || string(data) != "text" {
			t.Errorf("%s holds %q (%v)", want, data, err)
		}
	}
	for path, want := range map[string]string{
		"b.csv": "exists, and nothing is overwritten: give another name", "~": "is a folder", "out": "is a folder", "nowhere/x.md": "there is no folder",
		"run/x.md": "among the files of the log run", "run/rollouts/x.md": "among the files of the log run", "link/x.md": "among the files of the log run",
		"logs/x.md": "among the files of the log logs/log.jsonl", "run/rollouts/1.jsonl": "nothing is overwritten",
	} {
		if got, err := d.SaveAs(path, []byte("other")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %s, %v, want %q", path, got, err, want)
		}
	}
	if data, err := os.ReadFile("b.csv"); err != nil || string(data) != "text" {
		t.Errorf("b.csv holds %q (%v)", data, err)
	}
}

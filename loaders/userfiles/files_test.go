package userfiles

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vantage/internal/testkit/filetest"
)

func TestSave(t *testing.T) {
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	d, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	for n, want := range []string{"groups-1.tsv", "groups-2.tsv"} {
		path, err := d.Save("../groups.tsv", []byte{byte(n)})
		if err != nil || path != filepath.Join(state, "vantage", want) {
			t.Errorf("%s, %v", path, err)
		}
		if data, err := os.ReadFile(path); err != nil || len(data) != 1 || data[0] != byte(n) {
			t.Errorf("%v, %v", data, err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info, err)
		}
	}
}

func TestLoadConfig(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	if c, err := LoadConfig(); err != nil || c.Theme != "" {
		t.Errorf("no configuration: %+v, %v", c, err)
	}
	if err := os.Mkdir(filepath.Join(dir, "vantage"), 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		filetest.Write(t, filepath.Join(dir, "vantage", "config.yaml"), text)
	}
	write("theme: light\nmouse: true\nkeys:\n  x: q\n")
	if c, err := LoadConfig(); err != nil || c.Theme != "light" || !c.Mouse || c.Keys["x"] != "q" {
		t.Errorf("%+v, %v", c, err)
	}
	write("them: light\n")
	if _, err := LoadConfig(); err == nil || !strings.Contains(err.Error(), "config.yaml is ignored: [1:1] unknown field \"them\"") {
		t.Error(err)
	}
	write(SampleConfig)
	if c, err := LoadConfig(); err != nil || c.Theme != "" || c.Keys != nil {
		t.Errorf("the sample: %+v, %v", c, err)
	}
	write(strings.NewReplacer("# theme", "theme", "# ascii", "ascii", "# mouse", "mouse", "# keys", "keys", "#   x", "  x", "#   n", "  n").Replace(SampleConfig))
	if c, err := LoadConfig(); err != nil || c.Theme != "dark" || !c.ASCII || !c.Mouse || len(c.Keys) != 2 {
		t.Errorf("the sample, all taken: %+v, %v", c, err)
	}
}

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
		filetest.Write(t, path, "{}\n")
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

// A relative folder would be one wherever the program runs, such as in that of a log.
func TestRelativeHomesDoNotCount(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_STATE_HOME", "state")
	files, err := Open()
	if want := filepath.Join(home, ".local", "state", "vantage", "cache"); err != nil || files.CacheDir() != want {
		t.Errorf("with a relative XDG_STATE_HOME: %v, want %s", err, want)
	}
	t.Setenv("HOME", "home")
	if _, err := Open(); err == nil {
		t.Error("a relative HOME is taken")
	}
}

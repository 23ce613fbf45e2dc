package loaders

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Databases of trackio are found, also in trackio's own folder, and again if a run in one was opened; other databases are not.
func TestFindsProjectsOfTrackio(t *testing.T) {
	here, home := t.TempDir(), t.TempDir()
	project, err := os.ReadFile("trackio/testdata/math.db")
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile("trackio/testdata/sqlite/small.db")
	if err != nil {
		t.Fatal(err)
	}
	trackio := filepath.Join(home, ".cache", "huggingface", "trackio")
	write(t, filepath.Join(here, "trackio", "one.db"), string(project))
	write(t, filepath.Join(here, "trackio", "one.db-wal"), "")
	write(t, filepath.Join(here, "trackio", "one.lock"), "")
	write(t, filepath.Join(here, "trackio", "two.db"), string(project))
	write(t, filepath.Join(here, "optuna.db"), string(other))
	write(t, filepath.Join(here, "text.db"), verlRow)
	write(t, filepath.Join(trackio, "math.db"), string(project))
	opened := time.Now().Add(-time.Hour)
	options := FinderOptions{Dir: here, Home: home, Also: []string{trackio}, Recent: []RecentRun{{Paths: []string{filepath.Join(trackio, "math.db", "calm sea")}, Opened: opened}}}
	list, _ := findAll(t, options)
	want := map[string]string{
		"trackio/one.db": "trackio", "trackio/two.db": "trackio", "~/.cache/huggingface/trackio/math.db": "trackio",
		"~/.cache/huggingface/trackio/math.db/calm sea": "trackio",
	}
	if diff := cmp.Diff(want, summaries(list)); diff != "" {
		t.Error(diff)
	}
	for _, r := range list.Runs() {
		if r.LastWrite.IsZero() || r.Size == 0 {
			t.Errorf("%+v", r)
		}
	}
}

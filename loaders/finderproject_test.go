package loaders

import (
	"path/filepath"
	"testing"
	"time"

	"vantage/internal/testkit/filetest"

	"github.com/google/go-cmp/cmp"
)

// Databases of trackio are found, also in trackio's own folder, and again if a run in one was opened; other databases are not.
func TestFindsProjectsOfTrackio(t *testing.T) {
	here, home := t.TempDir(), t.TempDir()
	project := filetest.Read(t, "trackio/testdata/math.db")
	other := filetest.Read(t, "trackio/testdata/sqlite/small.db")
	trackio := filepath.Join(home, ".cache", "huggingface", "trackio")
	filetest.Write(t, filepath.Join(here, "trackio", "one.db"), string(project))
	filetest.Write(t, filepath.Join(here, "trackio", "one.db-wal"), "")
	filetest.Write(t, filepath.Join(here, "trackio", "one.lock"), "")
	filetest.Write(t, filepath.Join(here, "trackio", "two.db"), string(project))
	filetest.Write(t, filepath.Join(here, "optuna.db"), string(other))
	filetest.Write(t, filepath.Join(here, "text.db"), verlRow)
	filetest.Write(t, filepath.Join(trackio, "math.db"), string(project))
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

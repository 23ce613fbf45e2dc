package loaders

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vantage/internal/testkit/formatstest"
	"vantage/model"
)

// copyFile copies a file of testdata.
func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A database of trackio has a folder for each run, which can be opened by itself.
func TestTrackioRuns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "math.db")
	copyFile(t, "trackio/testdata/math.db", path)
	want := map[string]int{path: 12, path + "/brave_sun": 8, path + "/calm sea/": 4, path + "/calm sea/traces.jsonl": 4}
	for at, rows := range want {
		s, err := Open([]string{at}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := drain(t, s)
		if len(got.Records) != rows || len(got.Problems) > 0 {
			t.Errorf("%s: %d rows, %v", at, len(got.Records), got.Problems)
		}
		text, err := s.Text(t.Context(), model.Place{File: got.Records[rows-1].File, Offset: got.Records[rows-1].Offset, IndexInLine: got.Records[rows-1].IndexInLine})
		if err != nil || !strings.HasSuffix(text.Prompt, " + 1?") || text.Response != "ä 1\n" && !strings.HasSuffix(text.Response, "ä 1") {
			t.Errorf("%s: %+v, %v", at, text, err)
		}
		_ = s.Close()
	}
	for _, log := range formatstest.Logs(t, "formats/testdata") {
		if log.Format != "trackio" {
			continue
		}
		s, err := Open([]string{path + "/brave_sun"}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := formatstest.Diff(log.Want, formatstest.Samples(drain(t, s).Records)); diff != "" {
			t.Error(diff)
		}
		_ = s.Close()
	}
}

// Trackio's folder is that of its only project. Of several, and beside logs, none is opened.
func TestTrackioFolder(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"math.lock", "math.db-shm", "media/math/brave_sun/1/a.png", "other/notes.db"} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("x"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	copyFile(t, "sqlite/testdata/small.db", filepath.Join(dir, "optuna.db"))
	copyFile(t, "trackio/testdata/math.db", filepath.Join(dir, "math.db"))
	for _, o := range []Options{{}, {Follow: true, polling: true, Poll: time.Millisecond}} {
		s, err := Open([]string{dir}, o)
		if err != nil {
			t.Fatal(err)
		}
		if snap := nextRows(t, s, model.NewStore(), 12); snap.Rows != 12 {
			t.Errorf("%d rows", snap.Rows)
		}
		_ = s.Close()
	}
	copyFile(t, "trackio/testdata/math.db", filepath.Join(dir, "code.db"))
	for _, o := range []Options{{}, {Follow: true}} {
		want := dir + " holds 2 databases of trackio, each of another project: give one of them: " + filepath.Join(dir, "code.db") + ", " + filepath.Join(dir, "math.db")
		if _, err := Open([]string{dir}, o); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	copyFile(t, "formats/testdata/verl/3.jsonl", filepath.Join(dir, "1.jsonl"))
	s, err := Open([]string{dir}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := drain(t, s); got.Progress.Files != 1 {
		t.Error(got.Progress)
	}
	_ = s.Close()
}

// What trackio logs while a database is followed is read on, from the log beside the database: what was read stays.
func TestTrackioIsFollowed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "math.db")
	copyFile(t, "trackio/testdata/math.db", path)
	s, err := Open([]string{path + "/brave_sun"}, Options{Follow: true, polling: true, Poll: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	store := model.NewStore()
	nextRows(t, s, store, 8)
	copyFile(t, "trackio/testdata/later.db-wal", path+"-wal")
	snap := nextRows(t, s, store, 12)
	if len(snap.Steps) != 3 || snap.Steps[2].Number != 3 || len(snap.Steps[0].Rewards) != 4 {
		t.Errorf("%d steps", len(snap.Steps))
	}
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 2 {
		t.Error(entries)
	}
}

// A database, or a run in one, is waited for: trackio creates it empty.
func TestTrackioIsAwaited(t *testing.T) {
	for _, run := range []string{"", "/brave_sun"} {
		t.Run("math.db"+run, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "math.db")
			s, err := Open([]string{path + run}, Options{Follow: true, Wait: true, polling: true, Poll: time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			progress := func(until func(model.Progress) bool) {
				for {
					if c, err := s.Next(t.Context()); err != nil {
						t.Fatal(err)
					} else if until(c.Progress) {
						return
					}
				}
			}
			progress(func(p model.Progress) bool { return p.Awaited == path+run })
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			progress(func(p model.Progress) bool { return p.Awaited == "" })
			copyFile(t, "trackio/testdata/math.db", path+".new")
			if err := os.Rename(path+".new", path); err != nil {
				t.Fatal(err)
			}
			nextRows(t, s, model.NewStore(), 8)
		})
	}
}

// A database that is not trackio's, or damaged, is refused in a sentence.
func TestTrackioRefusals(t *testing.T) {
	whole, err := os.ReadFile("trackio/testdata/math.db")
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile("sqlite/testdata/small.db")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"other.db": {other, "is a SQLite database, but none of trackio: it has no table metrics with its columns: export its rows as JSON lines"},
		"empty.db": {nil, "is empty: wait until trackio has logged something, or follow it"},
		"cut.db":   {whole[:20000], "cut.db cannot be read: it is broken, or cut off: page 71 of 39: copy it again, together with the file -wal beside it"},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, c.data, 0o600); err != nil {
			t.Fatal(err)
		}
		var e *Error
		if err := refusal(t, path); !errors.As(err, &e) || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	copyFile(t, "trackio/testdata/math.db", filepath.Join(dir, "math.db"))
	want := filepath.Join(dir, "math.db/calm") + " is no run with samples: the runs with samples are brave_sun, calm sea"
	if err := refusal(t, filepath.Join(dir, "math.db/calm")); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	only := t.TempDir()
	copyFile(t, "sqlite/testdata/small.db", filepath.Join(only, "other.db"))
	if _, err := Open([]string{only}, Options{}); err == nil || !strings.Contains(err.Error(), "of .db files only trackio's are read, each when it is given itself, on the machine where it lies") {
		t.Error(err)
	}
}

// refusal returns the error with which the reading of a path ends.
func refusal(t *testing.T, path string) error {
	t.Helper()
	s, err := Open([]string{path}, Options{})
	if err != nil {
		return err
	}
	defer func() { _ = s.Close() }()
	for err == nil {
		_, err = s.Next(context.Background())
	}
	return err
}

// A database to which no samples were logged says how they get there.
func TestTrackioWithoutSamples(t *testing.T) {
	path := filepath.Join(t.TempDir(), "math.db")
	copyFile(t, "trackio/testdata/averages.db", path)
	want := path + " holds no logs: trackio has the averages of its runs, and TRL logs the samples there with log_completions=True"
	if err := refusal(t, path); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

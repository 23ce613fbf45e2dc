package loaders

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"vantage/internal/testkit/filetest"
	"vantage/internal/testkit/formatstest"
	"vantage/loaders/fileio"
	"vantage/model"
)

// memoryStorage is a storage whose connection can be cut.
type memoryStorage struct {
	mu    sync.Mutex
	files fstest.MapFS
	cut   bool
	opens int
	stats int
	lists int
}

var errCut = &fileio.Failure{What: "does not answer", Do: "look at the network", Lost: true}

func (m *memoryStorage) Name() string      { return "mem:" }
func (m *memoryStorage) WillRead([]string) {}
func (m *memoryStorage) Close() error      { return nil }

func (m *memoryStorage) Link() model.Link {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cut {
		return model.Link{Host: "mem", State: model.LinkLost}
	}
	return model.Link{Host: "mem"}
}

func (m *memoryStorage) Stat(name string) (fs.FileInfo, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stats++
	if m.cut {
		return nil, errCut
	}
	return m.object(name)
}

func (m *memoryStorage) object(name string) (fs.FileInfo, error) {
	info, err := m.files.Stat(name)
	if err != nil {
		return nil, err
	}
	return fileio.Object{Path: name, Bytes: info.Size(), Modified: info.ModTime(), Folder: info.IsDir()}, nil
}

// Tree implements [fileio.Storage].
func (m *memoryStorage) Tree(dir string) (fs.FS, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lists++
	if m.cut {
		return nil, errCut
	}
	return memoryTree{m, dir}, nil
}

type memoryTree struct {
	*memoryStorage
	dir string
}

func (t memoryTree) Open(string) (fs.File, error) { return nil, errors.ErrUnsupported }

func (t memoryTree) ReadDir(dir string) ([]fs.DirEntry, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	whole := filepath.Join(t.dir, dir)
	entries, err := t.files.ReadDir(whole)
	for i, e := range entries {
		info, _ := t.object(filepath.Join(whole, e.Name()))
		entries[i] = info.(fileio.Object)
	}
	return entries, err
}

func (m *memoryStorage) Open(name string) (fileio.Handle, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.opens++
	if m.cut {
		return nil, errCut
	}
	info, err := m.object(name)
	if err != nil {
		return nil, err
	}
	text, err := m.files.ReadFile(name)
	return memoryHandle{strings.NewReader(string(text)), info}, err
}

type memoryHandle struct {
	*strings.Reader
	info fs.FileInfo
}

func (h memoryHandle) Stat() (os.FileInfo, error) { return h.info, nil }
func (h memoryHandle) Close() error               { return nil }

func (m *memoryStorage) scheme() []Scheme {
	return []Scheme{{
		Names: func(path string) bool { return strings.HasPrefix(path, "mem:") },
		Open: func(path string, _ *Options) (fileio.Origin, string, error) {
			return m, strings.TrimPrefix(path, "mem:"), nil
		},
	}}
}

// write writes a file, as one that is appended to or replaced.
func (m *memoryStorage) write(name, text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	files := maps.Clone(m.files)
	files[name] = &fstest.MapFile{Data: []byte(text), ModTime: time.Now()}
	m.files = files
}

func (m *memoryStorage) setCut(cut bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cut = cut
}

func verlStep(step, groups int) string {
	var b strings.Builder
	for g := range groups {
		for i := range 4 {
			fmt.Fprintf(&b, `{"input":"prompt %d","output":"answer %d","gts":"4","score":%d.0,"step":%d}`+"\n", g, i, (g+i)%2, step)
		}
	}
	return b.String()
}

// nextRows reads until so many rows have come.
func nextRows(t *testing.T, s *Source, store *model.Store, rows int) model.Snapshot {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(stop) // not before: the next chunk is read already
	for {
		chunk, err := s.Next(ctx)
		if err != nil && (!errors.Is(err, io.EOF) || rows > 0) {
			t.Fatalf("%v, with %d rows", err, store.Snapshot().Rows)
		}
		if err != nil {
			return store.Snapshot()
		}
		store.Append(chunk)
		if snap := store.Snapshot(); rows > 0 && snap.Rows >= rows {
			return snap
		}
	}
}

// A run in a storage has the numbers of the same run on this machine.
func TestStorageIsReadAsThisMachine(t *testing.T) {
	m := &memoryStorage{files: fstest.MapFS{}}
	dir := t.TempDir()
	for step := 1; step <= 12; step++ {
		name := fmt.Sprintf("%d.jsonl", step)
		m.write("runs/a/"+name, verlStep(step, 3))
		filetest.Write(t, filepath.Join(dir, name), verlStep(step, 3))
	}
	here := open(t, Options{}, dir)
	there := open(t, Options{schemes: m.scheme()}, "mem:runs/a")
	if m.stats+m.lists+m.opens > 0 {
		t.Error("the storage was asked before the first chunk")
	}
	want, got := nextRows(t, here, model.NewStore(), 0), nextRows(t, there, model.NewStore(), 0)
	if len(got.Steps) != 12 || got.Rows != 144 {
		t.Fatalf("%d steps, %d rows", len(got.Steps), got.Rows)
	}
	for i := range want.Steps {
		if d := cmp.Diff(want.Steps[i].Rewards, got.Steps[i].Rewards); d != "" {
			t.Errorf("step %d: %s", want.Steps[i].Number, d)
		}
	}
}

// A run is followed by listings: what has not changed costs no other request.
func TestStorageIsFollowedByListing(t *testing.T) {
	t.Parallel()
	m := &memoryStorage{files: fstest.MapFS{}}
	m.write("a/1.jsonl", verlStep(1, 2))
	s := open(t, Options{Follow: true, polling: true, Poll: time.Millisecond, schemes: m.scheme()}, "mem:a")
	store := model.NewStore()
	nextRows(t, s, store, 8)
	opens := m.opens
	m.write("a/2.jsonl", verlStep(2, 1))
	nextRows(t, s, store, 12)
	m.write("a/2.jsonl", verlStep(2, 2))
	if snap := nextRows(t, s, store, 16); len(snap.Steps) != 2 {
		t.Errorf("%d steps", len(snap.Steps))
	}
	if m.opens-opens > 4 || m.stats > 1 {
		t.Errorf("%d files opened, %d described", m.opens-opens, m.stats)
	}
}

// A connection that is lost among many files costs none of them, and what another storage or this machine has is read
// meanwhile.
func TestStorageLostAmongManyFiles(t *testing.T) {
	t.Parallel()
	m := &memoryStorage{files: fstest.MapFS{}}
	for step := 1; step <= 100; step++ {
		m.write(fmt.Sprintf("a/%d.jsonl", step), verlStep(step, 1))
	}
	here := filepath.Join(t.TempDir(), "200.jsonl")
	filetest.Write(t, here, verlStep(200, 1))
	s := open(t, Options{Follow: true, polling: true, serial: true, Poll: time.Millisecond, schemes: m.scheme()}, "mem:a", here)
	store := model.NewStore()
	if err := s.files.openAwaited(time.Now()); err != nil {
		t.Fatal(err)
	}
	m.setCut(true)
	if snap := nextRows(t, s, store, 4); snap.Run.Progress.Link.State != model.LinkLost || len(snap.Run.Problems) > 0 {
		t.Errorf("%+v, %v", snap.Run.Progress, snap.Run.Problems)
	}
	time.AfterFunc(100*time.Millisecond, func() { m.setCut(false) })
	if snap := nextRows(t, s, store, 404); len(snap.Steps) != 101 {
		t.Errorf("%d steps", len(snap.Steps))
	}
}

// What cannot be read to its end is an error, and never a run with fewer rows. A follower goes on once the connection
// is back.
func TestStorageLost(t *testing.T) {
	t.Parallel()
	m := &memoryStorage{files: fstest.MapFS{}}
	m.write("a/1.jsonl", verlStep(1, 2))
	m.write("a/2.jsonl", verlStep(2, 2))
	for _, follow := range []bool{false, true} {
		m.setCut(false)
		s := open(t, Options{Follow: follow, polling: true, serial: true, Poll: time.Millisecond, schemes: m.scheme()}, "mem:a")
		if err := s.files.openAwaited(time.Now()); err != nil {
			t.Fatal(err)
		}
		m.setCut(true)
		if follow {
			time.AfterFunc(100*time.Millisecond, func() { m.setCut(false) })
			nextRows(t, s, model.NewStore(), 16)
			continue
		}
		var err error
		for err == nil {
			_, err = s.Next(t.Context())
		}
		var e *Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), "mem:a/1.jsonl does not answer: look at the network; ") || !strings.HasSuffix(err.Error(), " of the log were read") {
			t.Error(err)
		}
	}
}

// While nothing changes a storage is asked about once a second however many of its paths are open, folders and files by
// themselves; a change of any of them is seen all the same.
func TestIdleStorageIsAskedOnceASecond(t *testing.T) {
	for _, paths := range [][]string{{"mem:a"}, {"mem:b.jsonl"}, {"mem:a", "mem:a2"}, {"mem:a", "mem:a2", "mem:b.jsonl", "mem:c.jsonl", "mem:d.jsonl"}} {
		synctest.Test(t, func(t *testing.T) {
			m := &memoryStorage{files: fstest.MapFS{}}
			for step, name := range []string{"a/1.jsonl", "a2/2.jsonl", "b.jsonl", "c.jsonl", "d.jsonl"} {
				m.files[name] = &fstest.MapFile{Data: []byte(verlStep(step+1, 1)), ModTime: time.Now()}
			}
			s, err := Open(paths, Options{Follow: true, polling: true, schemes: m.scheme()})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			var rows atomic.Int64
			go func() {
				store := model.NewStore()
				for {
					c, err := s.Next(t.Context())
					if err != nil {
						return // it is closed
					}
					store.Append(c)
					rows.Store(int64(store.Snapshot().Rows))
				}
			}()
			follow := func(d time.Duration) { time.Sleep(d); synctest.Wait() }
			follow(20 * time.Second)
			if rows.Load() != int64(4*len(paths)) {
				t.Fatalf("%v: %d rows", paths, rows.Load())
			}
			before := m.asked()
			follow(time.Minute)
			if n := m.asked() - before; n < 50 || n > 61 {
				t.Errorf("%v: asked %d times in a minute", paths, n)
			}
			for step, path := range paths { // the oldest ones too
				name := strings.TrimPrefix(path, "mem:")
				if !strings.HasSuffix(name, ".jsonl") {
					name += "/9.jsonl"
				}
				before := rows.Load()
				m.append(name, verlStep(step+10, 1))
				follow(time.Duration(len(paths)+2) * time.Second)
				if rows.Load() != before+4 {
					t.Errorf("%v: %d rows after a change of %s, %d before", paths, rows.Load(), name, before)
				}
				follow(20 * time.Second)
			}
		})
	}
}

// asked returns how often the storage was asked.
func (m *memoryStorage) asked() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stats + m.lists + m.opens
}

// append appends to a file, or creates it.
func (m *memoryStorage) append(name, text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var old []byte
	if f := m.files[name]; f != nil {
		old = f.Data
	}
	m.files[name] = &fstest.MapFile{Data: append(old[:len(old):len(old)], text...), ModTime: time.Now()}
}

// A path with a scheme is shown as it was given.
func TestFileNames(t *testing.T) {
	for _, c := range []struct{ prefix, rel, name, dir string }{
		{"", "a.jsonl", "a.jsonl", "."},
		{"", "run/a.jsonl", "run/a.jsonl", "run"},
		{"../run/", "x/a.jsonl", "../run/x/a.jsonl", "../run/x"},
		{"/runs/a", "1.jsonl", "/runs/a/1.jsonl", "/runs/a"},
		{"node7:runs/a", "1.jsonl", "node7:runs/a/1.jsonl", "node7:runs/a"},
		{"ssh://me@node7:22/runs/a/", "x/1.jsonl", "ssh://me@node7:22/runs/a/x/1.jsonl", "ssh://me@node7:22/runs/a/x"},
		{"s3://bucket", "1.jsonl", "s3://bucket/1.jsonl", "s3://bucket"},
		{"a/s3://bucket", "1.jsonl", "a/s3:/bucket/1.jsonl", "a/s3:/bucket"},
	} {
		name := joinName(c.prefix, c.rel)
		if name != c.name || dirOfName(name) != c.dir {
			t.Errorf("%q and %q are %q in %q", c.prefix, c.rel, name, dirOfName(name))
		}
	}
	if at := runDirOf("s3://bucket/run/global_step_7/1.jsonl"); at.path != "s3://bucket/run/*" {
		t.Errorf("%q", at.path)
	}
}

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
		s := open(t, Options{}, at)
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
	copyFile(t, "trackio/testdata/sqlite/small.db", filepath.Join(dir, "optuna.db"))
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
	t.Parallel()
	path := filepath.Join(t.TempDir(), "math.db")
	copyFile(t, "trackio/testdata/math.db", path)
	s := open(t, Options{Follow: true, polling: true, Poll: time.Millisecond}, path+"/brave_sun")
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
	t.Parallel()
	for _, run := range []string{"", "/brave_sun"} {
		t.Run("math.db"+run, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "math.db")
			s := open(t, Options{Follow: true, Wait: true, polling: true, Poll: time.Millisecond}, path+run)
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
			filetest.Write(t, path, "")
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
	whole := filetest.Read(t, "trackio/testdata/math.db")
	other := filetest.Read(t, "trackio/testdata/sqlite/small.db")
	dir := t.TempDir()
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"other.db": {other, "is a SQLite database, but none of trackio: it has no table metrics with its columns: export its rows as JSON lines"},
		"empty.db": {nil, "is empty: wait until trackio has logged something, or follow it"},
		"cut.db":   {whole[:20000], "cut.db cannot be read: it is broken, or cut off: page 71 of 39: copy it again, together with the file -wal next to it"},
	} {
		path := filepath.Join(dir, name)
		filetest.Write(t, path, c.data)
		var e *Error
		if err := refusal(t, path); !errors.As(err, &e) || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	copyFile(t, "trackio/testdata/math.db", filepath.Join(dir, "math.db"))
	want := filepath.Join(dir, "math.db/calm") + " is not a run with samples: the runs with samples are brave_sun, calm sea"
	if err := refusal(t, filepath.Join(dir, "math.db/calm")); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	only := t.TempDir()
	copyFile(t, "trackio/testdata/sqlite/small.db", filepath.Join(only, "other.db"))
	if _, err := Open([]string{only}, Options{}); err == nil || !strings.Contains(err.Error(), "of .db files only trackio's are read, each when you open it itself, on its own machine") {
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

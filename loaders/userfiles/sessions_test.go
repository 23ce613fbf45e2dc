package userfiles

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vantage/internal/testkit/filetest"
	"vantage/model/session"
)

// newSessionFile returns the session file of a run in a new state directory.
func newSessionFile(t *testing.T, paths ...string) (*SessionFile, string) {
	t.Helper()
	state := filepath.Join(t.TempDir(), "state")
	t.Setenv("XDG_STATE_HOME", state)
	d, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	m, err := d.Session(paths)
	if err != nil {
		t.Fatal(err)
	}
	return m, state
}

// keeping returns a change of the view, which is told by its ratio.
func keeping(ratio float64) func(session.Session) session.Session {
	return func(s session.Session) session.Session { s.View = &session.View{KeepPos: ratio, KeepNeg: 1}; return s }
}

// A session is found by any path to its run, and by no other; it is one file.
func TestSessionIsFoundByPath(t *testing.T) {
	run := t.TempDir()
	m, state := newSessionFile(t, run)
	if s, err := m.Load(); err != nil || s.View != nil {
		t.Errorf("%+v, %v", s, err)
	}
	if _, err := m.Update(func(s session.Session) session.Session { return s }); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(state); err == nil {
		t.Error("a file was made for nothing")
	}
	if _, err := m.Update(keeping(0.7)); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "latest")
	if err := os.Symlink(run, link); err != nil {
		t.Skip(err)
	}
	for _, name := range []string{run, run + "/", filepath.Join(run, "..", filepath.Base(run)), link} {
		again, err := (&Files{dir: filepath.Join(state, "vantage")}).Session([]string{name})
		if err != nil {
			t.Fatal(err)
		}
		if s, err := again.Load(); err != nil || s.View == nil || s.View.KeepPos != 0.7 {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
	elsewhere, err := (&Files{dir: filepath.Join(state, "vantage")}).Session([]string{link, run + "2"})
	if err != nil {
		t.Fatal(err)
	}
	if s, err := elsewhere.Load(); err != nil || s.View != nil {
		t.Errorf("another run: %+v, %v", s, err)
	}
	files, err := filepath.Glob(filepath.Join(state, "vantage", "runs", "*"))
	hidden, _ := filepath.Glob(filepath.Join(state, "vantage", "runs", ".*"))
	if err != nil || len(files) != 1 || len(hidden) != 0 {
		t.Errorf("%v %v %v", files, hidden, err)
	}
	if info, err := os.Stat(files[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if beside, err := os.ReadDir(run); err != nil || len(beside) != 0 {
		t.Errorf("beside the log: %v, %v", beside, err)
	}
}

// Two programs on one run keep each other's changes.
func TestConcurrentUpdates(t *testing.T) {
	run := t.TempDir()
	one, state := newSessionFile(t, run)
	two, err := (&Files{dir: filepath.Join(state, "vantage")}).Session([]string{run})
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range []*SessionFile{one, two, one} {
		add := func(s session.Session) session.Session {
			if s.View == nil {
				s.View = &session.View{}
			}
			s.View.Filter += "x"
			return s
		}
		if s, err := m.Update(add); err != nil || len(s.View.Filter) != i+1 {
			t.Errorf("%+v, %v", s, err)
		}
	}
}

// A file that cannot be decoded is an error and is not overwritten.
func TestForeignFilesAreNotOverwritten(t *testing.T) {
	m, _ := newSessionFile(t, t.TempDir())
	if _, err := m.Update(keeping(0.5)); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"half a fil":                           "not a session file",
		`{"vantage":9}`:                        "version 9",
		`{"vantage":1,"run":["/else"]}`:        "another run",
		strings.Repeat(" ", session.MaxFile+1): "larger than",
	} {
		filetest.Write(t, m.path, text)
		if _, err := m.Load(); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "move it away") {
			t.Errorf("%.20s: %v", text, err)
		}
		if _, err := m.Update(keeping(0.6)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20s: %v", text, err)
		}
		if data, err := os.ReadFile(m.path); err != nil || string(data) != text {
			t.Errorf("%.20s was written over: %v", text, err)
		}
	}
}

// A state directory that cannot be written is an error.
func TestUnwritableStateDirectory(t *testing.T) {
	m, state := newSessionFile(t, t.TempDir())
	filetest.Write(t, state, "")
	if _, err := m.Update(keeping(0.5)); err == nil {
		t.Error("a view was kept in a file that is no directory")
	}
}

// A pipe in the place of a file does not make the program wait.
func TestPipesAreNotRead(t *testing.T) {
	m, _ := newSessionFile(t, t.TempDir())
	if err := os.MkdirAll(filepath.Dir(m.path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(m.path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Load(); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("the session in a pipe: %v", err)
	}
	if _, err := m.Update(keeping(0.5)); err == nil {
		t.Error("a view was saved over a pipe")
	}
}

// A run that is remembered is a recent one, those opened last first; what is no session is passed over.
func TestRecentRuns(t *testing.T) {
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	d, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	if runs := d.RecentRuns(10); len(runs) != 0 {
		t.Errorf("%v before anything was opened", runs)
	}
	now := time.Now().Truncate(time.Second)
	for i, path := range []string{"/runs/0", "node7:runs/1", "/runs/2", "/runs/3"} {
		m, err := d.Session([]string{path})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time changes nothing
			if err := m.Remember(); err != nil {
				t.Fatal(err)
			}
		}
		at := now.Add(-time.Duration(i) * time.Hour)
		if err := os.Chtimes(m.path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	dir := filepath.Join(state, "vantage", "runs")
	for name, text := range map[string]string{"a.json": "{}", "b.json": `{"vantage":9,"run":["/x"]}`, "c.json": "half a f"} {
		filetest.Write(t, filepath.Join(dir, name), text)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.json"), 0o600); err != nil {
		t.Skip(err)
	}
	runs := d.RecentRuns(3)
	var got []string
	for _, r := range runs {
		got = append(got, r.Paths...)
	}
	if strings.Join(got, " ") != "/runs/0 node7:runs/1 /runs/2" || !runs[1].Opened.Equal(now.Add(-time.Hour)) {
		t.Errorf("%v", runs)
	}
}

// Remembering a run keeps what is saved of it.
func TestRememberKeepsTheSession(t *testing.T) {
	m, _ := newSessionFile(t, t.TempDir())
	if _, err := m.Update(keeping(0.5)); err != nil {
		t.Fatal(err)
	}
	if err := m.Remember(); err != nil {
		t.Fatal(err)
	}
	if s, err := m.Load(); err != nil || s.View == nil {
		t.Errorf("%+v, %v", s, err)
	}
}

// A view is kept for 90 days after the run was opened last; foreign files and marks that are not printed yet stay, and temporary ones go.
func TestPrune(t *testing.T) {
	d := &Files{dir: filepath.Join(t.TempDir(), "vantage")}
	dir := filepath.Join(d.dir, "runs")
	now := time.Now()
	names := map[string]string{} // by path
	setAge := func(path, name string, days int) {
		t.Helper()
		at := now.AddDate(0, 0, -days)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		names[path] = name
	}
	changeView := keeping(0.5)
	opened := func(name string, days int, change func(session.Session) session.Session) *SessionFile {
		t.Helper()
		m, err := d.Session([]string{"/runs/" + name})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Update(change); err != nil {
			t.Fatal(err)
		}
		setAge(m.path, name, days)
		return m
	}
	opened("of yesterday", 1, changeView)
	opened("of spring", 100, changeView)
	if _, err := opened("opened again", 100, changeView).Load(); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"foreign.json": "{}", "half.json": `{"vantage":1,"ru`, "later.json": `{"vantage":9,"run":["/a"]}`, "marked.json": `{"vantage":1,"run":["/a"],"marks":[{"step":1}]}`, ".part-1": "x", ".part-2": "x"} {
		filetest.Write(t, filepath.Join(dir, name), text)
		setAge(filepath.Join(dir, name), name, 2000)
	}
	setAge(filepath.Join(dir, ".part-2"), ".part-2", 0)
	prune(dir, now)
	want := []string{".part-2", "foreign.json", "half.json", "later.json", "marked.json", "of yesterday", "opened again"}
	if diff := cmp.Diff(want, filesIn(t, dir, names)); diff != "" {
		t.Errorf("-want +left\n%s", diff)
	}
}

// Of many runs the views of those opened last are kept.
func TestPruneKeepsTheViewsOpenedLast(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	for n := range maxSessions + 2 {
		path := filepath.Join(dir, fmt.Sprintf("%d.json", n))
		filetest.Write(t, path, `{"vantage":1,"run":["/a"]}`)
		if err := os.Chtimes(path, now, now.Add(-time.Duration(n)*time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	prune(dir, now)
	left := filesIn(t, dir, nil)
	if len(left) != maxSessions || slices.Contains(left, "500.json") || slices.Contains(left, "501.json") {
		t.Errorf("%d files are left", len(left))
	}
}

// filesIn returns the sorted names of the files in dir, those of names where it has the path.
func filesIn(t *testing.T, dir string, names map[string]string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range entries {
		left = append(left, nameOf(names, filepath.Join(dir, e.Name())))
	}
	slices.Sort(left)
	return left
}

func nameOf(names map[string]string, path string) string {
	if name, ok := names[path]; ok {
		return name
	}
	return filepath.Base(path)
}

// The marks of an earlier release are printed once, with their notes, go to a file next to the session, and leave the view as it was.
func TestTakeMarks(t *testing.T) {
	run := t.TempDir()
	m, _ := newSessionFile(t, run)
	if lines, err := m.TakeMarks(); err != nil || lines != nil {
		t.Errorf("without a file: %q, %v", lines, err)
	}
	if _, err := m.Update(keeping(0.5)); err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(filetest.Read(t, m.path)), `"view"`, `"marks": [
		{"step": 3, "group": "g7", "prompt": "g7", "sample": 2, "shown": "What is 7^100?", "note": "why\u001b[31m?"}, {"step": 4}], "view"`, 1)
	filetest.Write(t, m.path, text)
	notes := strings.TrimSuffix(m.path, ".json") + ".notes.txt"
	want := []string{
		"marks and notes of an earlier release on " + m.run[0] + ":", "step 3, group g7, row 2 (What is 7^100?): why␛[31m?", "step 4",
		"this release keeps none: they are now in " + notes,
	}
	for range 2 {
		lines, err := m.TakeMarks()
		if diff := cmp.Diff(want, lines); diff != "" || err != nil {
			t.Errorf("%v -want +got\n%s", err, diff)
		}
		if s, err := m.Load(); err != nil || s.View == nil || s.View.KeepPos != 0.5 || s.Marks != nil {
			t.Errorf("%+v, %v", s, err)
		}
		want = nil
	}
	if got := string(filetest.Read(t, notes)); got != "marks and notes of an earlier release on "+m.run[0]+":\nstep 3, group g7, row 2 (What is 7^100?): why␛[31m?\nstep 4\n" {
		t.Errorf("%q", got)
	}
}

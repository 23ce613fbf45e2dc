package userfiles

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vantage/model/session"
)

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
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
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
	if _, err := m.Update(with(session.Mark{Step: 1})); err != nil {
		t.Fatal(err)
	}
	if err := m.Remember(); err != nil {
		t.Fatal(err)
	}
	if s, err := m.Load(); err != nil || len(s.Marks) != 1 {
		t.Errorf("%+v, %v", s, err)
	}
}

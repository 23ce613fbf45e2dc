package userfiles

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vantage/model/session"
)

// Session files of the runs opened last stay, and all with marks; foreign files too.
func TestPrune(t *testing.T) {
	state := t.TempDir()
	d := &Files{filepath.Join(state, "vantage")}
	dir := filepath.Join(d.dir, "runs")
	at := time.Now().Add(-time.Hour)
	names := map[string]string{} // of the runs, by path
	update := func(what string, change func(session.Session) session.Session) {
		t.Helper()
		m, err := d.Session([]string{"/runs/" + what})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Update(change); err != nil {
			t.Fatal(err)
		}
		at = at.Add(time.Second)
		if err := os.Chtimes(m.path, at, at); err != nil {
			t.Fatal(err)
		}
		names[m.path] = what
	}
	changeView := func(s session.Session) session.Session { s.View = &session.View{KeepPos: 0.5, KeepNeg: 1}; return s }
	update("marked", with(session.Mark{Step: 1, Note: "look here"}))
	for i := range 6 {
		update(fmt.Sprint(i), changeView)
	}
	for name, text := range map[string]string{"foreign.json": "{}", "half.json": `{"vantage":1,"ru`, "later.json": `{"vantage":9,"run":["/a"]}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(filepath.Join(dir, name), time.Unix(0, 0), time.Unix(0, 0)); err != nil {
			t.Fatal(err)
		}
		names[filepath.Join(dir, name)] = name
	}
	update("2", func(s session.Session) session.Session { s.View.KeepPos = 0.25; return s }) // opened again
	prune(dir, 3)
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, path := range left {
		got[names[path]] = true
	}
	for _, what := range strings.Fields("marked 2 4 5 foreign.json half.json later.json") {
		if !got[what] {
			t.Errorf("%s is gone", what)
		}
		delete(got, what)
	}
	if len(got) > 0 {
		t.Errorf("%v are left", got)
	}
}

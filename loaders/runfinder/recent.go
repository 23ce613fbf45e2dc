package runfinder

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"vantage/loaders/storage"
	"vantage/model/runlist"
)

// maxRecentEntries bounds the listing of each run that was opened before.
const maxRecentEntries = 2000

// recent emits the runs of sessions whose files are still there.
func (w *walker) recent(sessions []Recent) {
	sessions = sessions[:min(len(sessions), maxRecent)]
	inParallel(len(sessions), func(i int) {
		if s := sessions[i]; !w.stopped() && len(s.Paths) > 0 {
			if r, ok := w.describe(s); ok {
				w.emit(r)
			}
		}
	})
}

// describe returns the run of a session. Of a directory that holds several logs the one written last
// says what it is.
func (w *walker) describe(s Recent) (r runlist.Run, ok bool) {
	if slices.ContainsFunc(s.Paths, storage.IsElsewhere) {
		return remoteRun(s), true
	}
	for _, p := range s.Paths {
		info, err := os.Stat(databaseOf(p))
		if err != nil || !info.IsDir() && !info.Mode().IsRegular() {
			return r, false
		}
	}
	first := s.Paths[0]
	found := w.freshest(databaseOf(first))
	r = found
	r.ID, r.Opened, r.Paths = strings.Join(s.Paths, "\n"), s.Opened, s.Paths
	r.Name, r.Elsewhere = w.shownName(first)
	if len(s.Paths) > 1 {
		r.Name += " and others"
	}
	if !r.Elsewhere && len(s.Paths) == 1 {
		r.Paths = []string{r.Name}
	}
	return r, true
}

// databaseOf returns the database that a path leads into, as math.db/calm-sea-3, or the path.
func databaseOf(at string) string {
	for name := at; name != filepath.Dir(name); name = filepath.Dir(name) {
		if filepath.Ext(name) == ".db" {
			if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
				return name
			}
		}
	}
	return at
}

// remoteRun returns a run of which some is on another machine, which is not asked: that may take long, and a password.
func remoteRun(s Recent) runlist.Run {
	r := runlist.Run{ID: strings.Join(s.Paths, "\n"), Opened: s.Opened, Paths: s.Paths, Name: s.Paths[0], Elsewhere: true}
	if len(s.Paths) > 1 {
		r.Name += " and others"
	}
	return r
}

// freshest returns the run at a path, or of those below it the one written last; an empty one if
// there is none.
func (w *walker) freshest(at string) (best runlist.Run) {
	var mu sync.Mutex
	below := &walker{over: w.over, here: w.here, home: w.home, limit: maxRecentEntries}
	below.emit = func(r runlist.Run) {
		mu.Lock()
		defer mu.Unlock()
		if best.ID == "" || r.LastWrite.After(best.LastWrite) {
			best = r
		}
	}
	if info, err := os.Stat(at); err == nil && info.IsDir() {
		below.below(at)
		return best
	}
	root, err := os.OpenRoot(filepath.Dir(at))
	if err != nil {
		return best
	}
	defer func() { _ = root.Close() }()
	name := filepath.Base(at)
	if r, ok := below.projectRun(root, name); ok && filepath.Ext(name) == ".db" {
		return r
	}
	s := series{files: []string{name}}
	if sniffed, ok := below.sniffNewest(root, s.files); ok {
		s.sniffed = sniffed
		return below.fileRun(root, s)
	}
	return best
}

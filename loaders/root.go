package loaders

import (
	"os"
	"path/filepath"
	"time"

	"vantage/model"
)

// root is a directory that was given.
type root struct {
	path   string
	prefix string          // of the names of its files
	listed []string        // files as of the last look
	dirs   []string        // directories beneath it, relative, "." first
	told   bool            // that there is more in it than is read
	passed []string        // what was said of what is not read
	own    *Format         // a trainer's, that some file in it is of
	beside []string        // formats of which files were left out for that
	aside  []model.Problem // files without samples that have not been told of
	others []string        // names of files that were told of
	stamps map[string]stamp
	turn   int // of the directories that are looked at one at a time
}

// stamp is the time that a directory says it changed, and since when it says so, by
// this machine's clock.
type stamp struct{ modified, since time.Time }

// Filesystems count time in ticks of up to 2 s: for so long a directory that has
// changed may have changed again.
const tick = 2 * time.Second

// newestDirs is how many directories are looked at each poll, beside the first.
const newestDirs = 3

// changed reports whether files may have come to the directory, or to one of the newest
// beneath it, which most trainers write to. The others have their turns.
func (r *root) changed(now time.Time) bool {
	looked := []string{"."}
	if n := len(r.dirs); n > 1 {
		r.turn = (r.turn + 1) % n
		looked = append(append(looked, r.dirs[max(1, n-newestDirs):]...), r.dirs[r.turn])
	}
	changed := false
	for _, dir := range looked {
		changed = r.touched(dir, now) || changed
	}
	return changed
}

func (r *root) touched(dir string, now time.Time) bool {
	at := modified(filepath.Join(r.path, dir))
	old, known := r.stamps[dir]
	if known && old.modified.Equal(at) {
		return now.Sub(old.since) < tick
	}
	if r.stamps == nil || len(r.stamps) > maxFiles {
		r.stamps = map[string]stamp{}
	}
	r.stamps[dir] = stamp{at, now}
	return true
}

// modified opens a directory for its time, since NFS answers from its cache otherwise.
func modified(dir string) time.Time {
	h, err := os.Open(dir)
	if err != nil {
		return time.Time{}
	}
	defer func() { _ = h.Close() }()
	info, err := h.Stat()
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

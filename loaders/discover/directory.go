package discover

import (
	"os"
	"path/filepath"
	"slices"
	"time"

	"vantage/loaders/formats"
	"vantage/model"
)

// Directory is a directory that was given.
type Directory struct {
	Path            string
	Prefix          string          // of the names of its files
	Listed          []string        // files as of the last look
	Dirs            []string        // directories beneath it, relative, "." first
	TruncationNoted bool            // that there is more in it than is read
	NotesShown      []string        // what was said of what is not read
	Own             *formats.Format // a trainer's, that some file in it is of
	leftOut         []string        // formats of which files were left out for that
	WithoutSamples  []model.Problem // files without samples that have not been told of
	NotedNames      []string        // names of files that were told of
	stamps          map[string]dirTime
	turn            int // of the directories that are looked at one at a time
}

// dirTime is the time that a directory says it changed, and since when it says so, by
// this machine's clock.
type dirTime struct{ modified, since time.Time }

// Filesystems count time in ticks of up to 2 s: for so long a directory that has
// changed may have changed again.
const ClockTick = 2 * time.Second

// newestDirs is how many directories are looked at each poll, beside the first.
const newestDirs = 3

// Changed reports whether files may have come to the directory, or to one of the newest
// beneath it, which most trainers write to. The others have their turns.
func (r *Directory) Changed(now time.Time) bool {
	looked := []string{"."}
	if n := len(r.Dirs); n > 1 {
		r.turn = (r.turn + 1) % n
		looked = append(append(looked, r.Dirs[max(1, n-newestDirs):]...), r.Dirs[r.turn])
	}
	changed := false
	for _, dir := range looked {
		changed = r.dirChanged(dir, now) || changed
	}
	return changed
}

func (r *Directory) dirChanged(dir string, now time.Time) bool {
	at := modified(filepath.Join(r.Path, dir))
	old, known := r.stamps[dir]
	if known && old.modified.Equal(at) {
		return now.Sub(old.since) < ClockTick
	}
	if r.stamps == nil || len(r.stamps) > MaxFiles {
		r.stamps = map[string]dirTime{}
	}
	r.stamps[dir] = dirTime{at, now}
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

// Lists reports whether the directory's last listing has a file of this path.
func (r *Directory) Lists(path string) bool { return slices.Contains(r.Listed, path) }

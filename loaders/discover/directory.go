package discover

import (
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Directory is a directory that is read and was listed before.
type Directory struct {
	Path   string
	Prefix string   // before the names of its files
	Listed []string // its logs when it was last listed, relative
	Dirs   []string // the directories below it, relative, "." first

	times map[string]dirTime // by relative path
	next  int                // of Dirs: those that are checked one at a time
}

// dirTime is a directory's modification time, and since when it has been seen, by this machine's
// clock.
type dirTime struct{ modified, since time.Time }

// ClockTick is the longest step in which filesystems count time. A directory that changed may have
// changed once more within it without another time.
const ClockTick = 2 * time.Second

// newestDirs is how many of the newest directories are checked each time.
const newestDirs = 3

// Changed reports whether files may have been added. It checks the directory itself, the newest
// below it, where most trainers write, and one of the others in turn.
func (d *Directory) Changed(now time.Time) bool {
	checked := []string{"."}
	if n := len(d.Dirs); n > 1 {
		d.next = (d.next + 1) % n
		checked = append(append(checked, d.Dirs[max(1, n-newestDirs):]...), d.Dirs[d.next])
	}
	changed := false
	for _, dir := range checked {
		changed = d.dirChanged(dir, now) || changed
	}
	return changed
}

func (d *Directory) dirChanged(dir string, now time.Time) bool {
	modified := modTime(filepath.Join(d.Path, dir))
	old, known := d.times[dir]
	if known && old.modified.Equal(modified) {
		return now.Sub(old.since) < ClockTick
	}
	if d.times == nil || len(d.times) > MaxFiles {
		d.times = map[string]dirTime{}
	}
	d.times[dir] = dirTime{modified, now}
	return true
}

// modTime opens a directory to read its time: NFS answers stat from its cache otherwise.
func modTime(dir string) time.Time {
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

// Lists reports whether the last listing has a log of this path.
func (d *Directory) Lists(path string) bool { return slices.Contains(d.Listed, path) }

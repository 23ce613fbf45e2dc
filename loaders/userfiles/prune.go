package userfiles

import (
	"os"
	"path/filepath"
	"slices"
	"time"

	"vantage/model/session"
)

// maxUnmarkedSessions is for how many runs it is kept how they were looked at, beside those at
// which a person left a mark or a note: these stay, since nobody can write them again.
const maxUnmarkedSessions = 500

// prune takes away what was kept of the runs that were not opened for the longest time,
// until so many are left at which there is no mark. It says nothing: where it cannot
// read or remove a file, the file stays, and is looked at again the next time.
func prune(dir string, most int) {
	names, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(names) <= most {
		return
	}
	type kept struct {
		path string
		at   time.Time
	}
	var unmarked []kept
	for _, name := range names {
		info, err := os.Lstat(name)
		if err != nil || !info.Mode().IsRegular() || info.Size() > session.MaxFile {
			continue
		}
		if data, err := os.ReadFile(name); err == nil && session.IsUnmarked(data) {
			unmarked = append(unmarked, kept{name, info.ModTime()})
		}
	}
	slices.SortFunc(unmarked, func(a, b kept) int { return b.at.Compare(a.at) })
	for _, k := range unmarked[min(most, len(unmarked)):] {
		_ = os.Remove(k.path)
	}
}

package userfiles

import (
	"os"
	"path/filepath"
	"slices"
	"time"

	"vantage/model/session"
)

// RecentRun is a run that has a session file.
type RecentRun struct {
	Paths  []string // absolute; those of other machines as they were given
	Opened time.Time
}

// RecentRuns returns at most limit runs with a session, those opened last first. Files that are no
// sessions are passed over; whether the runs still exist is not looked at.
func (d *Files) RecentRuns(limit int) []RecentRun {
	dir := filepath.Join(d.dir, "runs")
	names, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil
	}
	type file struct {
		path   string
		opened time.Time
	}
	var files []file
	for _, name := range names {
		if info, err := os.Lstat(name); err == nil && info.Mode().IsRegular() {
			files = append(files, file{name, info.ModTime()})
		}
	}
	slices.SortFunc(files, func(a, b file) int { return b.opened.Compare(a.opened) })
	var runs []RecentRun
	for _, f := range files {
		if len(runs) == limit {
			break
		}
		data, err := readPlain(f.path, session.MaxFile)
		if err != nil {
			continue
		}
		if paths := session.RunOf(data); len(paths) > 0 {
			runs = append(runs, RecentRun{paths, f.opened})
		}
	}
	return runs
}

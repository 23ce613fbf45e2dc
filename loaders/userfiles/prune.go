package userfiles

import (
	"os"
	"path/filepath"
	"slices"
	"time"

	"vantage/model/session"
)

// What is kept: the views of the runs opened last, and marks, which cost a person more, for longer.
const (
	maxUnmarkedSessions = 500
	keepUnmarkedFor     = 90 * 24 * time.Hour // since the run was opened last
	keepMarkedFor       = 2 * 365 * 24 * time.Hour
	keepPartFor         = time.Hour // a temporary file that a killed program left
)

// prune deletes the session files in dir that are kept no longer, and forgotten temporary files. It ignores
// errors, and files that are no sessions: a file that it cannot read or remove stays until the
// next time.
func prune(dir string, now time.Time) {
	pruneParts(dir, now)
	names, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return
	}
	type sessionInfo struct {
		path   string
		opened time.Time
	}
	var unmarked []sessionInfo
	for _, name := range names {
		info, err := os.Lstat(name)
		if err != nil || !info.Mode().IsRegular() || info.Size() > session.MaxFile {
			continue
		}
		data, err := os.ReadFile(name)
		switch age := now.Sub(info.ModTime()); {
		case err != nil || !session.IsSession(data):
		case age > keepMarkedFor:
			_ = os.Remove(name)
		case session.IsUnmarked(data) && age > keepUnmarkedFor:
			_ = os.Remove(name)
		case session.IsUnmarked(data):
			unmarked = append(unmarked, sessionInfo{name, info.ModTime()})
		}
	}
	slices.SortFunc(unmarked, func(a, b sessionInfo) int { return b.opened.Compare(a.opened) })
	for _, s := range unmarked[min(maxUnmarkedSessions, len(unmarked)):] {
		_ = os.Remove(s.path)
	}
}

// pruneParts deletes temporary files that no program can still be writing.
func pruneParts(dir string, now time.Time) {
	parts, _ := filepath.Glob(filepath.Join(dir, partPrefix+"*")) // the pattern is valid
	for _, name := range parts {
		if info, err := os.Lstat(name); err == nil && info.Mode().IsRegular() && now.Sub(info.ModTime()) > keepPartFor {
			_ = os.Remove(name)
		}
	}
}

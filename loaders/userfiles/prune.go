package userfiles

import (
	"os"
	"path/filepath"
	"slices"
	"time"

	"vantage/model/session"
)

// maxUnmarkedSessions is how many session files without marks are kept. Those with marks are
// never deleted.
const maxUnmarkedSessions = 500

// prune deletes the oldest session files without marks in dir, keeping limit. It ignores
// errors: a file that it cannot read or remove stays until the next time.
func prune(dir string, limit int) {
	names, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(names) <= limit {
		return
	}
	type sessionInfo struct {
		path string
		at   time.Time
	}
	var unmarked []sessionInfo
	for _, name := range names {
		info, err := os.Lstat(name)
		if err != nil || !info.Mode().IsRegular() || info.Size() > session.MaxFile {
			continue
		}
		if data, err := os.ReadFile(name); err == nil && session.IsUnmarked(data) {
			unmarked = append(unmarked, sessionInfo{name, info.ModTime()})
		}
	}
	slices.SortFunc(unmarked, func(a, b sessionInfo) int { return b.at.Compare(a.at) })
	for _, k := range unmarked[min(limit, len(unmarked)):] {
		_ = os.Remove(k.path)
	}
}

package loaders

import (
	"fmt"
	"path/filepath"
	"strings"

	"vantage/loaders/discover"
	"vantage/loaders/trackio"
)

// In trackio's folder lie the databases of all projects of a person: PROJECT.db with -wal, -shm and .lock beside it, and the folders
// media and artifacts.

// projectsIn returns the paths of trackio's databases in a directory of this machine without logs.
func projectsIn(d *directory, l *discover.Listing) (projects []string) {
	if d.storage != nil || len(l.Files) > 0 {
		return nil
	}
	for _, name := range l.Databases {
		if path := filepath.Join(d.shown, name); trackio.IsProject(path) {
			projects = append(projects, path)
		}
	}
	return projects
}

// openProject opens the database of trackio in a directory that has no logs, and reports whether there is one. Of several none is
// opened: each holds the runs of another project.
func (s *Source) openProject(d *directory, l *discover.Listing) (opened bool, err error) {
	projects := projectsIn(d, l)
	switch len(projects) {
	case 0:
		return false, nil
	case 1:
	default:
		return false, &Error{Path: d.shown, What: fmt.Sprintf("holds %d databases of trackio, each of another project", len(projects)), Do: "give one of them: " + named(projects)}
	}
	at, err := s.placeOf(projects[0])
	if err != nil || at.storage == nil {
		return false, err // it was removed meanwhile
	}
	return true, s.openPlace(at)
}

// maxNamed is how many databases an error names.
const maxNamed = 8

func named(paths []string) string {
	text := strings.Join(paths[:min(len(paths), maxNamed)], ", ")
	if more := len(paths) - maxNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

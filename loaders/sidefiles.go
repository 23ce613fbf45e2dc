package loaders

import (
	"path/filepath"
	"slices"
	"strings"
)

// Beside the log of a trainer lie other files that look like logs: a data set with a column
// of scores, metrics, tables that W&B keeps of the same samples. They would be counted with
// it, so in a directory a trainer's own log is read alone.

// isSideFile sees to it that the file, or others in its directory, are left out if need be,
// and reports whether it was. Nothing is left out where a person named the format.
func (s *Source) isSideFile(f *file) bool {
	r := f.directory
	switch {
	case r == nil || !f.hasStep || f.refused || len(s.formats) == 1:
		return false
	case r.Hides(f.format):
		s.leaveOut(f)
		return true
	case r.Own == nil && f.format.IsTrainers():
		r.Own = f.format
		for _, other := range s.files {
			if other.directory == r && other.hasStep && !other.refused && r.Hides(other.format) {
				s.leaveOut(other)
			}
		}
	}
	return false
}

// noteSideFiles says what files hold no samples: they are left out, once for each name, where a
// trainer's own log lies beside, and problems where nothing better has come.
func (s *Source) noteSideFiles() {
	for _, r := range s.directories {
		if r.Own == nil && len(s.queue) > 0 {
			continue
		}
		for _, a := range r.WithoutSamples {
			switch base := filepath.Base(a.File); {
			case r.Own == nil:
				s.chunks.addProblem(a)
			case !slices.Contains(r.NotedNames, base):
				r.NotedNames = append(r.NotedNames, base)
				a.Reason, _, _ = strings.Cut(a.Reason, "; needed") // there is what is needed
				s.chunks.addNotes([]string{a.String()})
			}
		}
		r.WithoutSamples = nil
	}
}

// leaveOut forgets what was read of a file that lies beside a trainer's log.
func (s *Source) leaveOut(f *file) {
	format := f.format
	s.restart(f)
	f.refused = true
	s.advance(f, f.disk.Size)
	s.chunks.runs.releaseSteps(f.index)
	s.chunks.latest, s.chunks.lastNote = s.chunks.ownFormat, s.chunks.ownNote
	s.chunks.addNotes(f.directory.LeaveOut(f.name, format))
}

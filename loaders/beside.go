package loaders

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Beside the log of a trainer lie other files that look like logs: a data set with a column
// of scores, metrics, tables that W&B keeps of the same samples. They would be counted with
// it, so in a directory a trainer's own log is read alone.

// IsTrainers reports whether a format is that of one trainer's log.
func (f *Format) IsTrainers() bool { return !f.IsGeneric() && f.Name != "wandb-table" }

// Hides reports whether a format is left out beside what was found in the directory.
func (r *Directory) Hides(format *Format) bool { return r.Own != nil && !format.IsTrainers() }

// LeaveOut says, once for each format, that a file is left out.
func (r *Directory) LeaveOut(name string, format *Format) []string {
	if slices.Contains(r.leftOut, format.Name) {
		return nil
	}
	r.leftOut = append(r.leftOut, format.Name)
	return []string{fmt.Sprintf("%s (%s) and what is like it, since the log of %s lies beside; give it by itself to read it", name, format.Name, r.Own.Name)}
}

// isBeside sees to it that the file, or others in its directory, are left out if need be,
// and reports whether it was. Nothing is left out where a person named the format.
func (s *Source) isBeside(f *file) bool {
	r := f.root
	switch {
	case r == nil || !f.any || f.refused || len(s.formats) == 1:
		return false
	case r.Hides(f.format):
		s.leaveOut(f)
		return true
	case r.Own == nil && f.format.IsTrainers():
		r.Own = f.format
		for _, other := range s.files {
			if other.root == r && other.any && !other.refused && r.Hides(other.format) {
				s.leaveOut(other)
			}
		}
	}
	return false
}

// holdsAnswer reports whether a row has a field of its own for what a model answered.
func holdsAnswer(row []byte) (yes bool) {
	names := NewFields(Synonyms())
	_ = ScanObject(row, func(key, v Value) {
		p, ok := names.Lookup(key.Raw)
		yes = yes || ok && p.Role == RoleResponse && CanPlay(p.Role, v)
	})
	return yes
}

// tellAside says what files hold no samples: they are left out, once for each name, where a
// trainer's own log lies beside, and problems where nothing better has come.
func (s *Source) tellAside() {
	for _, r := range s.roots {
		if r.Own == nil && len(s.queue) > 0 {
			continue
		}
		for _, a := range r.WithoutSamples {
			switch base := filepath.Base(a.File); {
			case r.Own == nil:
				s.out.problem(a)
			case !slices.Contains(r.NotedNames, base):
				r.NotedNames = append(r.NotedNames, base)
				a.Reason, _, _ = strings.Cut(a.Reason, "; needed") // there is what is needed
				s.out.note([]string{a.String()})
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
	s.out.sites.release(f.index)
	s.out.latest, s.out.lastNote = s.out.own, s.out.ownNote
	s.out.note(f.root.LeaveOut(f.name, format))
}

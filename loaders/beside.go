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

// isOwn reports whether a format is that of one trainer's log.
func (f *Format) isOwn() bool { return !f.generic() && f.Name != "wandb-table" }

// prefers reports whether a format is left out beside what was found in the directory.
func (r *root) prefers(format *Format) bool { return r.own != nil && !format.isOwn() }

// leave says, once for each format, that a file is left out.
func (r *root) leave(name string, format *Format) []string {
	if slices.Contains(r.beside, format.Name) {
		return nil
	}
	r.beside = append(r.beside, format.Name)
	return []string{fmt.Sprintf("%s (%s) and what is like it, since the log of %s lies beside; give it by itself to read it", name, format.Name, r.own.Name)}
}

// isBeside sees to it that the file, or others in its directory, are left out if need be,
// and reports whether it was. Nothing is left out where a person named the format.
func (s *Source) isBeside(f *file) bool {
	r := f.root
	switch {
	case r == nil || !f.any || f.refused || len(s.formats) == 1:
		return false
	case r.prefers(f.format):
		s.leaveOut(f)
		return true
	case r.own == nil && f.format.isOwn():
		r.own = f.format
		for _, other := range s.files {
			if other.root == r && other.any && !other.refused && r.prefers(other.format) {
				s.leaveOut(other)
			}
		}
	}
	return false
}

// holdsAnswer reports whether a row has a field of its own for what a model answered.
func holdsAnswer(row []byte) (yes bool) {
	names := newFields(usualNames())
	_ = scanObject(row, func(key, v value) {
		p, ok := names.place(key.raw)
		yes = yes || ok && p.role == roleResponse && fits(p.role, v)
	})
	return yes
}

// tellAside says what files hold no samples: they are left out, once for each name, where a
// trainer's own log lies beside, and problems where nothing better has come.
func (s *Source) tellAside() {
	for _, r := range s.roots {
		if r.own == nil && len(s.queue) > 0 {
			continue
		}
		for _, a := range r.aside {
			switch base := filepath.Base(a.File); {
			case r.own == nil:
				s.out.problem(a)
			case !slices.Contains(r.others, base):
				r.others = append(r.others, base)
				a.Reason, _, _ = strings.Cut(a.Reason, "; needed") // there is what is needed
				s.out.note([]string{a.String()})
			}
		}
		r.aside = nil
	}
}

// leaveOut forgets what was read of a file that lies beside a trainer's log.
func (s *Source) leaveOut(f *file) {
	format := f.format
	s.restart(f)
	f.refused = true
	s.advance(f, f.disk.size)
	s.out.sites.release(f.index)
	s.out.latest, s.out.lastNote = s.out.own, s.out.ownNote
	s.out.note(f.root.leave(f.name, format))
}

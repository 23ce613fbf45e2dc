package loaders

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"vantage/loaders/formats"
)

// In the directory of a trainer's log there are other files that look like logs: a data set with a
// column of scores, metrics, W&B's tables of the same samples. They would be counted with it, so
// once a directory holds a trainer's own log, only that is read.

// hides reports whether files of this format are skipped because the directory holds a trainer's
// own log.
func (d *directory) hides(format *formats.Format) bool {
	return d.ownFormat != nil && format.Origin != formats.FromTrainer
}

// noteLeftOut returns a note that a file is left out, once for each format.
func (d *directory) noteLeftOut(name string, format *formats.Format) []string {
	if slices.Contains(d.leftOut, format.Name) {
		return nil
	}
	d.leftOut = append(d.leftOut, format.Name)
	return []string{fmt.Sprintf("%s (%s) and what is like it, since the log of %s lies beside; give it by itself to read it", name, format.Name, d.ownFormat.Name)}
}

// leaveOutSideFiles leaves f out if its directory holds a trainer's own log, or the files before it
// if f is the first such log, and reports whether f was left out. If a person named the format,
// nothing is left out.
func (s *Source) leaveOutSideFiles(f *file) bool {
	d := f.directory
	switch {
	case d == nil || !f.hasStep || f.refused || len(s.formats) == 1:
		return false
	case d.hides(f.format):
		s.leaveOut(f)
		return true
	case d.ownFormat == nil && f.format.Origin == formats.FromTrainer:
		d.ownFormat = f.format
		for _, other := range s.files {
			if other.directory == d && other.hasStep && !other.refused && d.hides(other.format) {
				s.leaveOut(other)
			}
		}
	}
	return false
}

// noteSideFiles notes which files hold no samples. If their directory holds a trainer's own log they
// are notes, once for each name; if nothing better was found they are problems.
func (s *Source) noteSideFiles() {
	for _, d := range s.directories {
		if d.ownFormat == nil && len(s.queue) > 0 {
			continue
		}
		for _, p := range d.withoutSamples {
			switch base := filepath.Base(p.File); {
			case d.ownFormat == nil:
				s.chunks.addProblem(p)
			case !slices.Contains(d.notedNames, base):
				d.notedNames = append(d.notedNames, base)
				p.Reason, _, _ = strings.Cut(p.Reason, "; ") // what to do: nothing, since samples lie beside it
				s.chunks.addNotes([]string{p.String()})
			}
		}
		d.withoutSamples = nil
	}
}

// leaveOut leaves out a file and notes it.
func (s *Source) leaveOut(f *file) {
	format := f.format
	s.drop(f)
	s.chunks.addNotes(f.directory.noteLeftOut(f.name, format))
}

// drop drops what was read of a file, and reads it no more.
func (s *Source) drop(f *file) {
	s.restart(f)
	f.refused = true
	s.advance(f, f.disk.Size)
	s.chunks.runs.releaseSteps(f.index)
	s.chunks.latest, s.chunks.lastNote = s.chunks.ownFormat, s.chunks.ownNote
}

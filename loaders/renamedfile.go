package loaders

import (
	"os"

	"vantage/loaders/fileio"
)

// A file that is gone keeps what was read of it: it was rotated out of the folder. If it is still there under another
// name, by which it is read too, its rows would count twice.

// dropRenamed drops what was read of files that are gone if h, with info, is one of them.
func (s *Source) dropRenamed(h fileio.Handle, info os.FileInfo) {
	for _, g := range s.gone {
		if g.disk != nil && g.wasRenamedTo(h, info) {
			s.dropGone(g)
		}
	}
}

// wasRenamedTo reports whether an open file is the one that was read under f's name. A new file may have the number
// of a deleted one, so its bytes are compared too.
func (f *file) wasRenamedTo(h fileio.Handle, info os.FileInfo) bool {
	d := f.disk
	return d.Info != nil && fileio.SameFile(d.Info, info) && info.Size() >= d.Pos && d.StartsTheSame(h)
}

// dropIfRenamed drops what was read of a file that has just gone if one of those that were read since is it, or its
// compressed copy is there.
func (s *Source) dropIfRenamed(g *file, listed map[string]bool) {
	if g.disk.Info == nil {
		return
	}
	for _, packed := range []string{".gz", ".zst"} {
		if listed[g.disk.Path+packed] {
			s.dropGone(g)
			return
		}
	}
	for _, f := range s.files {
		if f == g || f.disk == nil || f.disk.Info == nil || !fileio.SameFile(f.disk.Info, g.disk.Info) {
			continue
		}
		h, info, err := f.disk.Open()
		if err != nil {
			continue
		}
		renamed := g.wasRenamedTo(h, info)
		_ = h.Close()
		if renamed {
			s.dropGone(g)
			return
		}
	}
}

// dropGone drops what was read of a file that is gone. If it comes back, it is read from its start.
func (s *Source) dropGone(g *file) {
	s.restart(g)
	s.bytes.total -= g.disk.Size
	g.disk.Info, g.disk.Size = nil, 0
	s.attempts.changed = true
}

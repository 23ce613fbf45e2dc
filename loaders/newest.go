package loaders

import "time"

// newest is which file has samples of the newest step, and whether there are files of a
// newer one. It is asked at every look, of as many as a hundred thousand files.
type newest struct {
	file    *file // nil if no file has samples
	highest int64 // step that a file beneath a directory is called by
	named   bool  // there is such a file
}

// met takes a file into account that is new.
func (n *newest) met(f *file) {
	if step, ok := NumberedName(f.name); ok && f.disk != nil && f.disk.Root != "" && (!n.named || step > n.highest) {
		n.highest, n.named = step, true
	}
}

// read takes into account what has been read of a file.
func (n *newest) read(f *file) {
	if f.any && (n.file == nil || f.newest > n.file.newest || f.newest == n.file.newest && f.index > n.file.index) {
		n.file = f
	}
}

// forgot takes into account that a file is read anew.
func (n *newest) forgot(f *file, files []*file) {
	if n.file != f {
		return
	}
	n.file = nil
	for _, f := range files {
		n.read(f)
	}
}

// openUntil returns when the newest step counts as written, if nothing comes: its file has
// been quiet, or there is a file of a newer step.
func (n *newest) openUntil(quiet time.Duration) time.Time {
	f := n.file
	if f == nil || f.pipe != nil && f.pipe.ended || n.named && n.highest > f.newest {
		return time.Time{}
	}
	return f.changed.Add(quiet)
}

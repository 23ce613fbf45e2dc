package loaders

import (
	"time"

	"vantage/loaders/decode"
)

// newestStep is which file has samples of the newest step, and whether there are files of a
// newer one. It is asked at every look, of as many as a hundred thousand files.
type newestStep struct {
	file    *file // nil if no file has samples
	highest int64 // step that a file beneath a directory is called by
	named   bool  // there is such a file
}

// noteName takes a file into account that is new.
func (n *newestStep) noteName(f *file) {
	if step, ok := decode.StepFromNumberedFile(f.name); ok && f.disk != nil && f.disk.Root != "" && (!n.named || step > n.highest) {
		n.highest, n.named = step, true
	}
}

// noteRead takes into account what has been read of a file.
func (n *newestStep) noteRead(f *file) {
	if f.hasStep && (n.file == nil || f.newestStep > n.file.newestStep || f.newestStep == n.file.newestStep && f.index > n.file.index) {
		n.file = f
	}
}

// noteRestart takes into account that a file is read anew.
func (n *newestStep) noteRestart(f *file, files []*file) {
	if n.file != f {
		return
	}
	n.file = nil
	for _, f := range files {
		n.noteRead(f)
	}
}

// openUntil returns when the newest step counts as written, if nothing comes: its file has
// been quiet, or there is a file of a newer step.
func (n *newestStep) openUntil(quiet time.Duration) time.Time {
	f := n.file
	if f == nil || f.stream != nil && f.stream.ended || n.named && n.highest > f.newestStep {
		return time.Time{}
	}
	return f.changed.Add(quiet)
}

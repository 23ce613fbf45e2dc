package loaders

import (
	"time"

	"vantage/loaders/decode"
)

// newestStep knows which file has the newest step, without looking at all of a hundred thousand files
// at each poll.
type newestStep struct {
	file        *file // has samples of the newest step; nil if no file has samples
	highestName int64 // the highest step that a file name tells
	hasName     bool  // a file name tells a step
}

// addName takes a new file into account.
func (n *newestStep) addName(f *file) {
	if step, ok := decode.StepFromNumberedFile(f.name); ok && f.disk != nil && f.disk.Root != "" && (!n.hasName || step > n.highestName) {
		n.highestName, n.hasName = step, true
	}
}

// update takes into account what has been read of a file.
func (n *newestStep) update(f *file) {
	if f.hasStep && (n.file == nil || f.newestStep > n.file.newestStep || f.newestStep == n.file.newestStep && f.index > n.file.index) {
		n.file = f
	}
}

// remove takes into account that a file is read from its start again.
func (n *newestStep) remove(f *file, files []*file) {
	if n.file != f {
		return
	}
	n.file = nil
	for _, f := range files {
		n.update(f)
	}
}

// openUntil returns until when more samples of the newest step are expected: its file has not been
// unchanged for settleTime, and no file is named for a newer step.
func (n *newestStep) openUntil(settleTime time.Duration) time.Time {
	f := n.file
	if f == nil || f.stream != nil && f.stream.ended || n.hasName && n.highestName > f.newestStep {
		return time.Time{}
	}
	return f.changed.Add(settleTime)
}

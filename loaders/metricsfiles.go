package loaders

import (
	"bytes"
	"io"

	"vantage/loaders/discover"
	"vantage/loaders/formats"
)

// TensorBoard's and W&B's files hold averages under the trainer's own names, not packed. These say whose run it is, and so
// where its samples are.

// metricsHead is how much of such a file is searched: W&B puts the configuration of the run before its first averages.
const metricsHead = 256 << 10

// tensorBoardMark is near the start of TensorBoard's event files, wandbMark at the start of W&B's run files.
const (
	tensorBoardMark = "brain.Event:"
	wandbMark       = ":W&B"
)

// whyMetrics is whyUnreadable for a file of metrics with these first bytes. what is "" if it is none.
func whyMetrics(first []byte, file io.ReaderAt) (what, do string) {
	switch {
	case bytes.HasPrefix(first, []byte(wandbMark)):
		what, do = "is a W&B run file, which holds averages of steps", "tables of samples are in the folder files/media/table beside it: open that, if it is there"
	case bytes.Contains(first[:min(len(first), 40)], []byte(tensorBoardMark)):
		what, do = "is a TensorBoard file, which holds averages of steps", "`vantage formats` says how each trainer writes its samples"
	default:
		return "", ""
	}
	head := make([]byte, metricsHead)
	n, _ := file.ReadAt(head, 0)
	if where := formats.WhereSamplesAre(head[:n]); where != "" {
		do = where
	}
	return what, do
}

// whereSamplesAre says where the samples are of whose averages a directory has, "" if nothing in it tells.
func whereSamplesAre(d *directory, l *discover.Listing) string {
	for _, rel := range l.Averages {
		at := d.disk(rel)
		h, _, err := at.Open()
		if err != nil {
			continue
		}
		head := make([]byte, metricsHead)
		n, _ := h.ReadAt(head, 0)
		_ = h.Close()
		if where := formats.WhereSamplesAre(head[:n]); where != "" {
			return where
		}
	}
	if len(l.States) > 0 {
		return discover.StateName + " holds averages of steps; " + formats.WhereSamplesOfStateAre()
	}
	return ""
}

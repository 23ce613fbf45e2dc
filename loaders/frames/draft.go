package frames

import (
	"bytes"

	"github.com/klauspost/compress/s2"
)

// draft is a mark in the making. Of the window of text before it only that is needed which
// blocks behind it copy: a few parts in a hundred. The rest is zeros, which take no room.
type draft struct {
	mark   Mark
	window []byte
	packed []byte
}

// begin begins a mark with a window of that size.
func (d *draft) begin(m Mark, size int) {
	d.mark = m
	if cap(d.window) < size {
		d.window = make([]byte, size)
		return
	}
	d.window = d.window[:size]
	clear(d.window)
}

// take takes what the copies of a block that begins at a place need from the window.
// Recent is the text up to end, that of the block at its end. Each copy is held against
// what has come of it: it is not right if a wrong piece would be taken.
func (d *draft) take(copies []copied, from int64, recent []byte, end int64) (right bool) {
	begin := end - int64(len(recent))
	window := d.mark.Text - int64(len(d.window))
	for _, c := range copies {
		at := from + int64(c.at)
		source := at - int64(c.distance)
		if source >= d.mark.Text {
			continue
		}
		n := min(int64(c.length), d.mark.Text-source)
		if source < max(begin, window) || at+n > end {
			return false
		}
		piece := recent[source-begin : source-begin+n]
		if !bytes.Equal(piece, recent[at-begin:at-begin+n]) {
			return false
		}
		copy(d.window[source-window:], piece)
	}
	return true
}

// done returns the mark.
func (d *draft) done() Mark {
	d.packed = s2.Encode(d.packed[:cap(d.packed)], d.window)
	d.mark.window = bytes.Clone(d.packed)
	d.mark.size = len(d.window)
	return d.mark
}

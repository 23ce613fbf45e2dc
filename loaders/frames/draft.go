package frames

import (
	"bytes"
	"hash/crc32"

	"github.com/klauspost/compress/s2"
)

// sums are what the text of blocks is checked by: there are instructions for these.
var sums = crc32.MakeTable(crc32.Castagnoli)

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

// take takes what the copies of a block, whose text begins at a place, need from the window:
// that is what has come of them. It is not right if they disagree.
func (d *draft) take(copies []copied, text []byte, from int64, sum uint32) (right bool) {
	d.mark.sums = append(d.mark.sums, sum)
	window := d.mark.Text - int64(len(d.window))
	for _, c := range copies {
		at := from + int64(c.at) - int64(c.distance) - window // in the window
		if at >= int64(len(d.window)) {
			continue
		}
		if at < 0 {
			return false
		}
		piece := text[c.at:min(int64(c.at)+int64(c.length), int64(c.at)+int64(len(d.window))-at)]
		for i, b := range d.window[at : at+int64(len(piece))] {
			if b != 0 && b != piece[i] {
				return false
			}
		}
		copy(d.window[at:], piece)
	}
	return true
}

// done returns the mark.
func (d *draft) done() Mark {
	d.packed = s2.Encode(d.packed[:cap(d.packed)], d.window)
	d.mark.window, d.mark.size = bytes.Clone(d.packed), len(d.window)
	return d.mark
}

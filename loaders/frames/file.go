package frames

import (
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"
)

// errLost says that a file is not made of what it is said to be made of.
var errLost = errors.New("not the blocks of a zstd frame")

// frame is the frame at hand.
type frame struct {
	window int64 // bytes of text that blocks may refer back to
	summed bool  // a checksum stands behind the last block
	text   int64 // bytes of text before it, in all
}

const (
	headerSize = 3 // of a block
	sumSize    = 4
	frameSize  = 18 // of the largest header of a frame
	maxBlock   = 128 << 10
)

// The types of blocks.
const (
	raw = iota
	repeated
	compressed
)

// block is a block of a file.
type block struct {
	at   int64 // of the file
	size int64 // in the file, with its header
	text int64 // bytes
	last bool
	kind int
}

// blockAt reads the header of the block at an offset of the file.
func blockAt(h io.ReaderAt, at int64) (*block, error) {
	var b [headerSize]byte
	if _, err := h.ReadAt(b[:], at); err != nil {
		return nil, err
	}
	x := int(b[0]) | int(b[1])<<8 | int(b[2])<<16
	found := &block{at: at, size: headerSize + int64(x>>3), last: x&1 == 1, kind: x >> 1 & 3}
	if found.kind == repeated {
		found.size = headerSize + 1
	}
	if found.kind > compressed {
		return nil, errLost
	}
	return found, nil
}

// frameAt reads the header of the frame at an offset, and returns its size; that of a
// frame without text is all of it.
func frameAt(h io.ReaderAt, at int64) (f frame, size int64, skipped bool, err error) {
	var b [frameSize]byte
	n, err := h.ReadAt(b[:], at)
	if err != nil && !errors.Is(err, io.EOF) {
		return f, 0, false, err
	}
	var head zstd.Header
	if err := head.Decode(b[:n]); err != nil {
		return f, 0, false, err
	}
	if head.Skippable {
		return f, int64(head.HeaderSize) + int64(head.SkippableSize), true, nil
	}
	f = frame{window: int64(head.WindowSize), summed: head.HasCheckSum}
	if head.SingleSegment {
		f.window = int64(head.FrameContentSize)
	}
	if head.DictionaryID != 0 || f.window < 0 {
		return f, 0, false, errLost
	}
	return f, int64(head.HeaderSize), false, nil
}

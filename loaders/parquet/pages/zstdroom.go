package pages

import (
	"fmt"

	"github.com/klauspost/compress/zstd"
)

var errShortZstd = fmt.Errorf("%w: a page of zstd is shorter than it says", ErrBroken)

// maxZstdBlock is the most that a block of zstd holds.
const maxZstdBlock = 128 << 10

// zstdRoom returns how many bytes frames of zstd hold at most, by the headers of their blocks.
func zstdRoom(data []byte) (room int) {
	for len(data) > 0 {
		var frame zstd.Header
		rest, err := frame.DecodeAndStrip(data)
		if err != nil {
			return room
		}
		if frame.Skippable {
			data = rest[min(int(frame.SkippableSize), len(rest)):]
			continue
		}
		n, rest := zstdBlocks(rest)
		if frame.HasCheckSum {
			rest = rest[min(4, len(rest)):]
		}
		room, data = room+n, rest
	}
	return room
}

// zstdBlocks returns how many bytes the blocks that data begins with hold at most, and what follows
// the last of them. A block's header has three bytes: whether it is the last, a kind of two bits, and
// a size.
func zstdBlocks(data []byte) (room int, rest []byte) {
	const repeated, compressed = 1, 2
	for len(data) >= 3 {
		head := int(data[0]) | int(data[1])<<8 | int(data[2])<<16
		kind, size := head>>1&3, head>>3
		inFile := size
		switch kind {
		case repeated:
			inFile = 1
		case compressed:
			size = maxZstdBlock
		}
		room += min(size, maxZstdBlock)
		data = data[min(3+inFile, len(data)):]
		if head&1 == 1 {
			break
		}
	}
	return room, data
}

package pages

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// Codecs, by their numbers in the format.
const (
	codecNone   = 0
	codecSnappy = 1
	codecGzip   = 2
	codecBrotli = 4
	codecZstd   = 6
	codecLZ4    = 7 // blocks without a frame
)

// maxPageSize bounds the memory of a page. Writers make pages of a megabyte, or more where a row
// is larger.
const maxPageSize = 1 << 30

// A page of zstd or brotli may decompress to maxRatio times its size, or of freeRatioSize if it is
// smaller.
const (
	maxRatio      = 1000
	freeRatioSize = 4 << 10
)

// How many times their size the other codecs can decompress to: a copy of 64 bytes takes three in
// snappy, a byte of a length stands for 255 in LZ4, and two bits for 258 bytes in gzip.
const (
	snappyRatio = 22
	lz4Ratio    = 255
	gzipRatio   = 1032
)

// maxSize returns how many bytes compressed data can decompress to, or may.
func maxSize(codec, compressed int) int {
	const slack = 64
	switch codec {
	case codecSnappy:
		return snappyRatio*compressed + slack
	case codecGzip:
		return gzipRatio*compressed + slack
	case codecLZ4:
		return lz4Ratio*compressed + slack
	}
	return maxRatio * max(compressed, freeRatioSize)
}

// Buffer is memory to read and decompress pages into, one at a time.
type Buffer struct {
	compressed, data []byte
	levels, indexes  []int32
	repetition       []int32
	numbers          []float64
	spans            []span
}

// Memory is what a file is read into. After Reset it serves the next file.
type Memory struct {
	file    []byte
	buffers pool[Buffer]
	readers pool[Reader]
	schema  schemaCache
}

// pool hands out values, each once until they are all free again.
type pool[T any] struct {
	all  []*T
	used int
}

func (p *pool[T]) next() *T {
	if p.used == len(p.all) {
		p.all = append(p.all, new(T))
	}
	p.used++
	return p.all[p.used-1]
}

// Reset makes all memory free for another file.
func (m *Memory) Reset() { m.buffers.used, m.readers.used = 0, 0 }

// resize returns the buffer with a length of n, allocated if it is too small.
func resize(buffer *[]byte, n int) []byte {
	if cap(*buffer) < n {
		*buffer = make([]byte, n+n/4)
	}
	return (*buffer)[:n]
}

func (b *Buffer) decompress(codec int, compressed []byte, size int) ([]byte, error) {
	if codec == codecNone || size == 0 {
		return compressed, nil
	}
	if size < 0 || size > min(maxPageSize, maxSize(codec, len(compressed))) {
		return nil, fmt.Errorf("%w: a page claims to unpack to more than it can", ErrBroken)
	}
	var data []byte
	var err error
	switch codec {
	case codecSnappy:
		if n, sizeErr := snappy.DecodedLen(compressed); sizeErr != nil || n != size {
			return nil, fmt.Errorf("%w: a page has another size than its header", ErrBroken)
		}
		data, err = snappy.Decode(resize(&b.data, size), compressed)
	case codecGzip:
		data, err = b.gunzip(compressed, size)
	case codecBrotli:
		data, err = b.readAll(brotli.NewReader(bytes.NewReader(compressed)), size)
	case codecZstd:
		data, err = b.unzstd(compressed, size)
	case codecLZ4:
		var n int
		n, err = lz4.UncompressBlock(compressed, resize(&b.data, size+1)) // exactly size would hide what follows
		data = b.data[:max(n, 0)]
	default:
		return nil, ErrUnsupported
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, errTruncated // the end of the file is another thing
	}
	if err == nil && len(data) != size {
		err = fmt.Errorf("%w: a page has another size than its header", ErrBroken)
	}
	return data, err
}

func (b *Buffer) gunzip(compressed []byte, size int) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return nil, err
	}
	return b.readAll(r, size)
}

// firstRead is how many bytes are allocated before any have been decompressed.
const firstRead = 1 << 20

func (b *Buffer) readAll(r io.Reader, size int) ([]byte, error) {
	for have := 0; ; {
		room := min(size, max(firstRead, 2*have, cap(b.data)))
		if cap(b.data) < room {
			b.data = append(make([]byte, 0, room), b.data[:have]...)
		}
		n, err := io.ReadFull(r, b.data[have:room])
		if have += n; err != nil || have == size {
			return b.data[:have], err
		}
	}
}

// zstdDecoder decompresses the pages of all files. It has no goroutines: those who call it wait for each other if they are more
// than the processors.
var zstdDecoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxPageSize), zstd.WithDecodeAllCapLimit(true))
})

// unzstd decompresses a page of zstd. No more is allocated than its blocks can hold.
func (b *Buffer) unzstd(compressed []byte, size int) ([]byte, error) {
	decoder, err := zstdDecoder()
	if err == nil && size > firstRead && size > zstdRoom(compressed) {
		err = errShortZstd
	}
	if err != nil {
		return nil, err
	}
	return decoder.DecodeAll(compressed, resize(&b.data, size)[:0])
}

var errShortZstd = fmt.Errorf("%w: a page of zstd is shorter than its header claims", ErrBroken)

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

package pages

import (
	"bytes"
	"fmt"
	"io"

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

// A page may decompress to maxRatio times its size, or of freeRatioSize if it is smaller.
const (
	maxRatio      = 1000
	freeRatioSize = 4 << 10
)

// Buffer is memory to read and decompress pages into, one at a time.
type Buffer struct {
	compressed, data []byte
	levels, indexes  []int32
	spans            []span
	zstd             *zstd.Decoder
}

// Memory is what a file is read into. After Reset it serves the next file.
type Memory struct {
	file        []byte
	buffers     []*Buffer
	usedBuffers int
	readers     []*Reader
	usedReaders int
	schema      schemaCache
}

// Buffer returns a buffer for the caller alone until Reset.
func (m *Memory) Buffer() *Buffer {
	if m.usedBuffers == len(m.buffers) {
		m.buffers = append(m.buffers, &Buffer{})
	}
	m.usedBuffers++
	return m.buffers[m.usedBuffers-1]
}

// Reset makes all memory free for another file.
func (m *Memory) Reset() { m.usedBuffers, m.usedReaders = 0, 0 }

// reader is Buffer for readers.
func (m *Memory) reader() *Reader {
	if m.usedReaders == len(m.readers) {
		m.readers = append(m.readers, &Reader{})
	}
	m.usedReaders++
	return m.readers[m.usedReaders-1]
}

// Close stops the goroutines of all decompressors.
func (m *Memory) Close() {
	for _, b := range m.buffers {
		b.Close()
	}
}

// Close stops the goroutines of the decompressor.
func (b *Buffer) Close() {
	if b.zstd != nil {
		b.zstd.Close()
		b.zstd = nil
	}
}

// resize returns the buffer with a length of n, allocated if it is too small.
func resize(buffer *[]byte, n int) []byte {
	if cap(*buffer) < n {
		*buffer = make([]byte, n+n/4)
	}
	return (*buffer)[:n]
}

// decompress returns the data of a page, whose header says that it has size bytes.
func (b *Buffer) decompress(codec int, compressed []byte, size int) ([]byte, error) {
	if size == 0 {
		return compressed, nil
	}
	return b.Decompress(codec, compressed, size)
}

// Decompress returns the size bytes that were compressed with a codec of the format.
func (b *Buffer) Decompress(codec int, compressed []byte, size int) ([]byte, error) {
	if codec == codecNone {
		return compressed, nil
	}
	if size < 0 || size > maxPageSize || size/maxRatio > max(len(compressed), freeRatioSize) {
		return nil, fmt.Errorf("%w: a page unpacks to more than %d times its size", ErrBroken, maxRatio)
	}
	var data []byte
	var err error
	switch codec {
	case codecSnappy:
		if n, sizeErr := snappy.DecodedLen(compressed); sizeErr != nil || n != size {
			return nil, fmt.Errorf("%w: a page is of another size than it says", ErrBroken)
		}
		data, err = snappy.Decode(resize(&b.data, size), compressed)
	case codecGzip:
		data, err = gunzip(resize(&b.data, size), compressed)
	case codecBrotli:
		data = resize(&b.data, size)
		_, err = io.ReadFull(brotli.NewReader(bytes.NewReader(compressed)), data)
	case codecZstd:
		data, err = b.unzstd(resize(&b.data, size)[:0], compressed)
	case codecLZ4:
		var n int
		n, err = lz4.UncompressBlock(compressed, resize(&b.data, size+1)) // exactly size would hide what follows
		data = b.data[:max(n, 0)]
	default:
		return nil, ErrUnsupported
	}
	if err == nil && len(data) != size {
		err = fmt.Errorf("%w: a page is of another size than it says", ErrBroken)
	}
	return data, err
}

func gunzip(dst, compressed []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return nil, err
	}
	n, err := io.ReadFull(r, dst)
	return dst[:n], err
}

func (b *Buffer) unzstd(dst, compressed []byte) ([]byte, error) {
	if b.zstd == nil {
		var err error
		if b.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPageSize)); err != nil {
			return nil, err
		}
	}
	return b.zstd.DecodeAll(compressed, dst)
}

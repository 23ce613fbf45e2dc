package pages

import (
	"bytes"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
)

// Compressions, by their numbers in the format.
const (
	plainCodec  = 0
	snappyCodec = 1
	gzipCodec   = 2
	zstdCodec   = 6
)

// maxPage bounds the memory that one page may ask for: writers make pages of a
// megabyte, or of a few where a row is larger.
const maxPage = 1 << 30

// A page that unpacks to more than so many times its size is no log's, except a small one.
const (
	maxRatio  = 1000
	minPacked = 4 << 10
)

// Buffer is the memory in which pages are unpacked, one after the other.
type Buffer struct {
	packed, plain []byte
	levels, index []int32
	spans         []span
	zstd          *zstd.Decoder
}

// Memory is what files are read and unpacked into. That of a file can serve the next
// one, when nothing of the first is needed any more.
type Memory struct {
	file    []byte
	buffers []*Buffer
	used    int
	readers []*Reader
	reading int    // of the readers
	schema  schema // of the file before
}

// Buffer returns a buffer that nothing else uses until Reset.
func (m *Memory) Buffer() *Buffer {
	if m.used == len(m.buffers) {
		m.buffers = append(m.buffers, &Buffer{})
	}
	m.used++
	return m.buffers[m.used-1]
}

// Reset makes all of it free again.
func (m *Memory) Reset() { m.used, m.reading = 0, 0 }

// reader is Buffer for readers.
func (m *Memory) reader() *Reader {
	if m.reading == len(m.readers) {
		m.readers = append(m.readers, &Reader{})
	}
	m.reading++
	return m.readers[m.reading-1]
}

// Close gives back what the buffers hold beside memory.
func (m *Memory) Close() {
	for _, b := range m.buffers {
		b.Close()
	}
}

// Close gives back what a buffer holds beside memory.
func (b *Buffer) Close() {
	if b.zstd != nil {
		b.zstd.Close()
		b.zstd = nil
	}
}

// room returns n bytes of a slice that is kept.
func room(kept *[]byte, n int) []byte {
	if cap(*kept) < n {
		*kept = make([]byte, n+n/4)
	}
	return (*kept)[:n]
}

// unpack returns the text of what was compressed, which the page says is of that size.
func (b *Buffer) unpack(codec int, packed []byte, size int) ([]byte, error) {
	if codec == plainCodec || size == 0 {
		return packed, nil
	}
	if size/maxRatio > max(len(packed), minPacked) {
		return nil, fmt.Errorf("%w: a page unpacks to more than %d times its size", ErrBroken, maxRatio)
	}
	var plain []byte
	var err error
	switch codec {
	case snappyCodec:
		if n, bad := snappy.DecodedLen(packed); bad != nil || n != size {
			return nil, fmt.Errorf("%w: a page is of another size than it says", ErrBroken)
		}
		plain, err = snappy.Decode(room(&b.plain, size), packed)
	case gzipCodec:
		plain, err = gunzip(room(&b.plain, size), packed)
	case zstdCodec:
		plain, err = b.unzstd(room(&b.plain, size)[:0], packed)
	default:
		return nil, ErrUnsupported
	}
	if err == nil && len(plain) != size {
		err = fmt.Errorf("%w: a page is of another size than it says", ErrBroken)
	}
	return plain, err
}

func gunzip(dst, packed []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	n, err := io.ReadFull(r, dst)
	return dst[:n], err
}

func (b *Buffer) unzstd(dst, packed []byte) ([]byte, error) {
	if b.zstd == nil {
		var err error
		if b.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxPage)); err != nil {
			return nil, err
		}
	}
	return b.zstd.DecodeAll(packed, dst)
}

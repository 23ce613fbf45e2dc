package compressed

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/klauspost/compress/zstd"
)

// zstdReader is the text of a zstd file. A reader with blocks in flight decompresses them in
// goroutines of its own, until its file ends or it is closed.
type zstdReader struct {
	decoder   *zstd.Decoder
	maxWindow int64
}

// zstdBlocks is how many blocks are in flight where a whole file is decompressed: while one is put
// together from its parts, those after it are decoded. With two it takes a fifth more time.
const zstdBlocks = 4

// newZstdReader returns a reader with so many blocks in flight; with 1 it starts no goroutines.
func newZstdReader(file io.Reader, blocks int) (*zstdReader, error) {
	maxWindow := maxZstdWindow(debug.SetMemoryLimit(-1))
	d, err := zstd.NewReader(file, zstd.WithDecoderConcurrency(blocks), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(uint64(maxWindow)))
	return &zstdReader{d, maxWindow}, err
}

// maxZstdWindow bounds the memory that a zstd file may demand by the memory that the program may
// take. Every zstd has to read windows of 8 MB; those of 128 MB are the largest that it reads unasked.
func maxZstdWindow(memory int64) int64 { return min(max(8<<20, memory/8), 128<<20) }

// ErrWindow says that to unpack a file takes too much memory.
var ErrWindow = errors.New("it was packed with zstd --long")

// Read implements [io.Reader].
func (z *zstdReader) Read(p []byte) (int, error) {
	n, err := z.decoder.Read(p)
	if errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded) {
		err = fmt.Errorf("%w, and to unpack it takes more than %d MB of memory, too much here: unpack it with zstd -d --long=31", ErrWindow, z.maxWindow>>20)
	}
	return n, err
}

// Close ends the goroutines.
func (z *zstdReader) Close() error {
	z.decoder.Close()
	return nil
}

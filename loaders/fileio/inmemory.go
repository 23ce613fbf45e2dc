package fileio

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// A Parquet file is read from its end. One that comes through a pipe, or lies within gzip or
// zstd although it is compressed itself, is held in memory, up to so many bytes.
const MaxInMemory = 256 << 20

// ErrTooLarge is returned for what does not fit in MaxInMemory.
var ErrTooLarge = fmt.Errorf("%w: a Parquet file of more than %d MB is held in memory where it comes through a pipe or is compressed once more: give the file itself", ErrNotRead, MaxInMemory>>20)

// InMemory is a file that is held in memory.
type InMemory struct{ *bytes.Reader }

// Close implements [Handle].
func (InMemory) Close() error { return nil }

// Stat implements [Handle]: there is no file to tell of.
func (InMemory) Stat() (os.FileInfo, error) { return nil, errors.ErrUnsupported }

// WithSize returns the info of a compressed file with the size of what it holds.
func WithSize(info os.FileInfo, size int64) os.FileInfo { return sizedInfo{info, size} }

type sizedInfo struct {
	os.FileInfo
	size int64
}

// Size implements [os.FileInfo].
func (i sizedInfo) Size() int64 { return i.size }

// ReadAll reads a table into memory.
func ReadAll(r io.Reader) (InMemory, error) { return readAtMost(r, MaxInMemory) }

func readAtMost(r io.Reader, limit int64) (InMemory, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = ErrTooLarge
	}
	return InMemory{bytes.NewReader(data)}, err
}

// ErrNotRead begins the reason for which a whole file is not read.
var ErrNotRead = errors.New("not read")

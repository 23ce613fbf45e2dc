package fileio

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// MaxInMemory is the largest file that is held in memory. A Parquet file is read from its end, so one
// that comes through a pipe, or is compressed once more as a whole, must be.
const MaxInMemory = 256 << 20

// ErrNotRead starts the reason why a whole file is not read.
var ErrNotRead = errors.New("not read")

// ErrTooLarge is the error for a file of more than MaxInMemory bytes.
var ErrTooLarge = fmt.Errorf("%w: a Parquet file of more than %d MB is held in memory where it comes through a pipe or is compressed once more: give the file itself", ErrNotRead, MaxInMemory>>20)

// InMemory is a file that is held in memory. It implements [Handle].
type InMemory struct{ *bytes.Reader }

// Close does nothing.
func (InMemory) Close() error { return nil }

// Stat returns [errors.ErrUnsupported].
func (InMemory) Stat() (os.FileInfo, error) { return nil, errors.ErrUnsupported }

// ReadAll reads a whole file into memory, at most MaxInMemory bytes.
func ReadAll(r io.Reader) (InMemory, error) { return readAtMost(r, MaxInMemory) }

func readAtMost(r io.Reader, limit int64) (InMemory, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = ErrTooLarge
	}
	return InMemory{bytes.NewReader(data)}, err
}

// WithSize returns info with another size: that of the contents of a compressed file.
func WithSize(info os.FileInfo, size int64) os.FileInfo { return sizedInfo{info, size} }

type sizedInfo struct {
	os.FileInfo
	size int64
}

// Size implements [os.FileInfo].
func (i sizedInfo) Size() int64 { return i.size }

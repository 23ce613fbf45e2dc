package loaders

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// A Parquet file is read from its end. One that comes through a pipe, or lies within gzip or
// zstd although it is compressed itself, is held in memory, up to so many bytes.
const maxWithin = 256 << 20

var errWithin = fmt.Errorf("%w: a Parquet file of more than %d MB is held in memory where it comes through a pipe or is compressed once more: give the file itself", errTable, maxWithin>>20)

// memory is a file that is held in memory.
type memory struct{ *bytes.Reader }

// Close implements [handle].
func (memory) Close() error { return nil }

// Stat implements [handle]: there is no file to tell of.
func (memory) Stat() (os.FileInfo, error) { return nil, errors.ErrUnsupported }

// heldInfo is that of a compressed file, with the size of what it holds.
type heldInfo struct {
	os.FileInfo
	size int64
}

// Size implements [os.FileInfo].
func (i heldInfo) Size() int64 { return i.size }

// hold reads a table into memory.
func hold(r io.Reader) (memory, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxWithin+1))
	if err == nil && len(data) > maxWithin {
		err = errWithin
	}
	return memory{bytes.NewReader(data)}, err
}

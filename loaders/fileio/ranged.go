package fileio

import (
	"io"
	"os"
)

// Ranged is a file of a storage that is read by ranges and stays as it was described when it was opened. It implements
// [Handle].
type Ranged struct {
	*io.SectionReader
	object  Object
	release func() error
}

// NewRanged returns the handle of a file. Only ranges within the file are asked for; release may be nil.
func NewRanged(o Object, readAt func(p []byte, offset int64) (int, error), release func() error) Ranged {
	return Ranged{io.NewSectionReader(readerAt(readAt), 0, o.Bytes), o, release}
}

// Stat returns the [Object] that was opened.
func (r Ranged) Stat() (os.FileInfo, error) { return r.object, nil }

// Close implements [Handle].
func (r Ranged) Close() error {
	if r.release == nil {
		return nil
	}
	return r.release()
}

type readerAt func(p []byte, offset int64) (int, error)

func (f readerAt) ReadAt(p []byte, offset int64) (int, error) { return f(p, offset) }

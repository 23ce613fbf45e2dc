// Package fileio opens files and says whether they have changed.
//
// In: a path. Out: a [Handle] for reading, and whether what was read before is still there
// ([File]); or a whole file in memory ([ReadAll]). Source and the packages that read files call it.
package fileio

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"syscall"
	"time"

	"vantage/loaders/jsonscan"
)

// Handle is a file that is open for reading.
type Handle interface {
	io.Reader
	io.ReaderAt
	io.Closer
	Stat() (os.FileInfo, error)
}

// FaultInjector replaces the result of opening a file. Only tests set one, to act as a network
// filesystem that fails.
type FaultInjector func(path string, h Handle, err error) (Handle, error)

// File is a path and what was last seen there. It holds no handle between two reads: an open handle
// keeps a deleted file on the disk, and on NFS leaves a .nfs file in the directory of the log.
type File struct {
	Storage      Storage     // nil is a nil [*Disk]
	Root         string      // the directory that was opened; "" for a path given by itself
	Path         string      // below Root
	Info         os.FileInfo // as last seen; nil before the first read
	Size         int64       // as last seen
	Pos          int64       // everything before it has been read
	StoppedAtNUL bool        // a NUL byte is at Pos
	Fault        FaultInjector

	head, tail fingerprint // of the first bytes, and of those before Pos
}

// Open opens the file for reading. Below Root it opens nothing outside of it, wherever a symbolic
// link points. It does not block on a named pipe (O_NONBLOCK), and returns an error for what is no
// regular file.
func (f *File) Open() (Handle, os.FileInfo, error) {
	disk, here := f.disk()
	if f.Root == "" || !here {
		return f.OpenIn(nil)
	}
	root, err := disk.OpenRoot(f.Root)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = root.Close() }()
	return f.OpenIn(root)
}

// disk returns the disk of the file, if it is on this machine.
func (f *File) disk() (d *Disk, here bool) {
	if f.Storage == nil {
		return nil, true
	}
	d, here = f.Storage.(*Disk)
	return d, here
}

// IsHere reports whether the file is on this machine.
func (f *File) IsHere() bool {
	_, here := f.disk()
	return here
}

// OpenIn is Open with Root open already; root is nil if Root is "", and for files elsewhere than on this machine.
func (f *File) OpenIn(root *os.Root) (Handle, os.FileInfo, error) {
	const flags = os.O_RDONLY | syscall.O_NONBLOCK
	var h Handle
	var err error
	switch disk, here := f.disk(); {
	case !here:
		h, err = f.Storage.Open(f.FullPath())
	case root != nil:
		h, err = disk.opened(filepath.Join(root.Name(), f.Path), func() (*os.File, error) { return root.OpenFile(f.Path, flags, 0) })
	default:
		h, err = disk.opened(f.Path, func() (*os.File, error) { return os.OpenFile(f.Path, flags, 0) })
	}
	if f.Fault != nil {
		h, err = f.Fault(f.Path, h, err)
	}
	if err != nil {
		return nil, nil, err
	}
	info, err := h.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &os.PathError{Op: "read", Path: f.Path, Err: syscall.EINVAL}
	}
	if err != nil {
		_ = h.Close()
		return nil, nil, err
	}
	return h, info, nil
}

// FullPath returns the whole path of the file in its storage.
func (f *File) FullPath() string {
	if !f.IsHere() {
		return path.Join(f.Root, filepath.ToSlash(f.Path))
	}
	return filepath.Join(f.Root, f.Path)
}

// Key returns what tells the file from all others: its whole path with the name of its storage.
func (f *File) Key() string {
	if f.Storage != nil {
		return f.Storage.Name() + f.FullPath()
	}
	return f.FullPath()
}

// Modified returns when the file was last modified, the zero time before the first read.
func (f *File) Modified() time.Time {
	if f.Info == nil {
		return time.Time{}
	}
	return f.Info.ModTime()
}

// HasNews reports whether there may be something new to read. It opens the file: NFS answers
// stat from its cache, but asks the server on open. Elsewhere the description only is asked for, which is one request.
func (f *File) HasNews() (bool, error) {
	if !f.IsHere() && !f.StoppedAtNUL {
		info, err := f.Storage.Stat(f.FullPath())
		return err == nil && f.Differs(info), err
	}
	h, info, err := f.Open()
	if err != nil {
		return false, err
	}
	defer func() { _ = h.Close() }()
	if f.Differs(info) {
		return true, nil
	}
	if f.StoppedAtNUL {
		var b [1]byte
		n, _ := h.ReadAt(b[:], f.Pos)
		return n == 1 && b[0] != 0, nil
	}
	return false, nil
}

// Differs reports whether info is another file, size or time than was last seen.
func (f *File) Differs(info os.FileInfo) bool {
	return f.Info == nil || info.Size() != f.Size || !SameFile(f.Info, info) || !sameVersion(f.Info, info)
}

// Rewritten reports whether what was read of the file is gone: the file is shorter than Pos,
// another file, or has other bytes at its start or before Pos; or it cannot be known.
func (f *File) Rewritten(h io.ReaderAt, info os.FileInfo) bool {
	old, isObject := f.Info.(Object)
	now, _ := info.(Object)
	switch {
	case f.Info == nil:
		return false
	case f.Pos == f.Size && info.Size() == f.Size && !sameVersion(f.Info, info):
		// Other bytes may stand in its middle, which no fingerprint covers. If somebody only touched the file it is read for nothing.
		return true
	case isObject && f.Pos > 0 && f.Pos < f.Size && old.Version != now.Version:
		return true // one that was read to its end may have been appended to
	}
	return info.Size() < f.Pos || !SameFile(f.Info, info) || !f.StartsTheSame(h)
}

// StartsTheSame reports whether the file has the bytes at its start, and before Pos, that were read.
func (f *File) StartsTheSame(h io.ReaderAt) bool { return f.head.matches(h) && f.tail.matches(h) }

// Remember takes the fingerprints that Rewritten compares.
func (f *File) Remember(h io.ReaderAt) {
	const headSize, tailSize = 1024, 64
	if n := min(f.Pos, headSize); n > f.head.size {
		f.head = newFingerprint(h, 0, n)
	}
	n := min(f.Pos, tailSize)
	if f.tail.offset != f.Pos-n || f.tail.size != n {
		f.tail = newFingerprint(h, f.Pos-n, n)
	}
}

// Forget drops the fingerprints, for a file that is read from its start again.
func (f *File) Forget() { f.head, f.tail, f.StoppedAtNUL = fingerprint{}, fingerprint{}, false }

type fingerprint struct {
	offset, size int64
	hash         uint64
}

// newFingerprint hashes a range of a file. It returns the zero fingerprint if the range cannot be
// read.
func newFingerprint(h io.ReaderAt, offset, size int64) fingerprint {
	b := make([]byte, size)
	if n, err := h.ReadAt(b, offset); err == nil || errors.Is(err, io.EOF) {
		return fingerprint{offset: offset, size: int64(n), hash: jsonscan.Hash64(b[:n])}
	}
	return fingerprint{}
}

// matches reports whether the range is as it was. It returns true if the range cannot be read now,
// since then nothing says that it changed.
func (f fingerprint) matches(h io.ReaderAt) bool {
	if f.size == 0 {
		return true
	}
	now := newFingerprint(h, f.offset, f.size)
	return now == f || now == fingerprint{}
}

// IgnoreEnd returns no error where a file ends, also within what was to be read.
func IgnoreEnd(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// Unchanged reports whether a file is the same, of the same size and time, as before.
func Unchanged(before, now os.FileInfo) bool {
	return SameFile(before, now) && before.Size() == now.Size() && sameVersion(before, now)
}

// MaxInMemory is the largest file that is held in memory. A Parquet file is read from its end, so one
// that comes through a pipe, or is compressed once more as a whole, must be.
const MaxInMemory = 256 << 20

// ErrNotRead starts the reason why a whole file is not read.
var ErrNotRead = errors.New("not read")

// NotRead returns an [ErrNotRead] with a reason.
func NotRead(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrNotRead}, args...)...)
}

// ErrTooLarge is the error for a file of more than MaxInMemory bytes.
var ErrTooLarge = fmt.Errorf("%w: a Parquet file of more than %d MB is held in memory where it comes through a pipe or is compressed "+
	"once more: give the file itself", ErrNotRead, MaxInMemory>>20)

// ReadAll reads a whole file into memory, at most MaxInMemory bytes.
func ReadAll(r io.Reader) (Ranged, error) { return readAtMost(r, MaxInMemory) }

func readAtMost(r io.Reader, limit int64) (Ranged, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = ErrTooLarge
	}
	return NewRanged(Object{Bytes: int64(len(data))}, bytes.NewReader(data).ReadAt), err
}

// WithSize returns info with another size: that of the contents of a compressed file.
func WithSize(info os.FileInfo, size int64) os.FileInfo { return sizedInfo{FileInfo: info, size: size} }

type sizedInfo struct {
	os.FileInfo
	size int64
}

func (i sizedInfo) Size() int64 { return i.size }

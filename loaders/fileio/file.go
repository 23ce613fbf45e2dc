package fileio

import (
	"errors"
	"io"
	"os"
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

// FaultInjector stands between the program and the files it opens: nil but in tests, where
// network filesystems fail in it.
type FaultInjector func(path string, h Handle, err error) (Handle, error)

// File is where a file lies and what was last seen of it. No handle is kept:
// a held one keeps deleted files on the disk, and on NFS leaves .nfs files
// beside the log.
type File struct {
	Root string // the opened directory; "" for a path that was given itself
	Path string // beneath root
	Info os.FileInfo
	Size int64
	Pos  int64 // everything before it has been read
	head fingerprint
	tail fingerprint

	StoppedAtNUL bool // a NUL byte is at Pos
	Fault        FaultInjector
}

// Open opens the file for reading. Below a directory nothing outside of it is
// opened, whatever a symbolic link says. O_NONBLOCK: a log that was replaced by
// a pipe must not block us.
func (d *File) Open() (Handle, os.FileInfo, error) {
	if d.Root == "" {
		return d.OpenIn(nil)
	}
	root, err := os.OpenRoot(d.Root)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = root.Close() }()
	return d.OpenIn(root)
}

// OpenIn opens the file beneath a directory that is open, nil for one that was given
// itself.
func (d *File) OpenIn(root *os.Root) (Handle, os.FileInfo, error) {
	const flags = os.O_RDONLY | syscall.O_NONBLOCK
	var file *os.File
	var err error
	if root == nil {
		file, err = os.OpenFile(d.Path, flags, 0)
	} else {
		file, err = root.OpenFile(d.Path, flags, 0)
	}
	var h Handle = file
	if d.Fault != nil {
		h, err = d.Fault(d.Path, h, err)
	}
	if err != nil {
		return nil, nil, err
	}
	info, err := h.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &os.PathError{Op: "read", Path: d.Path, Err: syscall.EINVAL}
	}
	if err != nil {
		_ = h.Close()
		return nil, nil, err
	}
	return h, info, nil
}

// Modified is when the file changed last, as far as is known.
func (d *File) Modified() time.Time {
	if d.Info == nil {
		return time.Time{}
	}
	return d.Info.ModTime()
}

// Changed reports whether there may be something new. It opens the file, since NFS
// answers stat from its cache but asks the server on open.
func (d *File) Changed() (news bool, err error) {
	h, info, err := d.Open()
	if err != nil {
		return false, err
	}
	defer func() { _ = h.Close() }()
	if d.Differs(info) {
		return true, nil
	}
	if d.StoppedAtNUL {
		var b [1]byte
		n, _ := h.ReadAt(b[:], d.Pos)
		return n == 1 && b[0] != 0, nil
	}
	return false, nil
}

// Differs reports whether a file is not as it was last seen.
func (d *File) Differs(info os.FileInfo) bool {
	return d.Info == nil || info.Size() != d.Size || !info.ModTime().Equal(d.Info.ModTime()) || !os.SameFile(d.Info, info)
}

// Rewritten reports whether what was read of the file is not there any more:
// it is shorter, another file, or has other bytes at its begin or before pos.
func (d *File) Rewritten(h io.ReaderAt, info os.FileInfo) bool {
	if d.Info == nil {
		return false
	}
	return info.Size() < d.Pos || !os.SameFile(d.Info, info) || !d.head.matches(h) || !d.tail.matches(h)
}

// Remember takes the marks of what has been read.
func (d *File) Remember(h io.ReaderAt) {
	const headSize, tailSize = 1024, 64
	if n := min(d.Pos, headSize); n > d.head.size {
		d.head = newFingerprint(h, 0, n)
	}
	n := min(d.Pos, tailSize)
	if d.tail.offset != d.Pos-n || d.tail.size != n {
		d.tail = newFingerprint(h, d.Pos-n, n)
	}
}

// Forget forgets what was read of the file.
func (d *File) Forget() { d.head, d.tail, d.StoppedAtNUL = fingerprint{}, fingerprint{}, false }

// fingerprint is a fingerprint of a piece of a file.
type fingerprint struct {
	offset, size int64
	sum          uint64
}

// newFingerprint takes the fingerprint of so many bytes, of none if they cannot be read.
func newFingerprint(h io.ReaderAt, offset, size int64) fingerprint {
	b := make([]byte, size)
	if n, err := h.ReadAt(b, offset); err == nil || errors.Is(err, io.EOF) {
		return fingerprint{offset, int64(n), jsonscan.Hash64(b[:n])}
	}
	return fingerprint{}
}

// matches reports whether the piece is as it was. If it cannot be read now, nobody knows
// that it is not.
func (m fingerprint) matches(h io.ReaderAt) bool {
	if m.size == 0 {
		return true
	}
	now := newFingerprint(h, m.offset, m.size)
	return now == m || now == fingerprint{}
}

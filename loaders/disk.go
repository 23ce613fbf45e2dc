package loaders

import (
	"errors"
	"io"
	"os"
	"syscall"
	"time"
)

// handle is a file that is open for reading.
type handle interface {
	io.Reader
	io.ReaderAt
	io.Closer
	Stat() (os.FileInfo, error)
}

// through stands between the program and the files it opens: nil but in tests, where
// network filesystems fail in it.
type through func(path string, h handle, err error) (handle, error)

// disk is where a file lies and what was last seen of it. No handle is kept:
// a held one keeps deleted files on the disk, and on NFS leaves .nfs files
// beside the log.
type disk struct {
	root string // the opened directory; "" for a path that was given itself
	path string // beneath root
	info os.FileInfo
	size int64
	pos  int64 // everything before it has been read
	head mark
	tail mark

	queued  bool      // it waits to be read
	news    bool      // it had changed when it was read last
	hot     bool      // it is looked at again soon
	stalled bool      // a NUL stands at pos
	fails   int       // tries in a row that failed
	retry   bool      // the last one did
	again   time.Time // then it may be tried again
	through through
}

// open opens the file for reading. Below a directory nothing outside of it is
// opened, whatever a symbolic link says. O_NONBLOCK: a log that was replaced by
// a pipe must not block us.
func (d *disk) open() (handle, os.FileInfo, error) {
	if d.root == "" {
		return d.openIn(nil)
	}
	root, err := os.OpenRoot(d.root)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = root.Close() }()
	return d.openIn(root)
}

// openIn opens the file beneath a directory that is open, nil for one that was given
// itself.
func (d *disk) openIn(root *os.Root) (handle, os.FileInfo, error) {
	const flags = os.O_RDONLY | syscall.O_NONBLOCK
	var file *os.File
	var err error
	if root == nil {
		file, err = os.OpenFile(d.path, flags, 0)
	} else {
		file, err = root.OpenFile(d.path, flags, 0)
	}
	var h handle = file
	if d.through != nil {
		h, err = d.through(d.path, h, err)
	}
	if err != nil {
		return nil, nil, err
	}
	info, err := h.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &os.PathError{Op: "read", Path: d.path, Err: syscall.EINVAL}
	}
	if err != nil {
		_ = h.Close()
		return nil, nil, err
	}
	return h, info, nil
}

// modified is when the file changed last, as far as is known.
func (d *disk) modified() time.Time {
	if d.info == nil {
		return time.Time{}
	}
	return d.info.ModTime()
}

// look reports whether there may be something new. It opens the file, since NFS
// answers stat from its cache but asks the server on open.
func (d *disk) look() (news bool, err error) {
	h, info, err := d.open()
	if err != nil {
		return false, err
	}
	defer func() { _ = h.Close() }()
	if d.differs(info) {
		return true, nil
	}
	if d.stalled {
		var b [1]byte
		n, _ := h.ReadAt(b[:], d.pos)
		return n == 1 && b[0] != 0, nil
	}
	return false, nil
}

// differs reports whether a file is not as it was last seen.
func (d *disk) differs(info os.FileInfo) bool {
	return d.info == nil || info.Size() != d.size || !info.ModTime().Equal(d.info.ModTime()) || !os.SameFile(d.info, info)
}

// rewritten reports whether what was read of the file is not there any more:
// it is shorter, another file, or has other bytes at its begin or before pos.
func (d *disk) rewritten(h io.ReaderAt, info os.FileInfo) bool {
	if d.info == nil {
		return false
	}
	return info.Size() < d.pos || !os.SameFile(d.info, info) || !d.head.holds(h) || !d.tail.holds(h)
}

// remember takes the marks of what has been read.
func (d *disk) remember(h io.ReaderAt) {
	const headSize, tailSize = 1024, 64
	if n := min(d.pos, headSize); n > d.head.size {
		d.head = newMark(h, 0, n)
	}
	n := min(d.pos, tailSize)
	if d.tail.offset != d.pos-n || d.tail.size != n {
		d.tail = newMark(h, d.pos-n, n)
	}
}

// mark is a fingerprint of a piece of a file.
type mark struct {
	offset, size int64
	sum          uint64
}

// newMark takes the fingerprint of so many bytes, of none if they cannot be read.
func newMark(h io.ReaderAt, offset, size int64) mark {
	b := make([]byte, size)
	if n, err := h.ReadAt(b, offset); err == nil || errors.Is(err, io.EOF) {
		return mark{offset, int64(n), hash64(b[:n])}
	}
	return mark{}
}

// holds reports whether the piece is as it was. If it cannot be read now, nobody knows
// that it is not.
func (m mark) holds(h io.ReaderAt) bool {
	if m.size == 0 {
		return true
	}
	now := newMark(h, m.offset, m.size)
	return now == m || now == mark{}
}

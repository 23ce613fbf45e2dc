package sqlite

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// Database is a database at a path. It is used by one goroutine at a time, and holds no file open between two calls of Read.
type Database struct {
	path string
	log  *wal // as far as it was read
}

// New returns the database at a path. It opens nothing.
func New(path string) *Database { return &Database{path: path} }

// A database begins so, with a header of this size.
const (
	magic      = "SQLite format 3\x00"
	headerSize = 100
)

// Magic reports whether a file that begins so is a database.
func Magic(start []byte) bool { return bytes.HasPrefix(start, []byte(magic)) }

// How often, and how long after one another, a disturbed database is read again, and for how long a filesystem may give two changes the
// same time.
const (
	attempts = 6
	pause    = 5 * time.Millisecond
	tick     = 20 * time.Millisecond
)

// Read calls read with the database as it was at one moment, and again if a writer disturbed it: what read returns then is
// forgotten, and so must be what it kept.
func (d *Database) Read(read func(*View) error) error {
	var err error
	for n := range attempts {
		var disturbed bool
		disturbed, err = d.try(read)
		if !disturbed {
			return err
		}
		time.Sleep(pause << n)
	}
	return errors.Join(ErrDisturbed, err)
}

// try is Read without trying again.
func (d *Database) try(read func(*View) error) (disturbed bool, err error) {
	before := d.stamp()
	if before.err != nil {
		return false, before.err
	}
	if age := time.Since(before.modified); age >= 0 && age < tick {
		time.Sleep(tick - age) // what is written from now on has another time
	}
	v, err := d.open()
	if err != nil {
		return !before.same(d.stamp()), err
	}
	defer v.close()
	if v.journal && before.journal {
		return true, nil
	}
	err = read(v)
	after := d.stamp()
	return !before.same(after) || !v.logIsSame(), err
}

// stamp is what tells that a database was written.
type stamp struct {
	err      error
	info     fs.FileInfo
	modified time.Time
	size     int64
	journal  bool // a transaction is being written, or was not finished
}

func (d *Database) stamp() (s stamp) {
	if s.info, s.err = os.Stat(d.path); s.err == nil {
		s.modified, s.size = s.info.ModTime(), s.info.Size()
	}
	s.journal = isHot(d.path + "-journal")
	return s
}

func (s stamp) same(t stamp) bool {
	return s.err == nil && t.err == nil && os.SameFile(s.info, t.info) && s.modified.Equal(t.modified) && s.size == t.size && s.journal == t.journal
}

// isHot reports whether a rollback journal is in use: one that is not has no header, or only zeros.
func isHot(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	var start [8]byte
	_, err = io.ReadFull(f, start[:])
	return err == nil && start != [8]byte{}
}

// View is a database at one moment.
type View struct {
	file, logFile *os.File
	log           *wal // nil without one
	journal       bool // a rollback journal counts
	pageSize      int
	usable        int // bytes of a page
	pages         uint32
	page          map[uint32][]byte // of inner pages, and the last leaf
}

// open opens the files and reads their headers.
func (d *Database) open() (v *View, err error) {
	v = &View{page: map[uint32][]byte{}}
	defer func() {
		if err != nil {
			v.close()
		}
	}()
	if v.file, err = os.Open(d.path); err != nil {
		return v, err
	}
	var header [headerSize]byte
	switch n, err := io.ReadFull(v.file, header[:]); {
	case n == 0 && errors.Is(err, io.EOF):
		return v, ErrEmpty
	case err != nil || !Magic(header[:]):
		return v, errors.Join(ErrNotDatabase, ignoreEOF(err))
	}
	if v.pageSize = int(binary.BigEndian.Uint16(header[16:])); v.pageSize == 1 {
		v.pageSize = 1 << 16
	}
	v.usable = v.pageSize - int(header[20])
	if v.pageSize < 512 || v.pageSize&(v.pageSize-1) != 0 || v.usable < 480 {
		return v, fmt.Errorf("%w: pages of %d bytes", ErrBroken, v.pageSize)
	}
	if encoding := binary.BigEndian.Uint32(header[56:]); header[18] > 2 || header[19] > 2 || encoding > 1 {
		return v, ErrUnsupported
	}
	info, err := v.file.Stat()
	if err != nil {
		return v, err
	}
	v.pages = uint32(min(info.Size()/int64(v.pageSize), 1<<32-2))
	if v.journal = header[19] != 2; v.journal {
		return v, nil
	}
	return v, d.openLog(v)
}

// openLog reads the log of a database that has one.
func (d *Database) openLog(v *View) (err error) {
	if v.logFile, err = os.Open(d.path + "-wal"); err != nil {
		d.log = nil
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	if v.log, err = readWAL(v.logFile, v.pageSize, d.log); err != nil {
		d.log = nil
		return err
	}
	if d.log = v.log; v.log != nil {
		v.pages = uint32(min(int64(v.log.pages), int64(v.pages)+int64(len(v.log.frames)))) // no more than there are
	}
	return nil
}

// logIsSame reports whether the log has not been begun anew: pages of it were what they should be.
func (v *View) logIsSame() bool {
	if v.log == nil {
		return true
	}
	var header [walHeaderSize]byte
	_, err := v.logFile.ReadAt(header[:], 0)
	return err == nil && header == v.log.header
}

func (v *View) close() {
	for _, f := range []*os.File{v.file, v.logFile} {
		if f != nil {
			_ = f.Close()
		}
	}
}

// readPage reads a page into buffer.
func (v *View) readPage(number uint32, buffer []byte) error {
	if number == 0 || number > v.pages {
		return fmt.Errorf("%w: page %d of %d", ErrBroken, number, v.pages)
	}
	file, at := v.file, int64(number-1)*int64(v.pageSize)
	if v.log != nil {
		if offset, ok := v.log.frames[number]; ok {
			file, at = v.logFile, offset
		}
	}
	_, err := file.ReadAt(buffer, at)
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: page %d is not there", ErrBroken, number)
	}
	return err
}

package sftp

import (
	"errors"
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/pkg/sftp"

	"vantage/loaders/fileio"
)

const (
	maxSegment  = 256 << 10 // requested at a time, in packets of 32 KB
	headSegment = 32 << 10  // for the first few bytes of a file, which tell what it is
	minSegment  = 16 << 10  // for a few bytes elsewhere
	firstAhead  = 256 << 10 // what is read ahead of a reader of consecutive bytes; doubled each time
	maxAhead    = 4 << 20
	maxHeld     = 8 << 20 // of a file, beside what is read ahead
	headKept    = 1024    // a file that has grown is recognised by these bytes,
	tailKept    = 64      // and by these before what is new
)

// file is an open file of the node, and what was read of it and ahead. It is as long as it was when it was opened.
type file struct {
	storage    *storage
	path       string
	readBefore int64         // up to where it was read before, if it was
	isAhead    bool          // it is fetched before anybody reads it
	isOpen     chan struct{} // closed when it is open, or cannot be opened
	info       fileio.Object
	err        error

	// of the pool, with its lock:
	users    int
	ahead    int64     // bytes that were fetched ahead, until it is opened
	checked  time.Time // when its description was asked for
	wasWhole bool      // it was read to its end

	opening sync.Mutex // held while it is opened or closed on the node
	remote  *sftp.File // nil if it is not open there
	session *session   // in which it was opened last

	mu       sync.Mutex
	segments []*segment // in the order in which they were requested
	window   int64      // how much is read ahead
	wantedTo int64      // the end of what was wanted
	readTo   int64      // the end of what was read
}

// segment is a part of a file that was requested.
type segment struct {
	offset, size int64
	ready        chan struct{}
	data         []byte // fewer than size if the file was cut meanwhile
	err          error
	used         bool // it was read to its end
}

func newFile(s *storage, path string) *file {
	return &file{storage: s, path: path, isOpen: make(chan struct{})}
}

// open opens the file, and asks for its description at the same time if that is not known.
func (f *file) open(known *fileio.Object) {
	defer close(f.isOpen)
	described := make(chan error, 1)
	if known != nil {
		f.info = *known
		described <- nil
	} else {
		go func() {
			var err error
			f.info, err = f.storage.describe(f.path)
			described <- err
		}()
	}
	err := f.storage.connection.do(func(at *session) error {
		_, err := f.remoteIn(at)
		return err
	})
	f.err = <-described
	if f.err == nil {
		f.err = pathError("open", f.path, err)
	}
	if f.err == nil {
		f.requestFirst()
	}
}

// requestFirst requests what is read first, before anybody can ask for less of it: of a file that has grown what is new, of one
// that is fetched ahead all, and the start of a large one.
func (f *file) requestFirst() {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.readBefore > 0 && f.readBefore < f.info.Bytes:
		f.request(0, min(headKept, f.readBefore))
		from := max(0, f.readBefore-tailKept)
		f.requestAll(from, min(f.info.Bytes-from, maxSegment))
	case f.isAhead && f.info.Bytes <= wholeFile:
		f.requestAll(0, f.info.Bytes)
	case f.isAhead:
		f.requestAll(0, firstAhead)
	}
}

func (f *file) opened() (fileio.Object, error) {
	select {
	case <-f.isOpen:
		return f.info, f.err
	case <-f.storage.connection.stop:
		return fileio.Object{}, errClosed
	}
}

// fetchAhead waits until what was requested of a file that is fetched ahead is there.
func (f *file) fetchAhead() {
	f.mu.Lock()
	requested := append([]*segment{}, f.segments...)
	f.mu.Unlock()
	for _, g := range requested {
		<-g.ready
	}
	if f.info.Bytes <= wholeFile {
		f.close() // nothing more is read of it
	}
}

// readAt reads a part of the file.
func (f *file) readAt(p []byte, offset int64) (n int, err error) {
	for n < len(p) {
		g := f.segmentAt(offset+int64(n), int64(len(p)-n))
		select {
		case <-g.ready:
		case <-f.storage.connection.stop:
			return n, errClosed
		}
		if g.err != nil {
			f.forget(g)
			return n, g.err
		}
		from := offset + int64(n) - g.offset
		if from >= int64(len(g.data)) {
			return n, io.EOF // the file was cut
		}
		n += copy(p[n:], g.data[from:])
		f.mu.Lock()
		f.readTo = max(f.readTo, offset+int64(n))
		g.used = g.used || offset+int64(n) >= g.offset+g.size
		f.mu.Unlock()
	}
	return n, nil
}

func (f *file) forget(g *segment) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.segments = slices.DeleteFunc(f.segments, func(other *segment) bool { return other == g })
}

// segmentAt returns the segment that holds an offset. What is wanted and not there is requested, and more behind it if
// consecutive bytes are read.
func (f *file) segmentAt(offset, want int64) *segment {
	f.mu.Lock()
	defer f.mu.Unlock()
	end := offset + want
	advances := offset <= f.wantedTo && end > f.wantedTo && want >= minSegment
	f.wantedTo = max(f.wantedTo, end)
	if f.find(offset) == nil && offset == 0 {
		end = max(end, headSegment)
	} else if f.find(offset) == nil {
		end = max(end, offset+minSegment)
	}
	requested := f.requestAll(offset, end-offset)
	if advances && f.requestAll(end, f.window) || advances && requested {
		f.window = min(max(2*f.window, firstAhead), maxAhead)
	}
	f.evict(offset)
	return f.find(offset)
}

// find returns the segment that holds an offset, nil if there is none.
func (f *file) find(offset int64) *segment {
	for i := len(f.segments) - 1; i >= 0; i-- {
		if g := f.segments[i]; g.offset <= offset && offset < g.offset+g.size {
			return g
		}
	}
	return nil
}

// requestAll requests what is not there yet of a part of the file, and reports whether that was anything.
func (f *file) requestAll(offset, size int64) (requested bool) {
	end := min(offset+size, f.info.Bytes)
	for offset < end {
		if g := f.find(offset); g != nil {
			offset = g.offset + g.size
			continue
		}
		to := min(end, offset+maxSegment)
		for _, g := range f.segments {
			if g.offset > offset {
				to = min(to, g.offset)
			}
		}
		f.request(offset, to-offset)
		offset, requested = to, true
	}
	return requested
}

func (f *file) request(offset, size int64) {
	g := &segment{offset: offset, size: size, ready: make(chan struct{})}
	f.segments = append(f.segments, g)
	go func() {
		defer close(g.ready)
		data := make([]byte, size)
		n, err := f.fetch(data, offset)
		g.data, g.err = data[:n], pathError("read", f.path, err)
	}()
}

// evict drops segments that were read, except for the first and the last, and the oldest if there are too many. It keeps
// the one that holds an offset.
func (f *file) evict(offset int64) {
	var held int64
	for _, g := range f.segments {
		held += g.size
	}
	f.segments = slices.DeleteFunc(f.segments, func(g *segment) bool {
		behind := f.info.Bytes > wholeFile && g.used && g.offset > 0 && g.offset+g.size < f.readTo-2*maxSegment
		drop := (behind || held > maxHeld) && g.isReady() && (offset < g.offset || offset >= g.offset+g.size)
		if drop {
			held -= g.size
		}
		return drop
	})
}

func (g *segment) isReady() bool {
	select {
	case <-g.ready:
		return true
	default:
		return false
	}
}

// fetch reads from the node. If the file was closed between the two steps, as after it was fetched ahead, it is opened again.
func (f *file) fetch(p []byte, offset int64) (n int, err error) {
	err = f.storage.connection.do(func(at *session) error {
		for {
			remote, err := f.remoteIn(at)
			if err != nil {
				return err
			}
			n, err = remote.ReadAt(p, offset)
			switch {
			case errors.Is(err, io.EOF):
				return nil
			case !errors.Is(err, os.ErrClosed):
				return err
			}
			f.drop(remote)
		}
	})
	return n, err
}

// drop forgets the file on the node, which was closed, unless it was opened again.
func (f *file) drop(closed *sftp.File) {
	f.opening.Lock()
	defer f.opening.Unlock()
	if f.remote == closed {
		f.remote = nil
	}
}

// remoteIn returns the file in a session. If it is not open there, since the connection was lost meanwhile, it is opened
// again, and must be the same.
func (f *file) remoteIn(at *session) (*sftp.File, error) {
	f.opening.Lock()
	defer f.opening.Unlock()
	if f.remote != nil && f.session == at {
		return f.remote, nil
	}
	remote, err := at.Open(f.path)
	if err != nil {
		return nil, err
	}
	if f.session != nil {
		now, err := at.describe(f.path)
		if err == nil && !fileio.Unchanged(f.info, f.storage.replaced.apply(now)) {
			err = errReplaced
		}
		if err != nil {
			_ = remote.Close()
			return nil, err
		}
	}
	f.remote, f.session = remote, at
	return remote, nil
}

// close closes the file on the node. Nobody reads it; or all of it is here.
func (f *file) close() {
	f.opening.Lock()
	defer f.opening.Unlock()
	if f.remote != nil {
		go func(remote *sftp.File) { _ = remote.Close() }(f.remote) // its answer is of no interest
	}
	f.remote = nil
}

package sftp

import (
	"cmp"
	"hash/maphash"
	"sync"
	"time"

	"github.com/pkg/sftp"

	"vantage/loaders/fileio"
	"vantage/model/fault"
)

const (
	freshFor  = 10 * time.Second // a description, unless another comes
	keptFor   = 2 * time.Second  // a file that nobody reads stays open on the node
	smallFile = 1 << 20          // files up to this size are read whole
)

// file is a file of the node, as it was described when it was opened there. It stays open there until its end was read, or
// nobody has read it for a while: a log is opened here for each chunk that is read of it, and that costs no round trip.
type file struct {
	storage *storage
	path    string
	open    func() error // opens it the first time

	// With the lock of the storage:
	object  fileio.Object // its path is "" until it was open
	checked time.Time     // when the node described it last, as the same

	mu      sync.Mutex // held while it is opened or closed on the node
	remote  *sftp.File // nil if it is not open there
	session *session   // in which it was opened last
	readers int
	idle    *time.Timer
}

func newFile(s *storage, path string) *file {
	f := &file{storage: s, path: path, checked: time.Now()}
	f.open = sync.OnceValue(func() error {
		_, err := f.readAt(nil, 0)
		return err
	})
	return f
}

// Open asks the node for nothing if the file is known to it, and was described lately.
func (s *storage) Open(name string) (fileio.Handle, error) {
	s.mu.Lock()
	f := s.files[name]
	if f == nil || time.Since(f.checked) > freshFor {
		f = newFile(s, name)
		s.files[name] = f
	}
	s.mu.Unlock()
	if err := f.open(); err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.files[name] == f {
			delete(s.files, name)
		}
		return nil, err
	}
	return fileio.NewRanged(f.object, f.readAt), nil
}

// note takes a description that the node gave, as it is to be told. A file that is another one now is opened anew.
func (s *storage) note(o fileio.Object) fileio.Object {
	s.mu.Lock()
	defer s.mu.Unlock()
	o = s.replaced.apply(o)
	if f := s.files[o.Path]; f != nil && f.object.Path != "" {
		if f.checked = time.Now(); !fileio.Unchanged(f.object, o) {
			delete(s.files, o.Path)
		}
	}
	return o
}

// readAt asks the node for a part of the file; of no bytes, only for the file.
func (f *file) readAt(p []byte, offset int64) (n int, err error) {
	op := "read"
	if len(p) == 0 {
		op = "open"
	}
	err = f.storage.connection.do(func(on *session) error {
		remote, err := f.acquire(on)
		if err != nil {
			return err
		}
		defer f.release(offset+int64(len(p)) >= f.object.Bytes)
		if len(p) > 0 {
			n, err = remote.ReadAt(p, offset)
		}
		return err
	})
	return n, pathError(op, f.path, err)
}

// acquire returns the file as it is open in a session, to be read until release.
func (f *file) acquire(on *session) (*sftp.File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.remote == nil || f.session != on {
		if err := f.openIn(on); err != nil {
			return nil, err
		}
	}
	f.readers++
	return f.remote, nil
}

// openIn opens the file, and asks for its description at the same time. If it was open before it must be the same.
func (f *file) openIn(on *session) error {
	var now fileio.Object
	described := fault.Later(func() (err error) {
		now, err = f.storage.describeIn(on, f.path)
		return err
	})
	remote, openErr := on.Open(f.path)
	outcome := <-described
	err := cmp.Or(outcome.Get(), openErr)
	f.storage.mu.Lock()
	if err == nil && f.object.Path == "" {
		f.object = now
	}
	f.storage.mu.Unlock()
	if err == nil && !fileio.Unchanged(f.object, now) {
		err = errReplaced
	}
	if err == nil {
		f.remote, f.session = remote, on
	} else if openErr == nil {
		_ = remote.Close()
	}
	return err
}

// release ends a read. A small file whose end was read is closed: it is not read again.
func (f *file) release(toEnd bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.readers--
	switch {
	case toEnd && f.object.Bytes <= smallFile:
		f.closeUnread()
	case f.idle == nil:
		f.idle = time.AfterFunc(keptFor, func() {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.closeUnread()
		})
	default:
		f.idle.Reset(keptFor)
	}
}

func (f *file) closeUnread() {
	if f.remote != nil && f.readers == 0 {
		remote := f.remote
		fault.Go(func() { _ = remote.Close() }) // its answer is of no interest
		f.remote = nil
	}
}

// sftp tells times in seconds, so that a file that is replaced by one of the same size in the second in which it was read looks
// the same. While a run is followed a small file that changed lately is therefore read once more when that second is over, and
// compared. Growing files are not: those are read on, and what was read of them is not written again.

// replacements are the files that are others although size and second are the same: the time of such a file is told with as
// many nanoseconds as it was replaced, which makes it another.
type replacements map[string]replacement // by path

type replacement struct {
	bytes    int64
	modified time.Time // as the node tells it
	times    time.Duration
}

// apply returns a description with the time that tells the file from the one before.
func (r replacements) apply(o fileio.Object) fileio.Object {
	if m := r[o.Path]; m.bytes == o.Bytes && m.modified.Equal(o.Modified) {
		o.Modified = o.Modified.Add(m.times)
	} else {
		delete(r, o.Path)
	}
	return o
}

func (r replacements) add(o fileio.Object) {
	second := o.Modified.Truncate(time.Second)
	r[o.Path] = replacement{o.Bytes, second, o.Modified.Sub(second) + 1}
}

var seed = maphash.MakeSeed()

// WasRead reads a small file once more when the second is over in which it changed, if that may be the one in which it was read.
func (s *storage) WasRead(o fileio.Object, text []byte) {
	if s.connection.patience > 0 || time.Since(o.Modified) > maxSkew {
		return
	}
	sum := maphash.Bytes(seed, text)
	time.AfterFunc(sameSecond, func() {
		f := newFile(s, o.Path)
		if f.open() != nil || !fileio.Unchanged(o, f.object) {
			return // it will be read anyway
		}
		again := make([]byte, len(text))
		if n, _ := f.readAt(again, 0); n < len(again) || maphash.Bytes(seed, again) == sum {
			return
		}
		s.mu.Lock()
		s.replaced.add(o)
		s.mu.Unlock()
		for _, t := range s.allTrees() {
			if _, ok := t.listed(o.Path); ok {
				t.lookAtFile(o)
			}
		}
	})
}

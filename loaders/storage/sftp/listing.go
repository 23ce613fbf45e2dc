package sftp

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"slices"
	"sync"
	"time"

	"vantage/loaders/fileio"
)

const (
	longestListing = 5 * time.Minute
	maxListing     = 256 << 20 // bytes of memory, by far more than maxEntries take
	entryMemory    = 200       // of an entry, beside its names
)

var (
	errEndless = &fileio.Failure{What: "holds more files than can be listed", Do: "give the directory of one run"}
	errSlow    = &fileio.Failure{What: "takes more than 5 minutes to list", Do: "give the directory of one run"}
)

// readDir lists a directory. The client collects all of it, so that a node could fill the memory, or list without end: it is
// stopped before that, with a Failure.
func (s *session) readDir(dir string, longest time.Duration) (infos []os.FileInfo, tooLarge *fileio.Failure, err error) {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	timer := time.AfterFunc(longest, func() { cancel(errSlow) })
	defer timer.Stop()
	defer s.names.watch(func() { cancel(errEndless) })()
	infos, err = s.ReadDirContext(ctx, dir)
	if ctx.Err() != nil {
		_ = errors.As(context.Cause(ctx), &tooLarge)
		return nil, tooLarge, nil
	}
	return infos, nil, err
}

// nameMeter counts what the names of files take that come from a node.
type nameMeter struct {
	head []byte // of the packet that is coming
	rest int64  // of that packet, what has not come

	mu      sync.Mutex
	total   int64
	watched []*watchedListing
}

// watchedListing is stopped when the total is larger than its limit.
type watchedListing struct {
	limit int64
	stop  func()
}

// watch calls stop if more names come than are good from now on, until done is called.
func (m *nameMeter) watch(stop func()) (done func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w := &watchedListing{m.total + maxListing, stop}
	m.watched = append(m.watched, w)
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.watched = slices.DeleteFunc(m.watched, func(other *watchedListing) bool { return other == w })
	}
}

// A packet of names begins with its length, this kind, the number of the request, and how many names there are.
const (
	kindOfNames = 104 // SSH_FXP_NAME
	kindAt      = 4
	countAt     = 9
)

// note notes bytes that came. Only one caller at a time may.
func (m *nameMeter) note(p []byte) {
	for len(p) > 0 {
		if n := min(m.rest, int64(len(p))); n > 0 {
			m.rest, p = m.rest-n, p[n:]
			continue
		}
		m.head, p = append(m.head, p[0]), p[1:]
		if n := len(m.head); n <= kindAt || m.head[kindAt] == kindOfNames && n < countAt+4 {
			continue
		}
		size := int64(binary.BigEndian.Uint32(m.head)) + kindAt
		if m.head[kindAt] == kindOfNames {
			m.add(size + entryMemory*int64(binary.BigEndian.Uint32(m.head[countAt:])))
		}
		m.rest, m.head = size-int64(len(m.head)), m.head[:0]
	}
}

func (m *nameMeter) add(n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.total += n
	for _, w := range m.watched {
		if m.total > w.limit {
			w.stop()
		}
	}
}

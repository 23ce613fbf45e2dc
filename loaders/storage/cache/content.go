package cache

import (
	"crypto/sha256"
	"fmt"
	"sync"
	"time"

	"vantage/loaders/fileio"
)

// content is one version of a file.
type content struct {
	id     [sha256.Size]byte // of storage, path, size and version
	size   int64
	keep   bool // on the disk
	isNext bool // an earlier version was read: what comes now is mostly what was appended

	mu     sync.Mutex
	runs   [4]run // the readers that go through it, as workers and columns
	turn   int    // which is replaced next
	ahead  bool   // it was fetched before it was read, or is being
	unread int64  // bytes that were, until it is read
}

// run is a reader that goes on where it ended.
type run struct{ next, length int64 }

// settled is how old a file without a version must be for the disk: one that was written in the same second may
// look the same.
const settled = time.Minute

func newContent(storage string, o fileio.Object, now time.Time) *content {
	c := &content{size: o.Bytes, keep: o.Version != "" || now.Sub(o.Modified) > settled}
	c.id = sha256.Sum256(fmt.Appendf(nil, "%q %q %d %q %d", storage, o.Path, o.Bytes, o.Version, o.Modified.UnixNano()))
	return c
}

// advance notes a read, and returns how many bytes its reader has gone through in one piece, with it; 0 if it began elsewhere.
func (c *content) advance(offset, n int64) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.runs {
		r := &c.runs[i]
		if r.next > 0 && r.next-pageSize <= offset && offset <= r.next+pageSize {
			if end := offset + n; end > r.next {
				r.length, r.next = r.length+end-r.next, end
			}
			return r.length
		}
	}
	r := &c.runs[c.turn]
	c.turn = (c.turn + 1) % len(c.runs)
	*r = run{next: offset + n, length: n}
	if offset > 0 {
		return 0
	}
	return n
}

// takeUnread returns how many bytes were fetched before the file was read, once.
func (c *content) takeUnread() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.unread
	c.unread = 0
	return n
}

package cache

import (
	"path"
	"sync"
)

const (
	maxRequests = 16            // how many files are fetched ahead at a time
	maxUnread   = maxMemory / 2 // bytes that were fetched and are not read yet
	footerSize  = 2 * pageSize  // of a large Parquet file, which is read first
)

// ahead fetches files that are read next.
type ahead struct {
	mu      sync.Mutex
	wanted  []string
	running int
	unread  int64
}

// want says which files are read next, in this order, and how to fetch one: fetch returns how many bytes came.
func (a *ahead) want(names []string, fetch func(name string) int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.wanted = append(a.wanted[:0], names...)
	for ; a.running < min(maxRequests, len(names)); a.running++ {
		go a.run(fetch)
	}
}

// run fetches the files that are wanted one after the other.
func (a *ahead) run(fetch func(name string) int64) {
	for name, ok := a.next(0); ok; {
		name, ok = a.next(fetch(name))
	}
}

// next counts bytes that were fetched, and returns the next name; false ends the run.
func (a *ahead) next(fetched int64) (name string, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.unread += fetched
	if len(a.wanted) == 0 || a.unread > maxUnread {
		a.running--
		return "", false
	}
	name, a.wanted = a.wanted[0], a.wanted[1:]
	return name, true
}

// taken says that bytes that were fetched are being read now.
func (a *ahead) taken(bytes int64) {
	if bytes == 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.unread -= bytes
}

// fetchFile fetches a file that is read next: of a large one its first block, of a large Parquet file its end. It returns how
// many bytes of it wait to be read now. An error is reported when it is its turn.
func (s *storage) fetchFile(name string) int64 {
	opened, err := s.open(name)
	if err != nil {
		return 0
	}
	defer func() { _ = opened.Close() }()
	h, ok := opened.(*handle)
	if !ok || h.content.size == 0 || h.content.isNext || !h.content.beginAhead() {
		return 0
	}
	from, to := int64(0), min(h.content.size, blockSize)
	if path.Ext(name) == ".parquet" && h.content.size > blockSize {
		from, to = h.content.size-footerSize, h.content.size
	}
	for number := from / blockSize; number*blockSize < to; number++ {
		part := span{max(from-number*blockSize, 0), min(to-number*blockSize, blockSize)}
		if err := h.fill(s.memory.block(h.content, number), part, part); err != nil {
			return 0
		}
	}
	return h.content.endAhead(to - from)
}

// beginAhead reports whether nobody fetches the file ahead yet.
func (c *content) beginAhead() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	isFirst := !c.ahead
	c.ahead = true
	return isFirst
}

// endAhead notes how many bytes were fetched ahead.
func (c *content) endAhead(bytes int64) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.runs[0].next > 0 { // it is being read already
		return 0
	}
	c.unread = bytes
	return bytes
}

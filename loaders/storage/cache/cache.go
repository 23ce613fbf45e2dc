// Package cache keeps the bytes of a storage that were read: the last ones in memory, and more of them on the disk.
//
// In: any [vantage/loaders/fileio.Storage]. Out: one that asks it for each byte once ([Wrap]). It divides files into blocks of a
// megabyte, and those into pages; asks for pages that are missing in as few requests as it can; asks for what comes next in a
// file that is read through, and for files that are read next, before they are read. What it keeps is known by storage, path,
// size and version of the file: one that changed is another file here. Package storage calls it.
package cache

import (
	"crypto/sha256"
	"fmt"
	"path"
	"sync"
	"time"

	"vantage/loaders/fileio"
	"vantage/model/fault"
)

// storage is a storage whose bytes are kept. It implements [fileio.Storage].
type storage struct {
	fileio.Storage
	disk   *Disk // nil for none
	memory memory
	ahead  ahead

	mu       sync.Mutex
	contents map[string]*content // by path, the version that was opened last
}

// witness is a storage that wants to know what all the bytes of a small file were.
type witness interface {
	WasRead(o fileio.Object, text []byte)
}

// Wrap returns a storage that keeps what is read: in memory, and on the disk if there is one. The files of inner are of type
// [fileio.Ranged].
func Wrap(inner fileio.Storage, disk *Disk) fileio.Storage {
	return &storage{
		Storage: inner, disk: disk, memory: memory{blocks: map[blockKey]*block{}}, ahead: ahead{busy: map[string]bool{}},
		contents: map[string]*content{},
	}
}

func (s *storage) Open(name string) (fileio.Handle, error) {
	h, err := s.open(name)
	if f, ok := h.(*handle); ok {
		s.ahead.taken(f.content.takeUnread())
		if f.content.isNext {
			f.fetch(f.content.takeFirst(path.Ext(name))...)
		}
	}
	return h, err
}

// open is Open for a file that may not be read yet.
func (s *storage) open(name string) (fileio.Handle, error) {
	h, err := s.Storage.Open(name)
	inner, ok := h.(fileio.Ranged)
	if err != nil || !ok || !inner.Object.Mode().IsRegular() {
		return h, err
	}
	f := &handle{storage: s, inner: inner, content: s.content(inner.Object)}
	f.Ranged = fileio.NewRanged(inner.Object, f.readAt)
	return f, nil
}

// content returns what is known of a version of a file. Of an earlier version nothing is known any more.
func (s *storage) content(o fileio.Object) *content {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := &content{size: o.Bytes, keep: o.Version != "" || time.Since(o.Modified) > settled}
	now.id = sha256.Sum256(fmt.Appendf(nil, "%q %q %d %q %d", s.Name(), o.Path, o.Bytes, o.Version, o.Modified.UnixNano()))
	old := s.contents[o.Path]
	if old != nil && old.id == now.id {
		return old
	}
	if old != nil {
		s.memory.forget(old)
		s.ahead.taken(old.takeUnread())
		old.mu.Lock()
		now.isNext, now.readTo = true, old.readTo
		old.mu.Unlock()
	}
	s.contents[o.Path] = now
	return now
}

func (s *storage) WillRead(names []string) {
	s.Storage.WillRead(names)
	s.ahead.want(names, s.fetchFile)
}

const (
	longRun   = 256 << 10 // a reader that went so far in one piece goes on
	maxBlocks = 4         // how far it is fetched ahead
)

// handle reads a version of a file. It implements [fileio.Handle].
type handle struct {
	fileio.Ranged
	storage *storage
	inner   fileio.Ranged
	content *content
}

// readAt fetches the blocks that are not there together.
func (h *handle) readAt(p []byte, offset int64) (int, error) {
	n := int64(len(p))
	if n == 0 {
		return 0, nil
	}
	length := h.content.advance(offset, n)
	first, last := offset/blockSize, (offset+n-1)/blockSize
	h.fetchOn(last+1, length)
	blocks := make([]*block, last-first+1)
	errs := make([]error, len(blocks))
	var all fault.Group
	for i := range blocks {
		start := (first + int64(i)) * blockSize
		blocks[i] = h.storage.memory.block(h.content, first+int64(i))
		needed := []span{{max(offset-start, 0), min(offset+n-start, blockSize)}}
		if i == len(blocks)-1 {
			errs[i] = h.fill(blocks[i], needed, []span{h.wider(blocks[i], needed[0], length)})
			continue
		}
		all.Go(func() { errs[i] = h.fill(blocks[i], needed, needed) })
	}
	all.Wait()
	got := 0
	for i, b := range blocks {
		if errs[i] != nil {
			return got, errs[i]
		}
		got += b.copy(p[got:], offset+int64(got)-b.number*blockSize)
	}
	return got, nil
}

// fill makes sure that parts of a block are there. If one is not, all of the wider parts is fetched that is not.
func (h *handle) fill(b *block, needed, wider []span) error {
	added, err := b.fill(h.inner, h.storage.disk, needed, wider)
	h.storage.memory.add(b, added)
	if w, ok := h.storage.Storage.(witness); ok && added > 0 && b.size() == h.content.size {
		if text := make([]byte, b.size()); b.copy(text, 0) == len(text) {
			w.WasRead(h.Object, text)
		}
	}
	return err
}

// wider returns what to fetch of a block of which something is needed: all of a small file; as much again as a reader has gone
// through in one piece, since it mostly goes on; else no more than is needed.
func (h *handle) wider(b *block, needed span, length int64) span {
	switch {
	case h.content.size <= blockSize && !h.content.isNext:
		return span{0, b.size()}
	case length >= longRun:
		return span{needed.from, b.size()}
	}
	return span{needed.from, min(needed.to+length, b.size())}
}

// fetchOn fetches the blocks that a reader comes to next in the background, the more of them the further it has gone.
func (h *handle) fetchOn(number, length int64) {
	if length < longRun {
		return
	}
	for end := number + min(1+length/blockSize, maxBlocks); number < end && number*blockSize < h.content.size; number++ {
		b := h.storage.memory.block(h.content, number)
		if b.ahead.Swap(true) {
			continue
		}
		fault.Go(func() {
			whole := []span{{0, b.size()}}
			if h.fill(b, whole, whole) != nil { // who reads it tries again, and reports the error
				b.ahead.Store(false)
			}
		})
	}
}

// Fetch fetches a range in the background, as the columns of a Parquet file that are read next. Who reads it reports errors.
func (h *handle) Fetch(offset, size int64) {
	fault.Go(func() { h.fetch(span{max(offset, 0), min(offset+size, h.content.size)}) })
}

// fetch fetches ranges of the file at the same time.
func (h *handle) fetch(ranges ...span) {
	parts := map[int64][]span{} // of blocks
	for _, s := range ranges {
		for number := s.from / blockSize; number*blockSize < s.to; number++ {
			start := number * blockSize
			parts[number] = append(parts[number], span{max(s.from-start, 0), min(s.to-start, blockSize)})
		}
	}
	var all fault.Group
	for number, spans := range parts {
		all.Go(func() { _ = h.fill(h.storage.memory.block(h.content, number), spans, spans) })
	}
	all.Wait()
}

// content is one version of a file.
type content struct {
	id     [sha256.Size]byte // of storage, path, size and version
	size   int64
	keep   bool // on the disk
	isNext bool // an earlier version was read: what comes now is mostly what was appended

	mu     sync.Mutex
	runs   [4]run // the readers that go through it, as workers and columns
	turn   int    // which is replaced next
	ahead  bool   // what is read first was fetched before it was read, or is being
	unread int64  // bytes that were, until it is read
	readTo int64  // the end of what was read, of it or of an earlier version
}

// run is a reader that goes on where it ended.
type run struct{ next, length int64 }

// settled is how old a file without a version must be for the disk: one that was written in the same second may
// look the same.
const settled = time.Minute

// advance notes a read, and returns how many bytes its reader has gone through in one piece, with it; 0 if it began elsewhere.
func (c *content) advance(offset, n int64) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.readTo = max(c.readTo, offset+n)
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

const (
	maxRequests = 16            // how many files are fetched ahead at a time
	maxUnread   = maxMemory / 2 // bytes that were fetched and are not read yet
	footerSize  = 2 * pageSize  // of a large Parquet file, which is read first
	headKept    = 1024          // a file that has grown is recognised by these bytes,
	tailKept    = 64            // and by these before what is new
	maxNews     = 256 << 10
)

// ahead fetches files that are read next.
type ahead struct {
	mu     sync.Mutex
	wanted []string
	busy   map[string]bool // files that are being fetched
	unread int64
}

// want says which files are read next, in this order, and how to fetch one: fetch returns how many bytes came.
func (a *ahead) want(names []string, fetch func(name string) int64) {
	a.mu.Lock()
	a.wanted = append(a.wanted[:0], names...)
	a.mu.Unlock()
	a.fetchNext(fetch)
}

// fetchNext fetches the files that are wanted, as many as may be at a time and as long as those that were fetched are read.
func (a *ahead) fetchNext(fetch func(name string) int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for len(a.wanted) > 0 && len(a.busy) < maxRequests && a.unread <= maxUnread {
		name := a.wanted[0]
		a.wanted = a.wanted[1:]
		if a.busy[name] {
			continue
		}
		a.busy[name] = true
		fault.Go(func() {
			fetched := fetch(name)
			a.mu.Lock()
			a.unread += fetched
			delete(a.busy, name)
			a.mu.Unlock()
			a.fetchNext(fetch)
		})
	}
}

func (a *ahead) taken(bytes int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.unread -= bytes
}

// fetchFile fetches what is read first of a file that is read next, and returns how many bytes of it wait to be read now. An error
// is reported when it is its turn.
func (s *storage) fetchFile(name string) int64 {
	opened, _ := s.open(name)
	h, ok := opened.(*handle)
	if !ok {
		return 0
	}
	c, fetched := h.content, int64(0)
	first := c.takeFirst(path.Ext(name))
	h.fetch(first...)
	for _, s := range first {
		fetched += s.to - s.from
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if fetched == 0 || c.runs[0].next > 0 {
		return 0 // it was fetched, or is being read, already
	}
	c.unread = fetched
	return fetched
}

// takeFirst returns what is read first of a file, once: of a large one its first block, of a large Parquet file its end, and of
// one that has grown what it is recognised by and what is new.
func (c *content) takeFirst(extension string) []span {
	c.mu.Lock()
	defer c.mu.Unlock()
	isTaken := c.ahead
	c.ahead = true
	from := max(c.readTo-tailKept, 0)
	switch {
	case isTaken, c.isNext && (c.readTo == 0 || c.readTo >= c.size):
		return nil
	case c.isNext:
		return []span{{0, min(headKept, c.readTo)}, {from, min(from+maxNews, c.size)}}
	case extension == ".parquet" && c.size > blockSize:
		return []span{{c.size - footerSize, c.size}}
	}
	return []span{{0, min(c.size, blockSize)}}
}

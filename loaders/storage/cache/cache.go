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
	"sync/atomic"
	"time"

	"vantage/loaders/fileio"
)

// storage is a storage whose bytes are kept. It implements [fileio.Storage].
type storage struct {
	fileio.Storage
	disk   *Disk // nil for none
	memory *memory
	ahead  ahead

	mu       sync.Mutex
	contents map[string]*content // by path, the version that was opened last
}

// Wrap returns a storage that keeps what is read: in memory, and on the disk if there is one.
func Wrap(inner fileio.Storage, disk *Disk) fileio.Storage {
	return &storage{Storage: inner, disk: disk, memory: newMemory(), contents: map[string]*content{}}
}

func (s *storage) Open(name string) (fileio.Handle, error) {
	h, err := s.open(name)
	if f, ok := h.(*handle); ok {
		s.ahead.taken(f.content.takeUnread())
	}
	return h, err
}

// open is Open for a file that may not be read yet.
func (s *storage) open(name string) (fileio.Handle, error) {
	h, err := s.Storage.Open(name)
	if err != nil {
		return nil, err
	}
	info, err := h.Stat()
	if err != nil {
		_ = h.Close()
		return nil, err
	}
	o, ok := info.(fileio.Object)
	if !ok || !info.Mode().IsRegular() {
		return h, nil
	}
	f := &handle{storage: s, inner: h, content: s.content(o)}
	f.Ranged = fileio.NewRanged(o, f.readAt, f.release)
	f.users.Store(1)
	return f, nil
}

// content returns what is known of a version of a file. Of an earlier version nothing is known any more.
func (s *storage) content(o fileio.Object) *content {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := newContent(s.Name(), o, time.Now())
	old := s.contents[o.Path]
	if old != nil && old.id == now.id {
		return old
	}
	if old != nil {
		s.memory.forget(old)
		s.ahead.taken(old.takeUnread())
		now.isNext = true
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
	inner   fileio.Handle
	content *content
	users   atomic.Int32 // who opened it, until it is closed, and who fetches ahead
}

func (h *handle) release() error {
	if h.users.Add(-1) > 0 {
		return nil
	}
	return h.inner.Close()
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
	var wg sync.WaitGroup
	for i := range blocks {
		start := (first + int64(i)) * blockSize
		blocks[i] = h.storage.memory.block(h.content, first+int64(i))
		needed := span{max(offset-start, 0), min(offset+n-start, blockSize)}
		if i == len(blocks)-1 {
			errs[i] = h.fill(blocks[i], needed, h.wider(blocks[i], needed, length))
			continue
		}
		wg.Go(func() { errs[i] = h.fill(blocks[i], needed, needed) })
	}
	wg.Wait()
	got := 0
	for i, b := range blocks {
		if errs[i] != nil {
			return got, errs[i]
		}
		got += b.copy(p[got:], offset+int64(got)-b.number*blockSize)
	}
	return got, nil
}

// fill makes sure that a part of a block is there.
func (h *handle) fill(b *block, needed, wider span) error {
	added, err := b.fill(h.inner, h.storage.disk, needed, wider)
	h.storage.memory.add(b, added)
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
		h.fillAhead(b, span{0, b.size()}, func() { b.ahead.Store(false) })
	}
}

// fillAhead fetches a part of a block in the background. Of an error it says nothing but that: who reads it tries again, and
// reports it.
func (h *handle) fillAhead(b *block, part span, failed func()) {
	h.users.Add(1)
	go func() {
		defer func() { _ = h.release() }()
		if err := h.fill(b, part, part); err != nil {
			failed()
		}
	}()
}

// Fetch fetches a range in the background, as the columns of a Parquet file that are read next.
func (h *handle) Fetch(offset, size int64) {
	end := min(offset+size, h.content.size)
	for offset = max(offset, 0); offset < end; {
		b := h.storage.memory.block(h.content, offset/blockSize)
		start := b.number * blockSize
		h.fillAhead(b, span{offset - start, min(end-start, blockSize)}, func() {})
		offset = start + blockSize
	}
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

// run fetches the files that are wanted one after the other, as long as those that were fetched are read.
func (a *ahead) run(fetch func(name string) int64) {
	for fetched := int64(0); ; {
		a.mu.Lock()
		a.unread += fetched
		if len(a.wanted) == 0 || a.unread > maxUnread {
			a.running--
			a.mu.Unlock()
			return
		}
		name := a.wanted[0]
		a.wanted = a.wanted[1:]
		a.mu.Unlock()
		fetched = fetch(name)
	}
}

// taken says that bytes that were fetched are being read now.
func (a *ahead) taken(bytes int64) {
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
	if !ok || h.content.size == 0 || h.content.isNext {
		return 0
	}
	c := h.content
	c.mu.Lock()
	isFetched := c.ahead
	c.ahead = true
	c.mu.Unlock()
	if isFetched {
		return 0
	}
	from, to := int64(0), min(c.size, blockSize)
	if path.Ext(name) == ".parquet" && c.size > blockSize {
		from, to = c.size-footerSize, c.size
	}
	for number := from / blockSize; number*blockSize < to; number++ {
		part := span{max(from-number*blockSize, 0), min(to-number*blockSize, blockSize)}
		if err := h.fill(s.memory.block(c, number), part, part); err != nil {
			return 0
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.runs[0].next == 0 { // else it is being read already
		c.unread = to - from
	}
	return c.unread
}

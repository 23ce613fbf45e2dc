package cache

import (
	"cmp"
	"container/list"
	"errors"
	"io"
	"slices"
	"sync"
	"sync/atomic"

	"vantage/loaders/fileio"
)

const maxMemory = 32 << 20

// memory holds the blocks that were used last.
type memory struct {
	mu     sync.Mutex
	blocks map[blockKey]*block
	order  list.List // of blocks, the one used last at the front
	bytes  int64
}

type blockKey struct {
	file   *content
	number int64
}

// block returns a block of a file, which may have no pages yet.
func (m *memory) block(c *content, number int64) *block {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := blockKey{c, number}
	if b := m.blocks[key]; b != nil {
		m.order.MoveToFront(b.place)
		return b
	}
	b := &block{file: c, number: number}
	b.place = m.order.PushFront(b)
	m.blocks[key] = b
	return b
}

// add counts bytes that came to a block, and drops those that were not used for the longest time if there are too many.
func (m *memory) add(b *block, bytes int64) {
	if bytes == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.blocks[blockKey{b.file, b.number}] != b {
		return // it was dropped meanwhile
	}
	b.bytes += bytes
	m.bytes += bytes
	for m.bytes > maxMemory && m.order.Len() > 1 {
		m.drop(m.order.Back().Value.(*block))
	}
}

// drop forgets a block. Who reads it goes on with it.
func (m *memory) drop(b *block) {
	m.order.Remove(b.place)
	delete(m.blocks, blockKey{b.file, b.number})
	m.bytes -= b.bytes
}

func (m *memory) forget(c *content) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for number := int64(0); number*blockSize < c.size; number++ {
		if b := m.blocks[blockKey{c, number}]; b != nil {
			m.drop(b)
		}
	}
}

const (
	pageSize      = 64 << 10
	blockSize     = 1 << 20
	pagesPerBlock = blockSize / pageSize
)

// block is a megabyte of a file, or the rest of it.
type block struct {
	file   *content
	number int64
	place  *list.Element // in memory.order
	bytes  int64         // as memory counts them
	ahead  atomic.Bool   // somebody fetches the whole of it, or has

	mu     sync.Mutex
	pages  [pagesPerBlock][]byte // nil for those that are not there
	loaded bool                  // the disk was asked
}

func (b *block) size() int64 { return min(blockSize, b.file.size-b.number*blockSize) }

func (b *block) pageBytes(page int64) int64 { return min(pageSize, b.size()-page*pageSize) }

type span struct{ from, to int64 }

// fill makes sure that the pages of some ranges are there, and returns how many bytes are there now that were not. If one of them
// is not, all of the wider ranges is fetched that is not there.
func (b *block) fill(at io.ReaderAt, disk *Disk, needed, wider []span) (added int64, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.loaded {
		b.loaded = true
		added = disk.load(b)
	}
	if !slices.ContainsFunc(needed, b.lacks) {
		return added, nil
	}
	n, err := b.fetch(at, wider)
	if err == nil {
		disk.save(b)
	}
	return added + n, err
}

func (b *block) lacks(s span) bool {
	for i := s.from / pageSize; i*pageSize < s.to; i++ {
		if b.pages[i] == nil {
			return true
		}
	}
	return false
}

// fetch asks for the pages of some ranges that are not there, at the same time, those that follow each other together.
func (b *block) fetch(at io.ReaderAt, spans []span) (added int64, err error) {
	var missing [pagesPerBlock + 1]bool
	for _, s := range spans {
		for i := s.from / pageSize; i*pageSize < s.to; i++ {
			missing[i] = b.pages[i] == nil
		}
	}
	var wg sync.WaitGroup
	var errs [pagesPerBlock]error
	for from, end := 0, 0; from < pagesPerBlock; from = end + 1 {
		for end = from; missing[end]; end++ {
		}
		if end > from {
			wg.Go(func() { errs[from] = b.fetchPages(at, int64(from), int64(end)) })
		}
	}
	wg.Wait()
	for i, page := range b.pages {
		if missing[i] {
			added += int64(len(page))
		}
	}
	return added, cmp.Or(errs[:]...)
}

func (b *block) fetchPages(at io.ReaderAt, from, end int64) error {
	part := make([]byte, min(end*pageSize, b.size())-from*pageSize)
	n, err := at.ReadAt(part, b.number*blockSize+from*pageSize)
	if n < len(part) {
		if err == nil || errors.Is(err, io.EOF) {
			err = errShorter
		}
		return err
	}
	for i := from; i < end; i++ {
		b.pages[i], part = part[:b.pageBytes(i):b.pageBytes(i)], part[b.pageBytes(i):]
	}
	return nil
}

// errShorter is the error for a file that has fewer bytes than it was said to have.
var errShorter = &fileio.Failure{What: "was replaced by a shorter file while it was read", Do: "read it again when it is written", Replaced: true}

func (b *block) copy(p []byte, offset int64) (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for n < len(p) && offset < b.size() && b.pages[offset/pageSize] != nil {
		got := copy(p[n:], b.pages[offset/pageSize][offset%pageSize:])
		n, offset = n+got, offset+int64(got)
	}
	return n
}

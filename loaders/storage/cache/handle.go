package cache

import (
	"io"
	"os"
	"sync"
	"sync/atomic"

	"vantage/loaders/fileio"
)

const (
	longRun   = 256 << 10 // a reader that went so far in one piece goes on
	maxBlocks = 4         // how far it is fetched ahead
)

// handle reads a version of a file. It implements [fileio.Handle].
type handle struct {
	storage *storage
	inner   fileio.Handle
	content *content
	object  fileio.Object
	offset  int64        // of Read
	users   atomic.Int32 // who opened it, until it is closed, and who fetches ahead
}

// Stat implements [fileio.Handle].
func (h *handle) Stat() (os.FileInfo, error) { return h.object, nil }

// Close implements [fileio.Handle].
func (h *handle) Close() error {
	if h.users.Add(-1) > 0 {
		return nil
	}
	return h.inner.Close()
}

// Read implements [fileio.Handle].
func (h *handle) Read(p []byte) (int, error) {
	n, err := h.ReadAt(p, h.offset)
	h.offset += int64(n)
	return n, err
}

// ReadAt implements [fileio.Handle]. Blocks that are not there are fetched together.
func (h *handle) ReadAt(p []byte, offset int64) (int, error) {
	n := min(int64(len(p)), h.content.size-offset)
	if n <= 0 {
		return 0, io.EOF
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
		got += b.copy(p[got:n], offset+int64(got)-b.number*blockSize)
	}
	if got < len(p) {
		return got, io.EOF
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
		defer func() { _ = h.Close() }()
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

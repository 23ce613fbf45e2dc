package cache

import (
	"container/list"
	"sync"
)

// maxMemory bounds the bytes of blocks in memory.
const maxMemory = 32 << 20

// memory holds the blocks that were used last.
type memory struct {
	mu     sync.Mutex
	blocks map[blockKey]*block
	order  *list.List // of blocks, the one used last at the front
	bytes  int64
}

type blockKey struct {
	file   *content
	number int64
}

func newMemory() *memory { return &memory{blocks: map[blockKey]*block{}, order: list.New()} }

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

// forget drops the blocks of a file.
func (m *memory) forget(c *content) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for number := int64(0); number*blockSize < c.size; number++ {
		if b := m.blocks[blockKey{c, number}]; b != nil {
			m.drop(b)
		}
	}
}

package cache

import (
	"sync"
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

// Open implements [fileio.Storage].
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
	f := &handle{storage: s, inner: h, content: s.content(o), object: o}
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

// WillRead implements [fileio.Storage].
func (s *storage) WillRead(names []string) {
	s.Storage.WillRead(names)
	s.ahead.want(names, s.fetchFile)
}

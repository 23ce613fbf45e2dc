package loaders

import (
	"slices"
	"sync"

	"vantage/loaders/inflate"
)

// marks are the places from which compressed files can be unpacked again, so that the
// text of a sample is found without unpacking all before it. They are made while a file
// is read, and thinned, in all files alike, when they take too much memory.
type marks struct {
	mu      sync.Mutex
	files   map[int32][]inflate.Mark
	bytes   int
	spacing int64 // bytes of text between two marks
}

// A mark takes some 10 KB, and a megabyte of text unpacks in 2 ms.
const (
	firstSpacing = 1 << 20
	maxMarks     = 64 << 20 // bytes of all
)

// watch has marks made of a file while it is read.
func (m *marks) watch(file int32, r *inflate.Reader) {
	next := int64(0)
	r.Marks(func(r *inflate.Reader) {
		if r.Text() < next {
			return
		}
		next = r.Text() + m.add(file, r.Mark())
	})
}

// add returns how much text may come before the next mark.
func (m *marks) add(file int32, at inflate.Mark) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.files == nil {
		m.files, m.spacing = map[int32][]inflate.Mark{}, firstSpacing
	}
	m.files[file] = append(m.files[file], at)
	if m.bytes += at.Size(); m.bytes > maxMarks {
		m.thin()
	}
	return m.spacing
}

// thin forgets every other mark.
func (m *marks) thin() {
	m.spacing *= 2
	m.bytes = 0
	for file, all := range m.files {
		kept := all[:0:0]
		for i := 0; i < len(all); i += 2 {
			kept = append(kept, all[i])
			m.bytes += all[i].Size()
		}
		m.files[file] = kept
	}
}

// forget drops the marks of a file that is read anew.
func (m *marks) forget(file int32) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, at := range m.files[file] {
		m.bytes -= at.Size()
	}
	delete(m.files, file)
}

// before returns the last mark that is not behind a place in the text.
func (m *marks) before(file int32, offset int64) (at inflate.Mark, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := m.files[file]
	i, found := slices.BinarySearchFunc(all, offset, func(at inflate.Mark, offset int64) int {
		return int(max(-1, min(1, at.Text-offset)))
	})
	if !found {
		i--
	}
	if i < 0 {
		return inflate.Mark{}, false
	}
	return all[i], true
}

package loaders

import (
	"cmp"
	"runtime/debug"
	"slices"
	"sync"

	"vantage/loaders/compressed/gzipindex"
)

// marks are the places from which gzip files can be decompressed again, so that the text of
// a sample is found without decompressing all before it. They are made while a file is read,
// and thinned in all files alike when they take too much memory.
type marks struct {
	mu      sync.Mutex
	files   map[int32][]gzipindex.Checkpoint
	bytes   int
	spacing int64 // bytes of text between two marks
}

// A mark takes some 10 KB, and a megabyte of text decompresses in 2 ms. Marks that take more,
// as those in noise, stand farther apart: all of them take at most a twentieth of the text.
const (
	leastSpacing = 1 << 20
	leastShare   = 20
)

// All marks take at most a part of the memory that the program may take, within bounds:
// 40 MB are enough for a gigabyte and a half of text, 256 MB for ten.
const (
	marksShare = 16
	leastMarks = 40 << 20
	mostMarks  = 256 << 20
)

// maxMarksSize returns how many bytes all marks may take.
func maxMarksSize() int {
	return int(min(max(debug.SetMemoryLimit(-1)/marksShare, leastMarks), mostMarks))
}

// record makes marks of a file while r decompresses it.
func (m *marks) record(file int32, r *gzipindex.Reader) {
	next := int64(0)
	r.OnBlock(func(r *gzipindex.Reader) {
		if r.Offset() >= next {
			next = r.Offset() + m.add(file, r.Checkpoint())
		}
	})
}

// add returns how much text may come before the next mark.
func (m *marks) add(file int32, at gzipindex.Checkpoint) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.files == nil {
		m.files = map[int32][]gzipindex.Checkpoint{}
	}
	m.files[file] = append(m.files[file], at)
	if m.bytes += at.Size(); m.bytes > maxMarksSize() {
		m.thin()
	}
	return max(m.spacing, leastSpacing, leastShare*int64(at.Size()))
}

// thin drops every other mark.
func (m *marks) thin() {
	m.spacing = 2 * max(m.spacing, leastSpacing)
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

// forget drops the marks of a file.
func (m *marks) forget(file int32) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, at := range m.files[file] {
		m.bytes -= at.Size()
	}
	delete(m.files, file)
}

// before returns the last mark at or before an offset of the text.
func (m *marks) before(file int32, offset int64) (at gzipindex.Checkpoint, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := m.files[file]
	i, found := slices.BinarySearchFunc(all, offset, func(at gzipindex.Checkpoint, offset int64) int { return cmp.Compare(at.Offset, offset) })
	if !found {
		i--
	}
	if i < 0 {
		return at, false
	}
	return all[i], true
}

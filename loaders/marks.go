package loaders

import (
	"cmp"
	"runtime/debug"
	"slices"
	"sync"

	"vantage/loaders/frames"
	"vantage/loaders/inflate"
)

// restart is a place from which a compressed file can be unpacked again.
type restart interface {
	inflate.Mark | frames.Mark
	Size() int    // bytes of memory
	Place() int64 // bytes of text before it
}

// marks are the places from which compressed files can be unpacked again, so that the
// text of a sample is found without unpacking all before it. They are made while a file
// is read, and thinned, in all files alike, when they take too much memory.
type marks[M restart] struct {
	mu      sync.Mutex
	files   map[int32][]M
	bytes   int
	spacing int64 // bytes of text between two marks
}

// A mark in a gzip file takes some 10 KB, and a megabyte of text unpacks in 2 ms. One in a
// zstd file takes 100 KB and some work, and a megabyte unpacks in one. Where marks take more,
// as those in text that repeats itself far apart, they stand so far apart too that all of
// them take no more than five parts in a hundred of the text.
const (
	gzipSpacing = 1 << 20
	zstdSpacing = 4 << 20
	zstdAlone   = 32 << 20 // where no other processor makes them
	leastShare  = 20
)

// All marks take no more than a part of the memory that the program may take, within
// bounds: 40 MB are enough for a gigabyte and a half, 256 MB for ten.
const (
	marksShare = 16
	leastMarks = 40 << 20
	mostMarks  = 256 << 20
)

// room is how many bytes all marks may take.
func room() int {
	return int(min(max(debug.SetMemoryLimit(-1)/marksShare, leastMarks), mostMarks))
}

// watchGzip has marks made of a file while it is read.
func watchGzip(m *marks[inflate.Mark], file int32, r *inflate.Reader) {
	next := int64(0)
	r.Marks(func(r *inflate.Reader) {
		if r.Text() >= next {
			next = r.Text() + m.add(file, r.Mark())
		}
	})
}

// zstdWatcher has marks made of a zstd file while it is read. They are made some text
// after the place where they stand.
type zstdWatcher struct {
	*frames.Marker
	text    int64
	spacing int64
}

func watchZstd(m *marks[frames.Mark], file int32, h handle, alone bool) *zstdWatcher {
	least := int64(zstdSpacing)
	if alone {
		least = zstdAlone
	}
	w := &zstdWatcher{spacing: least}
	w.Marker = frames.NewMarker(h, func(at frames.Mark) { w.spacing = max(least, m.add(file, at)) })
	w.Due(least)
	return w
}

// Block implements [watcher].
func (w *zstdWatcher) Block(text []byte, taken int64) {
	w.text += int64(len(text))
	if w.Marker.Block(text, taken) {
		w.Due(w.text + w.spacing)
	}
}

// add returns how much text may come before the next mark.
func (m *marks[M]) add(file int32, at M) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.files == nil {
		m.files = map[int32][]M{}
	}
	m.files[file] = append(m.files[file], at)
	if m.bytes += at.Size(); m.bytes > room() {
		m.thin()
	}
	return max(m.spacing, leastShare*int64(at.Size()))
}

// thin forgets every other mark.
func (m *marks[M]) thin() {
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
func (m *marks[M]) forget(file int32) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, at := range m.files[file] {
		m.bytes -= at.Size()
	}
	delete(m.files, file)
}

// before returns the last mark that is not behind a place in the text.
func (m *marks[M]) before(file int32, offset int64) (at M, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := m.files[file]
	i, found := slices.BinarySearchFunc(all, offset, func(at M, offset int64) int { return cmp.Compare(at.Place(), offset) })
	if !found {
		i--
	}
	if i < 0 {
		return at, false
	}
	return all[i], true
}

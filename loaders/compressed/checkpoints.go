package compressed

import (
	"cmp"
	"runtime/debug"
	"slices"
	"sync"

	"vantage/loaders/compressed/gzipindex"
)

// checkpoints are the places from which gzip files can be decompressed again. They are made
// while a file is read, and thinned in all files alike when they take too much memory.
type checkpoints struct {
	mu      sync.Mutex
	files   map[int32][]gzipindex.Checkpoint
	bytes   int
	spacing int64 // bytes of text between two checkpoints
}

// A checkpoint takes some 10 KB, and a megabyte of text decompresses in 2 ms. Larger
// ones, of text that hardly compresses, are farther apart: all take at most a twentieth of the text.
const (
	minSpacing    = 1 << 20
	textPerMemory = 20
)

// All checkpoints take at most a sixteenth of the memory that the program may take, within
// bounds: 40 MB are enough for a gigabyte and a half of text, 256 MB for ten.
const (
	memoryShare = 16
	minMemory   = 40 << 20
	maxMemory   = 256 << 20
)

// memoryLimit returns how many bytes all checkpoints may take.
func memoryLimit() int {
	return int(min(max(debug.SetMemoryLimit(-1)/memoryShare, minMemory), maxMemory))
}

// record makes checkpoints of a file while r decompresses it.
func (c *checkpoints) record(file int32, r *gzipindex.Reader) {
	next := int64(0)
	r.OnBlock(func(r *gzipindex.Reader) {
		if r.Offset() >= next {
			next = r.Offset() + c.add(file, r.Checkpoint())
		}
	})
}

// add returns the distance to the next checkpoint.
func (c *checkpoints) add(file int32, point gzipindex.Checkpoint) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.files == nil {
		c.files, c.spacing = map[int32][]gzipindex.Checkpoint{}, minSpacing
	}
	c.files[file] = append(c.files[file], point)
	if c.bytes += point.Size(); c.bytes > memoryLimit() {
		c.thin()
	}
	return max(c.spacing, textPerMemory*int64(point.Size()))
}

// thin drops every other checkpoint.
func (c *checkpoints) thin() {
	c.spacing *= 2
	c.bytes = 0
	for file, points := range c.files {
		kept := points[:0:0]
		for i := 0; i < len(points); i += 2 {
			kept = append(kept, points[i])
			c.bytes += points[i].Size()
		}
		c.files[file] = kept
	}
}

func (c *checkpoints) forget(file int32) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, point := range c.files[file] {
		c.bytes -= point.Size()
	}
	delete(c.files, file)
}

// before returns the last checkpoint at or before an offset of the text.
func (c *checkpoints) before(file int32, offset int64) (point gzipindex.Checkpoint, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	points := c.files[file]
	i, found := slices.BinarySearchFunc(points, offset, func(point gzipindex.Checkpoint, offset int64) int {
		return cmp.Compare(point.Offset, offset)
	})
	if !found {
		i--
	}
	if i < 0 {
		return point, false
	}
	return points[i], true
}

package compressed

import (
	"os"
	"slices"
	"sync"

	"vantage/loaders/fileio"
)

// textCache holds the text around the samples read last, so that their neighbours are read
// at once.
type textCache struct {
	mu     sync.Mutex
	ranges []textRange // the most recent first
}

// textRange is a part of the text of a file.
type textRange struct {
	file int32
	info os.FileInfo // of the file when it was read
	from int64
	text []byte
}

// maxRanges leaves one for the header of a CSV.
const maxRanges = 4

// get returns the cached text from an offset on, nil if there is none.
func (c *textCache) get(file int32, info os.FileInfo, offset int64) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, r := range c.ranges {
		if r.file == file && fileio.Unchanged(r.info, info) && r.from <= offset && offset < r.from+int64(len(r.text)) {
			copy(c.ranges[1:i+1], c.ranges)
			c.ranges[0] = r
			return r.text[offset-r.from:]
		}
	}
	return nil
}

// put adds a range, and drops the least recently used if there are too many.
func (c *textCache) put(r textRange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ranges = slices.Insert(c.ranges[:min(len(c.ranges), maxRanges-1)], 0, r)
}

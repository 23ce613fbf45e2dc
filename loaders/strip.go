package loaders

import (
	"cmp"
	"context"
	"io"
	"math"
	"os"
	"slices"
	"sync"

	"vantage/loaders/compressed/gzipindex"
)

// textCache holds the text around the samples read last from compressed files, so that
// their neighbours are read at once.
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

// margin is how much text is cached before and after a sample.
type margin struct{ before, after int64 }

// A zstd file is decompressed from its start, a second for a gigabyte, so more is cached.
var (
	gzipMargin = margin{512 << 10, 128 << 10}
	zstdMargin = margin{2 << 20, 2 << 20}
)

// get returns the cached text from an offset on, nil if there is none.
func (c *textCache) get(file int32, info os.FileInfo, offset int64) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, r := range c.ranges {
		if r.file == file && same(r.info, info) && r.from <= offset && offset < r.from+int64(len(r.text)) {
			copy(c.ranges[1:i+1], c.ranges)
			c.ranges[0] = r
			return r.text[offset-r.from:]
		}
	}
	return nil
}

// put adds a range, in place of the least recently used if there are too many.
func (c *textCache) put(r textRange) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ranges = slices.Insert(c.ranges[:min(len(c.ranges), maxRanges-1)], 0, r)
}

// same reports whether a file has not changed.
func same(a, b os.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// compressedText reads the text of a compressed file from an offset on: from the cache, and by
// decompressing what is not there.
type compressedText struct {
	ctx    context.Context
	v      volume
	kind   string
	h      Handle
	info   os.FileInfo
	offset int64     // of the next byte in neither cached nor rest
	cached []byte    // text before offset
	rest   io.Reader // text from offset on; nil until decompressed
}

func (v volume) compressedText(ctx context.Context, kind string, h Handle, offset int64) (*compressedText, error) {
	info, err := h.Stat()
	if err != nil {
		return nil, err
	}
	cached := v.shelf.texts.get(v.number, info, offset)
	return &compressedText{ctx: ctx, v: v, kind: kind, h: h, info: info, offset: offset + int64(len(cached)), cached: cached}, nil
}

// Read implements [io.Reader].
func (t *compressedText) Read(p []byte) (int, error) {
	if len(t.cached) == 0 && t.rest == nil {
		if err := t.decompress(); err != nil {
			return 0, err
		}
	}
	if len(t.cached) > 0 {
		n := copy(p, t.cached)
		t.cached = t.cached[n:]
		return n, nil
	}
	return t.rest.Read(p)
}

// decompress caches the text around the offset.
func (t *compressedText) decompress() error {
	around := gzipMargin
	if t.kind == "zstd" {
		around = zstdMargin
	}
	from := max(0, t.offset-around.before)
	r, at, err := t.decompressor(from)
	if err != nil {
		return err
	}
	text := make([]byte, t.offset+around.after-from)
	for skip := from - at; skip > 0; {
		n, err := io.ReadFull(r, text[:min(skip, int64(len(text)))])
		if err != nil || t.ctx.Err() != nil {
			return cmp.Or(t.ctx.Err(), err)
		}
		skip -= int64(n)
	}
	n, _ := io.ReadFull(r, text) // reading on meets the error again
	t.v.shelf.texts.put(textRange{t.v.number, t.info, from, text[:n]})
	t.cached = text[min(t.offset-from, int64(n)):n]
	t.rest = r
	return nil
}

// decompressor returns a reader of the text from at on, which is not after offset.
func (t *compressedText) decompressor(offset int64) (r io.Reader, at int64, err error) {
	start := io.NewSectionReader(t.h, 0, math.MaxInt64)
	if t.kind == "zstd" {
		r, err = newZstd(start)
		return r, 0, err
	}
	if m, ok := t.v.shelf.gzip.before(t.v.number, offset); ok {
		r, err = gzipindex.Resume(t.h, m)
		return r, m.Offset, err
	}
	return gzipindex.NewReader(start), 0, nil
}

package compressed

import (
	"cmp"
	"context"
	"io"
	"math"
	"os"
	"slices"
	"sync"

	"vantage/loaders/fileio"
)

// Index finds text in compressed files again. Files are told apart by numbers of the
// caller's. Its methods may be called concurrently.
type Index struct {
	cache  textCache
	stream keptStream
}

// Forget drops what is kept of a file that has changed.
func (x *Index) Forget(number int32) { _ = x.stream.take(number, nil, math.MaxInt64) }

// File is an open file.
type File interface {
	io.ReaderAt
	Stat() (os.FileInfo, error)
}

// TextAt returns a reader of the text of a packed file from an offset on.
func (x *Index) TextAt(ctx context.Context, p Packing, number int32, file File, offset int64) (io.Reader, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	cached := x.cache.get(number, info, offset)
	return &textReader{ctx: ctx, index: x, packing: p, number: number, file: file, info: info, cached: cached, offset: offset}, nil
}

// textReader reads cached text, and then decompresses what follows it.
type textReader struct {
	ctx     context.Context
	index   *Index
	packing Packing
	number  int32
	file    File
	info    os.FileInfo
	cached  []byte
	offset  int64     // of what is read next, until rest is set
	caches  bool      // it has decompressed what is cached
	rest    io.Reader // the text after cached; nil until it is decompressed
}

func (t *textReader) Read(p []byte) (int, error) {
	if len(t.cached) == 0 && t.rest == nil {
		if err := t.decompress(); err != nil {
			return 0, err
		}
	}
	if len(t.cached) > 0 {
		n := copy(p, t.cached)
		t.cached, t.offset = t.cached[n:], t.offset+int64(n)
		return n, nil
	}
	return t.rest.Read(p)
}

// margins returns how much text is cached before and after an offset.
func (p Packing) margins() (before, after int64) {
	if p == Torch { // most rollouts have less text, and all of a pickle is read for any of it
		return 8 << 20, 8 << 20
	}
	return 2 << 20, 2 << 20
}

// decompress caches the text around the offset, and keeps what decompresses for who reads on from there. If that is this reader
// itself, it is not kept any more.
func (t *textReader) decompress() error {
	r, err := t.resume()
	if err != nil {
		return err
	}
	before, after := t.packing.margins()
	if t.caches {
		before, after = 0, 64<<10
	}
	from := max(r.at, t.offset-before)
	text := make([]byte, t.offset+after-from)
	for r.at < from {
		n, err := io.ReadFull(r.text, text[:min(from-r.at, int64(len(text)))])
		if err := cmp.Or(t.ctx.Err(), err); err != nil {
			return err
		}
		r.at += int64(n)
	}
	if t.caches {
		t.rest = r.text
		return nil
	}
	n, err := io.ReadFull(r.text, text)
	r.at += int64(n)
	t.caches, t.cached = true, text[min(t.offset-from, int64(n)):n]
	t.index.cache.put(textRange{t.number, t.info, from, text[:n]})
	if err != nil { // reading on returns it again
		t.rest = r.text
		return nil
	}
	t.index.stream.keep(r)
	return nil
}

// resume returns the text that was read last if it is at or before the offset, else that from the file's start.
func (t *textReader) resume() (*stream, error) {
	if r := t.index.stream.take(t.number, t.info, t.offset); r != nil {
		r.file.File = t.file
		return r, nil
	}
	r := &stream{number: t.number, info: t.info, file: &heldFile{t.file}}
	var err error
	r.text, err = NewReader(t.packing, io.NewSectionReader(r.file, 0, math.MaxInt64))
	return r, err
}

// stream is the text of a file from an offset on. It starts nothing that reads on by itself.
type stream struct {
	number int32
	info   os.FileInfo
	file   *heldFile
	at     int64
	text   io.Reader
}

// heldFile is a file that is opened again for each use of a stream.
type heldFile struct{ File }

// keptStream is the stream of who read last, for who reads on: what is read in the order of a log is decompressed once.
type keptStream struct {
	mu sync.Mutex
	*stream
}

func (k *keptStream) keep(r *stream) {
	k.mu.Lock()
	defer k.mu.Unlock()
	r.file.File = nil
	k.stream = r
}

// take returns the stream, which is not kept any more, if it is at the offset of the file or before it; else nil.
// A file without info is one that has changed.
func (k *keptStream) take(number int32, info os.FileInfo, offset int64) *stream {
	k.mu.Lock()
	defer k.mu.Unlock()
	r := k.stream
	if r == nil || r.number != number || r.at > offset {
		return nil
	}
	k.stream = nil
	if info == nil || !fileio.Unchanged(r.info, info) {
		return nil
	}
	return r
}

// textCache holds the text around the samples read last, so that their neighbours are read
// at once.
type textCache struct {
	mu     sync.Mutex
	ranges []textRange // the most recent first
}

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

package compressed

import (
	"cmp"
	"context"
	"io"
	"math"
	"os"

	"vantage/loaders/compressed/gzipindex"
)

// Index finds text in compressed files again. Files are told apart by numbers of the
// caller's. Its methods may be called concurrently.
type Index struct {
	checkpoints checkpoints
	cache       textCache
}

// Decompress starts to decompress a gzip or zstd file, or to read a table, and makes checkpoints of a gzip file on
// the way.
func (x *Index) Decompress(p Packing, number int32, file io.Reader) (*Decompressor, error) {
	counted := &countingReader{r: file}
	if p == Gzip {
		r := gzipindex.NewReader(counted)
		x.checkpoints.record(number, r)
		return startDecompressor(io.NopCloser(r), counted), nil
	}
	if p.IsTable() {
		return startDecompressor(io.NopCloser(p.rows(counted)), counted), nil
	}
	r, err := newZstdReader(counted, zstdBlocks)
	if err != nil {
		return nil, err
	}
	return startDecompressor(r, counted), nil
}

// Forget drops the checkpoints of a file that has changed.
func (x *Index) Forget(number int32) { x.checkpoints.forget(number) }

// File is an open file.
type File interface {
	io.ReaderAt
	Stat() (os.FileInfo, error)
}

// TextAt returns a reader of the text of a gzip, zstd or torch file from an offset on.
func (x *Index) TextAt(ctx context.Context, p Packing, number int32, file File, offset int64) (io.Reader, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	cached := x.cache.get(number, info, offset)
	return &textReader{ctx: ctx, index: x, packing: p, number: number, file: file, info: info, cached: cached, offset: offset + int64(len(cached))}, nil
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
	offset  int64     // of the end of cached, until rest is set
	rest    io.Reader // the text after cached; nil until it is decompressed
}

// Read implements [io.Reader].
func (t *textReader) Read(p []byte) (int, error) {
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

// margins returns how much text is cached before and after an offset: more where decompression
// cannot resume.
func (p Packing) margins() (before, after int64) {
	if p == Gzip {
		return 512 << 10, 128 << 10
	}
	if p == Torch { // most rollouts have less text, and all of a pickle is read for any of it
		return 8 << 20, 8 << 20
	}
	return 2 << 20, 2 << 20
}

// decompress caches the text around the offset.
func (t *textReader) decompress() error {
	r, at, err := t.resume()
	if err != nil {
		return err
	}
	before, after := t.packing.margins()
	from := max(at, t.offset-before)
	text := make([]byte, t.offset+after-from)
	for at < from {
		n, err := io.ReadFull(r, text[:min(from-at, int64(len(text)))])
		if err := cmp.Or(t.ctx.Err(), err); err != nil {
			return err
		}
		at += int64(n)
	}
	n, _ := io.ReadFull(r, text) // reading on returns the error again
	t.index.cache.put(textRange{t.number, t.info, from, text[:n]})
	t.cached, t.rest = text[min(t.offset-from, int64(n)):n], r
	return nil
}

// resume returns a reader of the text, and the offset at which it starts: at most t.offset.
func (t *textReader) resume() (r io.Reader, at int64, err error) {
	if point, ok := t.index.checkpoints.before(t.number, t.offset); ok {
		r, err = gzipindex.Resume(t.file, point)
		return r, point.Offset, err
	}
	r, err = NewReader(t.packing, io.NewSectionReader(t.file, 0, math.MaxInt64))
	return r, 0, err
}

package loaders

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"slices"
	"sync"

	"vantage/loaders/frames"
	"vantage/loaders/inflate"
)

// strips are the texts around the samples that were read last from compressed files: the
// samples beside them are at hand then. They lend what unpacks zstd.
type strips struct {
	mu     sync.Mutex
	all    []strip // the newest first
	reader *frames.Reader
}

// strip is a piece of the text of a file.
type strip struct {
	file int32
	info os.FileInfo // of the file as it was
	from int64
	text []byte
}

// What is kept before and behind a sample, and how many strips: the header of a CSV is in
// one of its own.
const (
	behind    = 512 << 10
	onward    = 128 << 10
	maxStrips = 4

	mostOnward = 32 << 20 // of a record that goes on, at a time
	passed     = 1 << 20  // of what is thrown away, at a time
)

// at returns the text from an offset on, as far as it is kept.
func (s *strips) at(file int32, info os.FileInfo, offset int64) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, k := range s.all {
		if k.file == file && same(k.info, info) && k.from <= offset && offset < k.from+int64(len(k.text)) {
			copy(s.all[1:i+1], s.all)
			s.all[0] = k
			return k.text[offset-k.from:]
		}
	}
	return nil
}

// keep takes over a strip, for the one that was not used the longest.
func (s *strips) keep(k strip) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = slices.Insert(s.all[:min(len(s.all), maxStrips-1)], 0, k)
}

// borrow lends a reader, which is to be given back.
func (s *strips) borrow() (*frames.Reader, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.reader; r != nil {
		s.reader = nil
		return r, nil
	}
	return frames.NewReader(maxWindow)
}

// giveBack takes a reader back. One that may have asked for much memory is not kept.
func (s *strips) giveBack(r *frames.Reader, bounded bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !bounded || s.reader != nil {
		r.Close()
		return
	}
	s.reader = r
}

// same reports whether a file has not changed.
func same(a, b os.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// unpackable unpacks the text around a place of a compressed file: from one before it on, if
// there is a mark before that, to another.
type unpackable func(ctx context.Context, h handle, before, place, to int64) (from int64, text []byte, err error)

// unpackedFrom reads from what is kept around the samples before, or keeps it. What goes on
// behind that is unpacked if it comes to that.
func (v volume) unpackedFrom(ctx context.Context, h handle, unpack unpackable, offset int64) (io.Reader, error) {
	info, err := h.Stat()
	if err != nil {
		return nil, err
	}
	text := v.shelf.strips.at(v.number, info, offset)
	if text == nil {
		k := strip{file: v.number, info: info}
		if k.from, k.text, err = unpack(ctx, h, offset-behind, offset, offset+onward); err != nil {
			return nil, err
		}
		v.shelf.strips.keep(k)
		text = k.text[min(offset-k.from, int64(len(k.text))):]
	}
	return io.MultiReader(bytes.NewReader(text), &onwards{ctx: ctx, h: h, unpack: unpack, from: offset + int64(len(text)), size: onward}), nil
}

// unzstd is unpackable for zstd.
func (v volume) unzstd(ctx context.Context, h handle, before, place, to int64) (from int64, text []byte, err error) {
	r, err := v.shelf.strips.borrow()
	if err != nil {
		return 0, nil, err
	}
	m, _ := v.shelf.zstd.before(v.number, place)
	defer func() { v.shelf.strips.giveBack(r, m.Bounded()) }()
	from = max(before, m.Text)
	text, err = r.Text(ctx, h, m, from, to)
	if errors.Is(err, frames.ErrChanged) { // or the mark is wrong: the slow way knows
		m = frames.Mark{}
		text, err = r.Text(ctx, h, m, from, to)
	}
	return from, text, err
}

// gunzip is unpackable for gzip.
func (v volume) gunzip(ctx context.Context, h handle, before, place, to int64) (from int64, text []byte, err error) {
	r := inflate.NewReader(io.NewSectionReader(h, 0, math.MaxInt64))
	m, ok := v.shelf.gzip.before(v.number, place)
	if ok {
		if r, err = inflate.From(h, m); err != nil {
			return 0, nil, err
		}
	}
	from = max(before, m.Text)
	for left := from - m.Text; left > 0 && err == nil; left -= passed {
		_, err = io.CopyN(io.Discard, r, min(left, passed))
		err = errors.Join(err, ctx.Err())
	}
	if err != nil {
		return 0, nil, err
	}
	text = make([]byte, to-from)
	n, err := io.ReadFull(r, text)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) && n > 0 {
		err = nil
	}
	return from, text[:n], err
}

// onwards unpacks a compressed file from a place on, a piece that is larger each time.
type onwards struct {
	ctx    context.Context
	h      handle
	unpack unpackable
	from   int64
	size   int64
	text   []byte
}

// Read implements [io.Reader].
func (o *onwards) Read(p []byte) (int, error) {
	if len(o.text) == 0 {
		var err error
		o.size = min(16*o.size, mostOnward)
		if _, o.text, err = o.unpack(o.ctx, o.h, o.from, o.from, o.from+o.size); err != nil {
			return 0, err
		}
		if len(o.text) == 0 {
			return 0, io.EOF
		}
		o.from += int64(len(o.text))
	}
	n := copy(p, o.text)
	o.text = o.text[n:]
	return n, nil
}

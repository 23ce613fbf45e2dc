package loaders

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"vantage/loaders/compressed"
	"vantage/loaders/pages"
)

// A Parquet file is read from its end. One that comes through a pipe, or lies within gzip or
// zstd although it is compressed itself, is held in memory, up to so many bytes.
const maxWithin = 256 << 20

var errWithin = fmt.Errorf("%w: a Parquet file of more than %d MB is held in memory where it comes through a pipe or is compressed once more: give the file itself", errTable, maxWithin>>20)

// memory is a file that is held in memory.
type memory struct{ *bytes.Reader }

// Close implements [handle].
func (memory) Close() error { return nil }

// Stat implements [handle]: there is no file to tell of.
func (memory) Stat() (os.FileInfo, error) { return nil, errors.ErrUnsupported }

// heldInfo is that of a compressed file, with the size of what it holds.
type heldInfo struct {
	os.FileInfo
	size int64
}

// Size implements [os.FileInfo].
func (i heldInfo) Size() int64 { return i.size }

// hold reads a table into memory.
func hold(r io.Reader) (memory, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxWithin+1))
	if err == nil && len(data) > maxWithin {
		err = errWithin
	}
	return memory{bytes.NewReader(data)}, err
}

// tableIn returns the Parquet file in a compressed file, nil if that holds text.
func tableIn(p compressed.Packing, h io.ReaderAt) (io.Reader, error) {
	r, err := compressed.NewReader(p, io.NewSectionReader(h, 0, math.MaxInt64))
	if err != nil {
		return nil, err
	}
	start := make([]byte, compressed.SniffSize)
	if _, err := io.ReadFull(r, start); err != nil || compressed.Sniff(start) != compressed.Parquet {
		return nil, nil
	}
	return io.MultiReader(bytes.NewReader(start), r), nil
}

// openHeld begins to read a table row by row from memory.
func (f *file) openHeld(m memory) (*pack, error) {
	p := &pack{handle: m}
	table, err := pages.Open(m, m.Size(), &pages.Memory{})
	if err == nil {
		err = openTable(f, p, table, m.Size(), 1)
	}
	if err != nil || p.sheet == nil {
		return p, err
	}
	p.sheet = nil
	p.table, err = newParquetTable(f.decoder.(*RowDecoder), m, m.Size(), 0)
	return p, err
}

// beginHeld begins to read a Parquet file that came through a pipe.
func (s *Source) beginHeld(f *file) error {
	m := *f.pipe.held
	f.pipe.held = nil
	s.read.done += m.Size()
	p, err := f.openHeld(m)
	if err != nil {
		return err
	}
	f.pack = p
	s.enqueue(f)
	return nil
}

// readHeld reads on in it, and reports whether it came to its end.
func (s *Source) readHeld(f *file, deadline time.Time) bool {
	end, err := s.readTable(f, deadline)
	if err != nil {
		f.remark(packProblem(err))
	}
	if f.pipe.ended = end || err != nil; f.pipe.ended {
		f.pack.end()
	}
	return f.pipe.ended
}

package loaders

import (
	"bytes"
	"io"
	"math"
	"time"

	"vantage/loaders/compressed"
	"vantage/loaders/pages"
)

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

// openHeld opens a Parquet file that is in memory, to be read row by row.
func (f *file) openHeld(m memory) (*packedFile, error) {
	p := &packedFile{handle: m}
	table, err := pages.Open(m, m.Size(), &pages.Memory{})
	if err == nil {
		err = openTable(f, p, table, m.Size(), 1)
	}
	if err == nil && p.reader.ByColumns() {
		err = p.reader.readRows(0)
	}
	return p, err
}

// beginHeld opens a Parquet file that came through a pipe.
func (s *Source) beginHeld(f *file) error {
	m := *f.pipe.held
	f.pipe.held = nil
	s.read.done += m.Size()
	p, err := f.openHeld(m)
	if err != nil {
		return err
	}
	f.packed = p
	s.enqueue(f)
	return nil
}

// readHeld continues to read it, and reports whether it came to its end.
func (s *Source) readHeld(f *file, deadline time.Time) bool {
	end, err := s.readTable(f, deadline)
	if err != nil {
		f.remark(unreadableReason(err))
	}
	if f.pipe.ended = end || err != nil; f.pipe.ended {
		f.packed.close()
	}
	return f.pipe.ended
}

package loaders

import (
	"bytes"
	"io"
	"math"
	"time"

	"vantage/loaders/compressed"
	"vantage/loaders/fileio"
	"vantage/loaders/parquet/pages"
)

// tableIn returns the Parquet file in a compressed file, nil if that holds text.
func tableIn(p compressed.Packing, h io.ReaderAt) (io.Reader, error) {
	if p.IsTable() {
		return nil, nil
	}
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
func (f *file) openHeld(m fileio.InMemory) (*packedFile, error) {
	p := &packedFile{handle: m}
	table, err := pages.Open(m, m.Size(), &pages.Memory{})
	if err == nil {
		err = openTable(f, p, table, 1)
	}
	if err == nil && p.reader.ByColumns() {
		p.reader.ReadRows(0)
	}
	return p, err
}

// beginHeld opens a Parquet file that came through a pipe.
func (s *Source) beginHeld(f *file) error {
	m := *f.stream.inMemory
	f.stream.inMemory = nil
	s.bytes.read += m.Size()
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
		f.noteFile(unreadableReason(err))
	}
	if f.stream.ended = end || err != nil; f.stream.ended {
		f.packed.close()
	}
	return f.stream.ended
}

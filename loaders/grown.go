package loaders

import (
	"bytes"
	"io"
)

// What comes to a log at a time is read as workers read if it is at least so much. The
// last line ends in so much of it, or it is read line by line.
const (
	leastGrown = 8 << 10
	lastLine   = 64 << 10
)

// readGrown reads the lines that have come to a file that is followed. A fast log comes
// in many small pieces, and line by line they take ten times as long. What a worker has
// learned of something new from is read line by line, as in [Source.readParallel].
func (s *Source) readGrown(f *file, h io.ReaderAt, size int64) error {
	lead := f.lead()
	if lead == nil || !s.o.Follow || s.o.serial || s.out.full() || size-f.disk.Pos < leastGrown {
		return nil
	}
	n, err := s.whole(h, f.disk.Pos, min(size, f.disk.Pos+stride))
	if err != nil || n <= 0 {
		return err
	}
	if f.grown == nil || !lead.SameNote(f.grown.decoder.Note()) {
		f.grown = newWorker(lead)
	}
	n += len(f.lines.Partial)
	s.begin(f)
	w := strideWork{from: f.disk.Pos, size: n, first: true, block: s.spent.take()}
	if f.grown.decode(h, &w); w.err == nil && lead.SameNote(w.note) {
		s.merge(f, &w)
	}
	return w.err
}

// whole returns how many bytes from a place of a file on are whole lines, as far as its
// last bytes tell: 0 if there is no end of a line in them.
func (s *Source) whole(h io.ReaderAt, from, to int64) (int, error) {
	at := max(from, to-lastLine)
	last := s.buffer()[:to-at]
	n, err := h.ReadAt(last, at)
	if n < len(last) {
		return 0, ignoreEOF(err) // it has become shorter
	}
	i := bytes.LastIndexByte(last, '\n')
	if i < 0 {
		return 0, nil
	}
	return int(at-from) + i + 1, nil
}

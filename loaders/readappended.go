package loaders

import (
	"bytes"
	"io"
)

// What comes to a log at a time is read as workers read if it is at least so much. The
// last line ends in so much of it, or it is read line by line.
const (
	minAppended = 8 << 10
	maxLastLine = 64 << 10
)

// readAppended reads the lines that have come to a file that is followed. A fast log comes
// in many small pieces, and line by line they take ten times as long. What a worker has
// learned of something new from is read line by line, as in [Source.readParallel].
func (s *Source) readAppended(f *file, h io.ReaderAt, size int64) error {
	lead := f.parallelDecoder()
	if lead == nil || !s.options.Follow || s.options.serial || s.chunks.full() || size-f.disk.Pos < minAppended {
		return nil
	}
	n, err := s.wholeLines(h, f.disk.Pos, min(size, f.disk.Pos+stride))
	if err != nil || n <= 0 {
		return err
	}
	if f.appender == nil || !lead.SameNote(f.appender.decoder.Note()) {
		f.appender = newWorker(lead)
	}
	n += len(f.lines.Partial)
	s.seekLineStart(f)
	w := strideResult{from: f.disk.Pos, size: n, first: true, block: s.pool.get()}
	if f.appender.decode(h, &w); w.err == nil && lead.SameNote(w.note) {
		s.merge(f, &w)
	}
	return w.err
}

// wholeLines returns how many bytes from a place of a file on are whole lines, as far as its
// last bytes tell: 0 if there is no end of a line in them.
func (s *Source) wholeLines(h io.ReaderAt, from, to int64) (int, error) {
	at := max(from, to-maxLastLine)
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

package loaders

import (
	"bytes"
	"io"
)

// The bytes that are appended to a log are decoded by a worker if there are at least minAppended, and
// if a line ends in the last maxLastLine of them.
const (
	minAppended = 8 << 10
	maxLastLine = 64 << 10
)

// readAppended reads the lines that were appended to a file that is followed. A fast log grows in
// many small pieces, and reading them line by line takes ten times as long. Lines from which the
// worker learned something new are read again line by line, as in [Source.readParallel].
func (s *Source) readAppended(f *file, h io.ReaderAt, size int64) error {
	lead := f.parallelDecoder()
	if lead == nil || f.splitter.Framing.Quoted || !s.options.Follow || s.options.serial || s.chunks.full() || size-f.disk.Pos < minAppended {
		return nil
	}
	n, err := s.wholeLines(h, f.disk.Pos, min(size, f.disk.Pos+strideBytes))
	if err != nil || n <= 0 {
		return err
	}
	if f.appender == nil || !lead.SameNote(f.appender.decoder.Note()) {
		f.appender = newWorker(lead)
	}
	n += len(f.splitter.Partial)
	s.seekLineStart(f)
	task := strideTask{from: f.disk.Pos, size: n, first: true, block: s.pool.get()}
	f.appender.buf = s.appendBuffer // one for all files: hundreds may be active
	f.appender.decode(h, &task)
	s.appendBuffer, f.appender.buf = f.appender.buf, nil
	if task.err == nil && lead.SameNote(task.note) {
		s.merge(f, &task)
	}
	return task.err
}

// wholeLines returns how many bytes of a range are complete lines, 0 if none ends in the last
// maxLastLine bytes.
func (s *Source) wholeLines(h io.ReaderAt, from, to int64) (int, error) {
	at := max(from, to-maxLastLine)
	last := s.buffer()[:to-at]
	n, err := h.ReadAt(last, at)
	if n < len(last) {
		return 0, ignoreEOF(err) // the file is shorter now
	}
	i := bytes.LastIndexByte(last, '\n')
	if i < 0 {
		return 0, nil
	}
	return int(at-from) + i + 1, nil
}

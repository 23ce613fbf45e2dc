package loaders

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"slices"
	"syscall"
	"time"

	"vantage/loaders/compressed"
	"vantage/loaders/fileio"
	"vantage/model"
)

// readFile continues to read a file until the deadline. It reports whether everything that is there
// now has been read.
func (s *Source) readFile(f *file, deadline time.Time) bool {
	if f.stream != nil {
		return s.readStream(f, deadline)
	}
	if f.disk == nil {
		return true // its folder was replaced
	}
	defer s.texts.add(f)
	d := f.disk
	if d.Info == nil && isUnopenedTable(f) {
		s.prefetchTables()
	}
	if f.packed != nil && !f.packed.done {
		return s.readPacked(f, deadline)
	}
	h, info, err := d.Open()
	if err != nil {
		return s.readFailed(f, err)
	}
	defer func() { _ = h.Close() }()
	if !s.startAnew(f, h, info) {
		return true
	}
	if d.Info == nil || !fileio.SameFile(d.Info, info) {
		s.dropRenamed(h, info)
	}
	return s.readOpened(f, h, info, deadline)
}

// readOpened is readFile for a file that is open: it finds out whether the file is packed.
func (s *Source) readOpened(f *file, h fileio.Handle, info fs.FileInfo, deadline time.Time) bool {
	if f.disk.Pos == 0 && !f.refused {
		packing, err := compressed.Detect(h)
		switch {
		case err != nil:
			return s.readFailed(f, err)
		case packing == compressed.Torn && s.options.Follow:
			s.noteStat(f, info)
			s.schedule.activate(f)
			return true
		case packing != compressed.None && packing != compressed.Torn:
			return s.readPacked(f, deadline)
		}
	}
	s.noteStat(f, info)
	return s.readPlain(f, h, deadline)
}

// startAnew decides what becomes of what was read of a file, if that is not there any more, or if the
// file is read whole and has grown: it is kept if the folder was replaced, or if an evaluation
// overwrote the rows of its step, and else it is dropped. It reports whether to read the file now.
func (s *Source) startAnew(f *file, h fileio.Handle, info fs.FileInfo) bool {
	d := f.disk
	isRewritten := d.Rewritten(h, info)
	switch {
	case !isRewritten && (d.Pos == 0 || !f.readsWhole() || info.Size() == d.Pos):
		return true
	case isRewritten && f.directory != nil && s.checkReplaced(f.directory):
		return false
	}
	switch s.overwritten(f, h, info) {
	case unfinished:
		s.noteStat(f, info)
		s.schedule.activate(f)
		return false
	case byEvaluation:
		s.keepOverwritten(f, h, info)
		return false
	case byTraining:
		if isRewritten {
			s.noteRewritten(f, h, info)
		}
		s.restart(f)
	}
	return true
}

// readPlain is readFile for a file that is not packed.
func (s *Source) readPlain(f *file, h fileio.Handle, deadline time.Time) bool {
	d := f.disk
	before := d.Pos
	err := s.readParallel(f, h, d.Size, deadline)
	if err == nil {
		err = s.readAppended(f, h, d.Size)
	}
	if err != nil && !errors.Is(err, errLongLine) {
		return s.readFailed(f, err)
	}
	end, err := s.readBlocks(f, h, deadline)
	if (err == nil || d.Pos > before) && s.recovered(f) {
		return false
	}
	if err != nil {
		return s.readFailed(f, err)
	}
	if f.refused {
		s.advance(f, d.Size-d.Pos)
	}
	if end {
		s.atEnd(f)
	}
	d.Remember(h)
	return end
}

// readsWhole reports whether the file is read from its start again when it changes.
func (f *file) readsWhole() bool {
	return f.packed != nil || f.splitter.Framing.Whole && f.splitter.Unterminated
}

// readBlocks reads until the end, the deadline, a full chunk, or where workers can go on.
func (s *Source) readBlocks(f *file, h io.ReaderAt, deadline time.Time) (end bool, err error) {
	for !s.chunks.full() {
		if f.refused {
			return true, nil
		}
		buf := s.buffer()
		if s.options.Follow { // not what is appended meanwhile: it is read faster when there is more of it
			buf = buf[:max(0, min(blockSize, f.disk.Size-f.disk.Pos))]
		}
		if len(buf) == 0 {
			return true, nil
		}
		n, err := h.ReadAt(buf, f.disk.Pos)
		s.advance(f, int64(f.feed(buf[:n])))
		switch {
		case err != nil && !errors.Is(err, io.EOF):
			return false, err
		case (err != nil || s.options.Follow && f.disk.Pos == f.disk.Size) && !s.chunks.full():
			return true, nil
		case !time.Now().Before(deadline), s.isLargeRest(f, f.disk.Size) && f.parallelDecoder() != nil:
			return false, nil
		}
	}
	return false, nil
}

// buffer returns memory to read a block into.
func (s *Source) buffer() []byte {
	if s.buf == nil {
		s.buf = make([]byte, blockSize)
	}
	return s.buf
}

// advance counts n more bytes of a file as read, or fewer if n is negative.
func (s *Source) advance(f *file, n int64) {
	f.disk.Pos += n
	s.bytes.read += n
}

// atEnd is called when everything that is there now has been read.
func (s *Source) atEnd(f *file) {
	d := f.disk
	if !s.options.Follow {
		if d.Pos == 0 {
			f.noteFile("it is empty")
		}
		f.finish()
		f.decoder, f.scratch = nil, nil // most of the memory of many small files
		return
	}
	unread := f.splitter.CutAtNUL()
	s.advance(f, -unread)
	d.StoppedAtNUL = unread > 0
	f.noteNoFormat()
	s.schedule.activate(f)
	if f.changed.IsZero() || f.splitter.EndsDocument() {
		f.acceptLastRecord()
		f.noteUnendedRow("not counted until it ends: the last row, %s:%d, has no newline, so it may be cut off")
	}
}

// noteStat notes size and time of a file. A change counts from when it was seen, since the clocks of
// two machines differ; only the first time does the file's own time count.
func (s *Source) noteStat(f *file, info fs.FileInfo) {
	d, now := f.disk, time.Now()
	if f.hadNews = d.Differs(info); f.hadNews {
		s.schedule.lastNews = now
	}
	switch {
	case d.Info != nil && f.hadNews:
		f.changed = now
	case d.Info == nil && now.Sub(info.ModTime()).Abs() < s.options.settleTime:
		f.changed = info.ModTime()
	}
	s.bytes.total += info.Size() - d.Size
	d.Info, d.Size = info, info.Size()
}

// restart drops what was read of a file, to read it from its start again.
func (s *Source) restart(f *file) {
	s.advance(f, -f.disk.Pos)
	f.disk.Forget()
	f.restart()
	s.newest.remove(f, s.files)
	f.workers, f.appender = nil, nil
	if f.packed != nil {
		f.packed.close()
		f.packed = nil
	}
	s.texts.compressed.Forget(f.index)
	if s.schedule.watcher != nil {
		s.schedule.watcher.Renew(f.disk.Path)
	}
	for _, by := range s.chunks.duplicates.takeRepeats(f.index) {
		if o := s.files[by]; o.disk != nil && !o.gone && !o.refused {
			s.restart(o)
			s.enqueue(o)
		}
	}
}

func problemOf(name, reason string) model.Problem { return model.Problem{File: name, Reason: reason} }

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

// maxAttempts is how often reading a file may fail before a problem is reported: on network
// filesystems handles become stale for a moment.
const maxAttempts = 4

// backOff returns how long to wait after so many failures in a row: at most 5 s.
func backOff(failures int) time.Duration {
	return min(20*time.Millisecond<<min(failures-1, 10), 5*time.Second)
}

// readFailed handles an error of opening or reading a file, and reports whether there is nothing more to
// do for the file now. What was read of a file that was removed is kept.
func (s *Source) readFailed(f *file, err error) bool {
	f.failures++
	f.failing, f.hadNews = true, false
	f.retryAt = time.Now().Add(backOff(f.failures))
	if fileio.IsLost(err) {
		return s.linkLost(f, err)
	}
	if !s.options.Follow && f.failures < maxAttempts {
		time.Sleep(backOff(f.failures))
		return false
	}
	if !s.options.Follow && f.disk.Storage != nil {
		s.lost = pathError(f.name, err) // part of a run is no run
		return true
	}
	gone := errors.Is(err, fs.ErrNotExist) && s.options.Follow
	if !f.blocked && (f.failures >= maxAttempts && !gone || errors.Is(err, fs.ErrPermission)) {
		f.blocked = true
		f.noteFile("it cannot be read: " + reasonOf(err))
	}
	s.schedule.activate(f)
	return true
}

// linkLost is readFailed for a file whose storage does not answer. It stays in the queue while following; the storage
// says in Link how the connection is.
func (s *Source) linkLost(f *file, err error) (done bool) {
	f.failures = 0
	if !s.options.Follow {
		s.lost = pathError(f.name, err)
		return true
	}
	s.enqueue(f)
	if s.offline == nil {
		s.offline = map[fileio.Storage]bool{}
	}
	s.offline[f.disk.Storage] = true
	slices.SortStableFunc(s.queue, func(a, b *file) int { // those of other storages are read
		switch {
		case s.isOffline(a) == s.isOffline(b):
			return 0
		case s.isOffline(a):
			return 1
		}
		return -1
	})
	return false
}

// recovered is called when reading a file has succeeded. If a problem says that it cannot be read, that is not true
// any more: recovered reports so, and the file is read from its start again, without the problem.
func (s *Source) recovered(f *file) bool {
	f.failures, f.failing = 0, false
	if !f.blocked {
		return false
	}
	f.blocked = false
	s.restart(f)
	return true
}

// isTransient reports whether an error of the filesystem may be gone when the file is opened again.
func isTransient(err error) bool {
	return fileio.IsLost(err) || fileio.IsReplaced(err) || errors.Is(err, syscall.ESTALE) || errors.Is(err, syscall.EIO) || errors.Is(err, syscall.ETIMEDOUT)
}

// reasonOf says why a file cannot be read and what to do, without its path.
func reasonOf(err error) string {
	var failure *fileio.Failure
	switch {
	case errors.As(err, &failure):
		return failure.Error()
	case errors.Is(err, syscall.ESTALE):
		return "the file server replaced it while it was open (stale handle): read it again, or look whether the run has moved"
	case errors.Is(err, syscall.EIO):
		return "the disk or its server reports an error: look at the mount and the kernel's log"
	case errors.Is(err, syscall.ETIMEDOUT):
		return "the file server does not answer: look at the mount"
	case errors.Is(err, fs.ErrPermission):
		return "its permissions do not let you: ask its owner for read permission"
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return err.Error()
}

package loaders

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"syscall"
	"time"

	"vantage/loaders/compressed"
	"vantage/loaders/fileio"
	"vantage/loaders/runs"
	"vantage/model"
	"vantage/model/fault"
	"vantage/model/units"
)

// reading is how far each file is read, and what to read next.
type reading struct {
	options *Options
	chunks  *chunkQueue
	texts   *textIndex

	files       []*file // by their numbers
	streams     int     // how many of them are
	queue       []*file // files with something to read
	schedule    schedule
	newest      newestStep
	writes      writeTimes
	bytes       struct{ read, total int64 } // of all files
	offline     map[fileio.Storage]bool     // that did not answer since the last poll
	lost        error                       // a storage cannot be read on and is not followed: part of a run is no run
	prefetchers []*parquetPrefetcher
	faults      int // panics in reading a file
	buffers     buffers
}

// buffers is memory that is used again.
type buffers struct {
	blocks   blockPool
	strides  []strideTask // of a round
	read     []byte       // see reading.buffer
	appended []byte       // of the worker that decodes what is appended to a file
}

const blockSize = 256 << 10

// file is one log: a file on disk or a stream. It is kept within 512 bytes: beyond, the garbage collector
// takes a third more time for thousands of files.
type file struct {
	fileReader
	disk   *fileio.File // of its storage; nil for a stream
	stream *stream      // nil for the file of a storage
	packed *packedFile  // nil if the file is not packed, or not open yet

	workers  []*worker // for the large rest of a file
	appender *worker   // for what is appended to it

	queued  bool // in reading.queue
	hadNews bool // had changed when it was read last
	recent  bool // in schedule.recent
	failing bool // the last attempt to read it failed
	gone    bool // it is not in its directory any more
	blocked bool // a problem says that it cannot be read

	rewritten, copied bool // see runs.File
	leftOut           bool // as a file of an earlier attempt

	failures int       // failed attempts in a row
	retryAt  time.Time // no attempt is made before
}

// next returns the first file of the queue; nil if there is nothing to read now.
func (r *reading) next() *file {
	if len(r.queue) == 0 || r.lost != nil || r.isOffline(r.queue[0]) {
		return nil
	}
	return r.queue[0]
}

func (r *reading) isOffline(f *file) bool { return f.disk != nil && r.offline[f.disk.Storage] }

func (r *reading) openStream() *file {
	if r.streams == 0 {
		return nil
	}
	for _, f := range r.files {
		if f.stream != nil && !f.stream.ended {
			return f
		}
	}
	return nil
}

// readNext reads on in the first file of the queue, which stays there if there is more to read.
func (s *fileSet) readNext(f *file, deadline time.Time) {
	end := s.readGuarded(f, deadline)
	s.attempts.changed = true
	if !f.leftOut {
		s.reading.newest.update(f)
		s.reading.writes.note(f)
	}
	if !s.reading.isOffline(f) && (s.leaveOutSideFiles(f) || end) {
		s.reading.queue = s.reading.queue[1:]
		if f.disk != nil {
			f.queued = false
		}
	}
}

// progress says how much has been read, and when the log was written.
func (r *reading) progress(now time.Time) model.Progress {
	p := model.Progress{
		BytesRead: r.bytes.read, BytesAll: max(r.bytes.total, r.bytes.read), CaughtUp: len(r.queue) == 0,
		LastWrite: r.writes.last, StepTime: r.writes.stepTime(),
	}
	if f := r.openStream(); f != nil && r.bytes.read == 0 {
		p.CaughtUp = false // it may still send its first bytes
	}
	if r.streams > 0 {
		p.BytesAll = 0 // how much a stream will send is unknown
	}
	p.Open = r.options.Follow && now.Before(r.newest.openUntil(r.options.settleTime))
	return p
}

// readGuarded is readFile, but that a panic is a problem of the file, which is then read no more: what was read of it stays, and the
// others are read.
func (s *fileSet) readGuarded(f *file, deadline time.Time) (end bool) {
	defer fault.Catch(func(failed *fault.Fault) {
		s.reading.giveUp(f, failed)
		end = true
	})
	return s.readFile(f, deadline)
}

// maxKeptFaults is of how many panics of a run the details are kept: those of many files are mostly the same.
const maxKeptFaults = 3

func (r *reading) giveUp(f *file, failed *fault.Fault) {
	what, where := "it", ""
	if f.format != nil {
		what = "the rest of it"
	}
	if r.faults++; r.options.KeepFault != nil && r.faults <= maxKeptFaults {
		where = "; " + r.options.KeepFault(failed.During("reading "+f.name))
	}
	f.noteFile(fmt.Sprintf("%s could not be read: a fault of vantage (%s)%s", what, failed.Reason(), where))
	f.refused, f.decoder, f.scratch, f.workers, f.appender = true, nil, nil, nil, nil
	r.prefetchers = nil // which may have been at work
	if f.packed != nil {
		f.packed.close()
		f.packed = nil
	}
	switch {
	case f.stream != nil:
		f.stream.close()
		f.stream.ended = true
	case f.disk != nil:
		r.advance(f, f.disk.Size-f.disk.Pos)
	}
}

// readFile continues to read a file until the deadline. It reports whether everything that is there
// now has been read.
func (s *fileSet) readFile(f *file, deadline time.Time) bool {
	if f.stream != nil {
		return s.reading.readStream(f, deadline)
	}
	if f.disk == nil {
		return true // its folder was replaced
	}
	fault.Plant("reading", f.name)
	defer s.reading.texts.add(f)
	d := f.disk
	if d.Info == nil && isUnopenedTable(f) {
		s.reading.prefetchTables()
	}
	if p := f.packed; p != nil && !p.done {
		if p.info != nil {
			s.dropRenamed(p.handle, p.info)
			s.reading.noteStat(f, p.info)
			p.info = nil
		}
		return s.reading.readPacked(f, deadline)
	}
	h, info, err := d.Open()
	if err != nil {
		return s.reading.readFailed(f, err)
	}
	defer func() { _ = h.Close() }()
	if !s.startAnew(f, h, info) {
		return true
	}
	if d.Info == nil || !fileio.SameFile(d.Info, info) {
		s.dropRenamed(h, info)
	}
	return s.reading.readOpened(f, h, info, deadline)
}

// readOpened is readFile for a file that is open: it finds out whether the file is packed.
func (r *reading) readOpened(f *file, h fileio.Handle, info fs.FileInfo, deadline time.Time) bool {
	if f.disk.Pos == 0 && !f.refused {
		packing, err := compressed.Detect(h)
		switch {
		case err != nil:
			return r.readFailed(f, err)
		case packing == compressed.Torn && r.options.Follow:
			r.noteStat(f, info)
			r.schedule.activate(f)
			return true
		case packing != compressed.None && packing != compressed.Torn:
			return r.readPacked(f, deadline)
		}
	}
	r.noteStat(f, info)
	return r.readPlain(f, h, deadline)
}

// startAnew decides what becomes of what was read of a file, if that is not there any more, or if the
// file is read whole and has grown: it is kept if the folder was replaced, or if an evaluation
// overwrote the rows of its step, and else it is dropped. It reports whether to read the file now.
func (s *fileSet) startAnew(f *file, h fileio.Handle, info fs.FileInfo) bool {
	d := f.disk
	isRewritten := d.Rewritten(h, info)
	switch {
	case !isRewritten && (d.Pos == 0 || !f.readsWhole() || info.Size() == d.Pos):
		return true
	case isRewritten && f.directory != nil && s.checkReplaced(f.directory):
		return false
	}
	switch s.reading.overwritten(f, h, info) {
	case unfinished:
		s.reading.noteStat(f, info)
		s.reading.schedule.activate(f)
		return false
	case byEvaluation: // what was read before is kept
		s.reading.noteStat(f, info)
		s.reading.advance(f, info.Size()-d.Pos)
		d.Forget()
		s.reading.keepFingerprint(f, h)
		f.failures, f.failing = 0, false
		s.reading.schedule.activate(f)
		return false
	case byTraining:
		if isRewritten {
			s.reading.noteRewritten(f, h, info)
		}
		s.reading.restart(f)
	}
	return true
}

func (r *reading) readPlain(f *file, h fileio.Handle, deadline time.Time) bool {
	d := f.disk
	before := d.Pos
	err := r.readParallel(f, h, d.Size, deadline)
	if err == nil {
		err = r.readAppended(f, h, d.Size)
	}
	if err != nil && !errors.Is(err, errLongLine) {
		return r.readFailed(f, err)
	}
	end, err := r.readBlocks(f, h, deadline)
	if (err == nil || d.Pos > before) && r.recovered(f) {
		return false
	}
	if err != nil {
		return r.readFailed(f, err)
	}
	if f.refused {
		r.advance(f, d.Size-d.Pos)
	}
	if end {
		r.atEnd(f)
	}
	d.Remember(h)
	return end
}

func (f *file) readsWhole() bool {
	return f.packed != nil || f.splitter.Framing.Whole && f.splitter.Unterminated
}

// readBlocks reads until the end, the deadline, a full chunk, or where workers can go on.
func (r *reading) readBlocks(f *file, h io.ReaderAt, deadline time.Time) (end bool, err error) {
	for !r.chunks.full() {
		if f.refused {
			return true, nil
		}
		buf := r.buffer()
		if r.options.Follow { // not what is appended meanwhile: it is read faster when there is more of it
			buf = buf[:max(0, min(blockSize, f.disk.Size-f.disk.Pos))]
		}
		if len(buf) == 0 {
			return true, nil
		}
		n, err := h.ReadAt(buf, f.disk.Pos)
		r.advance(f, int64(f.feed(buf[:n])))
		switch {
		case err != nil && !errors.Is(err, io.EOF):
			return false, err
		case (err != nil || r.options.Follow && f.disk.Pos == f.disk.Size) && !r.chunks.full():
			return true, nil
		case !time.Now().Before(deadline), r.isLargeRest(f, f.disk.Size) && f.parallelDecoder() != nil:
			return false, nil
		}
	}
	return false, nil
}

func (r *reading) buffer() []byte {
	if r.buffers.read == nil {
		r.buffers.read = make([]byte, blockSize)
	}
	return r.buffers.read
}

// advance counts n more bytes of a file as read, or fewer if n is negative.
func (r *reading) advance(f *file, n int64) {
	f.disk.Pos += n
	r.bytes.read += n
}

func (r *reading) atEnd(f *file) {
	d := f.disk
	if !r.options.Follow {
		if d.Pos == 0 {
			f.noteFile("it is empty")
		}
		f.finish()
		f.decoder, f.scratch = nil, nil // most of the memory of many small files
		return
	}
	unread := f.splitter.CutAtNUL()
	r.advance(f, -unread)
	d.StoppedAtNUL = unread > 0
	f.settle()
	f.noteNoFormat()
	r.schedule.activate(f)
	if f.changed.IsZero() || f.splitter.EndsDocument() {
		f.acceptLastRecord()
		f.settle()
		f.noteUnendedRow("not counted until it ends: the last row, %s:%d, has no newline, so it may be cut off")
	}
}

// noteStat notes size and time of a file. A change counts from when it was seen, since the clocks of
// two machines differ; only the first time does the file's own time count.
func (r *reading) noteStat(f *file, info fs.FileInfo) {
	d, now := f.disk, time.Now()
	if f.hadNews = d.Differs(info); f.hadNews {
		r.schedule.lastNews = now
	}
	switch {
	case d.Info != nil && f.hadNews:
		f.changed = now
	case d.Info == nil && now.Sub(info.ModTime()).Abs() < r.options.settleTime:
		f.changed = info.ModTime()
	}
	r.bytes.total += info.Size() - d.Size
	d.Info, d.Size = info, info.Size()
}

// restart forgets everything of a file, which is read from its start again.
func (r *reading) restart(f *file) {
	r.advance(f, -f.disk.Pos)
	f.disk.Forget()
	r.chunks.forgetRows(&f.fileReader)
	r.chunks.duplicates.forget(f.index)
	r.chunks.evaluations.Forget(f.index)
	*r.chunks.order(f.index) = runs.Order{}
	directory, path, stepName := f.directory, f.path, f.stepName
	f.fileReader = newFileReader(f.index, f.name, f.formats, f.chunks)
	f.directory, f.path, f.stepName = directory, path, stepName
	r.newest.remove(f, r.files)
	f.workers, f.appender = nil, nil
	if f.packed != nil {
		f.packed.close()
		f.packed = nil
	}
	r.texts.restart(f.index)
	r.schedule.watcher.renew(f.disk.Path)
	repeats := r.chunks.duplicates.repeats[f.index] // which count now
	delete(r.chunks.duplicates.repeats, f.index)
	for _, by := range repeats {
		if o := r.files[by]; o.disk != nil && !o.gone && !o.refused {
			r.restart(o)
			r.enqueue(o)
		}
	}
}

// The bytes that are appended to a log are decoded by a worker if there are at least minAppended, and
// if a line ends in the last maxLastLine of them.
const (
	minAppended = 8 << 10
	maxLastLine = 64 << 10
)

// readAppended reads the lines that were appended to a file that is followed. A fast log grows in
// many small pieces, and reading them line by line takes ten times as long. Lines from which the
// worker learned something new are read again line by line, as in [reading.readParallel].
func (r *reading) readAppended(f *file, h io.ReaderAt, size int64) error {
	lead := f.parallelDecoder()
	canDecode := lead != nil && !f.splitter.Framing.Quoted && !r.options.serial
	isWorthIt := r.options.Follow && size-f.disk.Pos >= minAppended
	if !canDecode || !isWorthIt || r.chunks.full() {
		return nil
	}
	n, err := r.wholeLines(h, f.disk.Pos, min(size, f.disk.Pos+strideBytes))
	if err != nil || n <= 0 {
		return err
	}
	if f.appender == nil || !lead.SameNote(f.appender.decoder.Note()) {
		f.appender = newWorker(lead)
	}
	n += len(f.splitter.Partial)
	r.seekLineStart(f)
	task := strideTask{from: f.disk.Pos, size: n, first: true, block: r.buffers.blocks.get()}
	f.appender.buf = r.buffers.appended // one for all files: hundreds may be active
	f.appender.decode(h, &task)
	r.buffers.appended, f.appender.buf = f.appender.buf, nil
	if task.err == nil && lead.SameNote(task.note) {
		r.merge(f, &task)
	}
	return task.err
}

// wholeLines returns how many bytes of a range are complete lines, 0 if none ends in the last
// maxLastLine bytes.
func (r *reading) wholeLines(h io.ReaderAt, from, to int64) (int, error) {
	start := max(from, to-maxLastLine)
	last := r.buffer()[:to-start]
	n, err := h.ReadAt(last, start)
	if n < len(last) {
		return 0, ignoreEOF(err) // the file is shorter now
	}
	i := bytes.LastIndexByte(last, '\n')
	if i < 0 {
		return 0, nil
	}
	return int(start-from) + i + 1, nil
}

// maxAttempts is how often reading a file may fail before a problem is reported: on network
// filesystems handles become stale for a moment.
const maxAttempts = 4

// backOff returns how long to wait after so many failures in a row: at most 5 s.
func backOff(failures int) time.Duration {
	return min(20*time.Millisecond<<min(failures-1, 10), 5*time.Second)
}

// patiently calls f, and again if the filesystem fails for a moment and again is set.
func patiently(f func() error, again bool) error {
	err := f()
	for n := 1; err != nil && again && isTransient(err) && n < maxAttempts; n++ {
		time.Sleep(backOff(n))
		err = f()
	}
	return err
}

// readFailed handles an error of opening or reading a file, and reports whether there is nothing more to
// do for the file now. What was read of a file that was removed is kept.
func (r *reading) readFailed(f *file, err error) bool {
	f.failures++
	f.failing, f.hadNews = true, false
	f.retryAt = time.Now().Add(backOff(f.failures))
	if fileio.IsLost(err) {
		return r.linkLost(f, err)
	}
	if !r.options.Follow && f.failures < maxAttempts {
		time.Sleep(backOff(f.failures))
		return false
	}
	if !r.options.Follow && !f.disk.IsHere() {
		r.lost = r.partError(f, err)
		return true
	}
	gone := errors.Is(err, fs.ErrNotExist) && r.options.Follow
	if !f.blocked && (f.failures >= maxAttempts && !gone || errors.Is(err, fs.ErrPermission)) {
		f.blocked = true
		f.noteFile("it cannot be read: " + reasonOf(err))
	}
	r.schedule.activate(f)
	return true
}

// partError says of a file of a storage that it cannot be read on, and how much of the log was: part of a run is no run.
func (r *reading) partError(f *file, err error) error {
	var e *Error
	if err = PathError(f.disk.Key(), err); errors.As(err, &e) {
		e.Do += fmt.Sprintf("; %s of the log were read", units.BytesOf(r.bytes.read, max(r.bytes.total, r.bytes.read)))
	}
	return err
}

// linkLost is readFailed for a file whose storage does not answer. It stays in the queue while following; the storage
// says in Link how the connection is.
func (r *reading) linkLost(f *file, err error) (done bool) {
	f.failures = 0
	if !r.options.Follow {
		r.lost = r.partError(f, err)
		return true
	}
	r.enqueue(f)
	r.offline[f.disk.Storage] = true
	slices.SortStableFunc(r.queue, func(a, b *file) int { // those of other storages are read
		return model.Count01(r.isOffline(a)) - model.Count01(r.isOffline(b))
	})
	return false
}

// recovered is called when reading a file has succeeded. If a problem says that it cannot be read, that is not true
// any more: recovered reports so, and the file is read from its start again, without the problem.
func (r *reading) recovered(f *file) bool {
	f.failures, f.failing = 0, false
	if !f.blocked {
		return false
	}
	f.blocked = false
	r.restart(f)
	return true
}

// isTransient reports whether an error of the filesystem may be gone when the file is opened again.
func isTransient(err error) bool {
	isOfServer := errors.Is(err, syscall.ESTALE) || errors.Is(err, syscall.EIO) || errors.Is(err, syscall.ETIMEDOUT)
	return isOfServer || fileio.IsLost(err) || fileio.IsReplaced(err)
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

package loaders

import (
	"cmp"
	"context"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"vantage/loaders/decode"
	"vantage/loaders/discover"
	"vantage/loaders/fileio"
	"vantage/loaders/formats"
	"vantage/loaders/watch"
	"vantage/model"
)

// Options say how logs are read. The zero value reads what is there and ends.
type Options struct {
	Follow   bool           // wait for more instead of ending
	Poll     time.Duration  // how often files are looked at when following; 0 means 250 ms
	Format   string         // the name of the format; "" means to find out
	MaxFiles int            // files of a directory beyond it are not read; 0 means 100,000
	Split    discover.Split // which logs of a directory; "" means training
	Columns  decode.Columns // what a person said of the log's columns
	Stdin    io.Reader      // what "-" reads; Close closes it if it is an io.Closer; nil means os.Stdin

	// settleTime is how long a file must not have changed to count as written.
	// Tests have less time than the 3 s it is otherwise.
	settleTime time.Duration

	serial  bool                 // no workers: tests compare
	polling bool                 // without events and timers of the kernel: tests run in fake time
	faults  fileio.FaultInjector // files fail in it: tests do not wait for a disk to break
}

// A chunk ends after so much work. The first is shorter: somebody waits to see
// anything at all.
const (
	firstBudget = 10 * time.Millisecond
	budget      = 50 * time.Millisecond
)

// blockSize is how much is read at a time.
const blockSize = 256 << 10

// Source reads logs, and follows them while they grow. Next and Close may be
// called from different goroutines; no two calls of Next at once.
type Source struct {
	options      Options
	formats      []formats.Format
	manyPaths    bool // paths: names must tell them apart
	files        []*file
	names        []string
	byPath       map[string]*file // by path on disk
	directories  []*directory
	queue        []*file // files with something to read
	schedule     schedule
	newest       newestStep
	texts        *textIndex
	prefetchers  []*parquetPrefetcher
	prefetch     prefetch
	lentBlocks   []model.Block // of the chunk that the receiver is at work on
	pool         blockPool
	chunks       *chunkQueue
	buf          []byte
	bytes        byteCount
	lastProgress model.Progress // as last handed over
	started      bool
	closed       chan struct{}
	once         sync.Once
}

// file is one log: something on a disk or a stream.
type file struct {
	fileReader
	disk   *fileio.File
	stream *stream

	workers  []*worker // while it is large
	appender *worker   // for what comes to it

	packed *packedFile // nil if it is not packed, or not open yet

	queued   bool      // it waits to be read
	hadNews  bool      // it had changed when it was read last
	recent   bool      // it is in the schedule's recent files
	failing  bool      // the last attempt to read it failed
	failures int       // failed attempts in a row
	retryAt  time.Time // when the next attempt may be made
}

// byteCount counts bytes over all files.
type byteCount struct {
	read, total int64
}

// Open starts to read files, directories, and "-" for standard input. Its errors
// are of type [*Error].
func Open(paths []string, o Options) (*Source, error) {
	o.Poll = cmp.Or(o.Poll, 250*time.Millisecond)
	o.settleTime = cmp.Or(o.settleTime, 3*time.Second)
	o.MaxFiles = cmp.Or(o.MaxFiles, discover.MaxFiles)
	s := &Source{
		options: o, formats: formats.All(), manyPaths: len(paths) > 1, byPath: map[string]*file{},
		chunks: newChunkQueue(), texts: &textIndex{files: map[int32]textFile{}}, closed: make(chan struct{}),
	}
	if o.Format != "" {
		f, ok := formats.Find(o.Format)
		if !ok {
			return nil, unknownFormat(o.Format)
		}
		s.formats = []formats.Format{f}
	}
	s.formats = formats.WithColumns(s.formats, o.Columns)
	if o.Follow && !o.polling {
		s.schedule.watcher, s.schedule.sleeper = watch.New(discover.IsLog), watch.NewSleeper()
	}
	for _, path := range paths {
		if err := s.openPath(path); err != nil {
			_ = s.Close()
			return nil, err
		}
	}
	return s, nil
}

func unknownFormat(name string) error {
	var names []string
	for _, f := range formats.All() {
		names = append(names, f.Name)
	}
	return &Error{Path: "--input-format " + name, What: "names no format", Do: "take one of " + strings.Join(names, ", ")}
}

// Next returns the next chunk: at most 4096 records, a few blocks, or what 50 ms of work
// yield. It returns a chunk without records when the progress changed in a way
// that a person sees, and [io.EOF] after everything has been read. When
// following it waits for more until ctx is done. While there is more to read the
// next chunk is made before it is asked for. The blocks of a chunk are good until the
// next call: their memory is used again.
func (s *Source) Next(ctx context.Context) (*model.Chunk, error) {
	a := s.prefetch.wait(ctx)
	if s.prefetch.idle() {
		s.pool.put(s.lentBlocks)
		s.lentBlocks = nil
	}
	if a == nil {
		chunk, err := s.next(ctx)
		a = &chunkResult{chunk, err}
	}
	if a.err != nil {
		return nil, a.err
	}
	s.lentBlocks = a.chunk.Blocks
	if !a.chunk.Progress.CaughtUp {
		s.prefetch.start(func() (*model.Chunk, error) { return s.next(ctx) })
	}
	return a.chunk, nil
}

func (s *Source) next(ctx context.Context) (*model.Chunk, error) {
	for {
		if err := s.stopped(ctx); err != nil {
			return nil, err
		}
		s.fillChunk(ctx)
		if c := s.takeChunk(); c != nil {
			return c, nil
		}
		if len(s.queue) > 0 {
			continue
		}
		if s.exhausted() {
			return nil, io.EOF
		}
		if err := s.wait(ctx); err != nil {
			return nil, err
		}
	}
}

// Close ends the reading; a Next that waits returns [os.ErrClosed].
func (s *Source) Close() error {
	var err error
	s.once.Do(func() {
		close(s.closed)
		for _, f := range s.files {
			if f.stream != nil {
				f.stream.close()
			}
			if f.packed != nil {
				f.packed.close()
			}
		}
		s.schedule.sleeper.Close()
		err = s.schedule.watcher.Close()
	})
	return err
}

func (s *Source) stopped(ctx context.Context) error {
	select {
	case <-s.closed:
		return os.ErrClosed
	default:
		return ctx.Err()
	}
}

// fillChunk reads until there is enough for a chunk or nothing to read.
func (s *Source) fillChunk(ctx context.Context) {
	defer s.noteSideFiles()
	now := time.Now()
	deadline := now.Add(budget)
	if !s.started {
		s.started, deadline = true, now.Add(firstBudget)
	}
	if s.options.Follow {
		s.poll(now)
	}
	for len(s.queue) > 0 && !s.chunks.full() && ctx.Err() == nil {
		f := s.queue[0]
		end := s.readFile(f, deadline)
		s.newest.noteRead(f)
		if s.leaveOutSideFiles(f) || end {
			s.queue = s.queue[1:]
			if f.disk != nil {
				f.queued = false
			}
		}
		if !time.Now().Before(deadline) {
			return
		}
	}
}

// exhausted reports whether nothing more can come.
func (s *Source) exhausted() bool {
	if s.options.Follow && (len(s.directories) > 0 || len(s.byPath) > 0) {
		return false
	}
	return s.openStream() == nil
}

// openStream returns the first stream that has not ended.
func (s *Source) openStream() *file {
	if len(s.files) == len(s.byPath) {
		return nil
	}
	for _, f := range s.files {
		if f.stream != nil && !f.stream.ended {
			return f
		}
	}
	return nil
}

// MissingColumns are the columns that Options.Columns names for the step, the group or the prompt
// and that no row has had so far: something else was taken, or nothing.
func (s *Source) MissingColumns() []string { return s.chunks.missing }

// takeChunk hands over what there is, nil if that is nothing worth a look.
func (s *Source) takeChunk() *model.Chunk {
	p := s.progress(time.Now())
	if len(s.chunks.ready) == 0 && s.chunks.pending.empty() && !progressChanged(s.lastProgress, p) {
		return nil
	}
	b := s.chunks.next()
	if len(s.chunks.ready) > 0 || !s.chunks.pending.empty() {
		p.CaughtUp = false
	}
	s.lastProgress = p
	s.schedule.debounce.SawRows(b.samples)
	if b.format == nil {
		b.format, b.note = s.chunks.latest, s.chunks.lastNote
	}
	c := b.chunk(s.names[:len(s.names):len(s.names)])
	c.Progress = p
	return c
}

// progressChanged reports whether a person would see the difference.
func progressChanged(old, now model.Progress) bool {
	return old.CaughtUp != now.CaughtUp || old.Open != now.Open || old.Files != now.Files || old.Polling != now.Polling
}

func (s *Source) progress(now time.Time) model.Progress {
	p := model.Progress{Files: len(s.files), BytesRead: s.bytes.read, BytesAll: max(s.bytes.total, s.bytes.read), CaughtUp: len(s.queue) == 0}
	if f := s.openStream(); f != nil && s.bytes.read == 0 {
		p.CaughtUp = false // nothing has come yet
	}
	if len(s.files) > len(s.byPath) {
		p.BytesAll = 0
	}
	if s.options.Follow {
		p.Open = now.Before(s.newest.openUntil(s.options.settleTime))
		p.Polling = s.schedule.watcher.NeedsPolling()
	}
	return p
}

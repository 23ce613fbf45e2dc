package loaders

import (
	"cmp"
	"context"
	"io"
	"os"
	"sync"
	"time"

	"vantage/model"
)

// Options say how logs are read. The zero value reads what is there and ends.
type Options struct {
	Follow   bool          // wait for more instead of ending
	Poll     time.Duration // how often files are looked at when following; 0 means 250 ms
	Format   string        // the name of the format; "" means to find out
	MaxFiles int           // files of a directory beyond it are not read; 0 means 100,000
	Split    Split         // which logs of a directory; "" means training
	Columns  Columns       // what a person said of the log's columns
	Stdin    io.Reader     // what "-" reads; Close closes it if it is an io.Closer; nil means os.Stdin

	// quiet is how long a file must not have changed to count as written.
	// Tests have less time than the 3 s it is otherwise.
	quiet time.Duration

	serial  bool          // no workers: tests compare
	through FaultInjector // files fail in it: tests do not wait for a disk to break
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
	o           Options
	formats     []Format
	several     bool // paths: names must tell them apart
	files       []*file
	names       []string
	known       map[string]*file // by path on disk
	roots       []*Directory
	queue       []*file // files with something to read
	look        looker
	newest      newest
	texts       *textIndex
	prefetchers []*parquetPrefetcher
	ahead       ahead
	given       []model.Block // of the chunk that the receiver is at work on
	spent       spent
	out         *output
	buf         []byte
	read        tally
	shown       model.Progress // as last handed over
	started     bool
	closed      chan struct{}
	once        sync.Once
}

// file is one log: something on a disk or a stream.
type file struct {
	intake
	disk *File
	pipe *pipe

	workers []*worker // while it is large
	grown   *worker   // for what comes to it

	packed *packedFile // nil if it is not packed, or not open yet
}

// tally counts bytes over all files.
type tally struct {
	done, all int64
}

// Open starts to read files, directories, and "-" for standard input. Its errors
// are of type [*Error].
func Open(paths []string, o Options) (*Source, error) {
	o.Poll = cmp.Or(o.Poll, 250*time.Millisecond)
	o.quiet = cmp.Or(o.quiet, 3*time.Second)
	o.MaxFiles = cmp.Or(o.MaxFiles, MaxFiles)
	s := &Source{
		o: o, formats: Formats(), several: len(paths) > 1, known: map[string]*file{},
		out: newOutput(), texts: &textIndex{files: map[int32]textFile{}}, closed: make(chan struct{}),
	}
	if o.Format != "" {
		f, err := Find(o.Format)
		if err != nil {
			return nil, err
		}
		s.formats = []Format{*f}
	}
	s.formats = o.Columns.over(s.formats)
	if o.Follow {
		s.look.watch, s.look.nap = NewWatcher(), NewSleeper()
	}
	for _, path := range paths {
		if err := s.open(path); err != nil {
			_ = s.Close()
			return nil, err
		}
	}
	return s, nil
}

// Next returns the next chunk: at most 4096 records, a few blocks, or what 50 ms of work
// yield. It returns a chunk without records when the progress changed in a way
// that a person sees, and [io.EOF] after everything has been read. When
// following it waits for more until ctx is done. While there is more to read the
// next chunk is made before it is asked for. The blocks of a chunk are good until the
// next call: their memory is used again.
func (s *Source) Next(ctx context.Context) (*model.Chunk, error) {
	a := s.ahead.take(ctx)
	if s.ahead.idle() {
		s.spent.put(s.given)
		s.given = nil
	}
	if a == nil {
		chunk, err := s.next(ctx)
		a = &answer{chunk, err}
	}
	if a.err != nil {
		return nil, a.err
	}
	s.given = a.chunk.Blocks
	if !a.chunk.Progress.CaughtUp {
		s.ahead.start(func() (*model.Chunk, error) { return s.next(ctx) })
	}
	return a.chunk, nil
}

func (s *Source) next(ctx context.Context) (*model.Chunk, error) {
	for {
		if err := s.halted(ctx); err != nil {
			return nil, err
		}
		s.work(ctx)
		if c := s.chunk(); c != nil {
			return c, nil
		}
		if len(s.queue) > 0 {
			continue
		}
		if s.over() {
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
			if f.pipe != nil {
				f.pipe.close()
			}
			if f.packed != nil {
				f.packed.close()
			}
		}
		s.look.nap.Close()
		err = s.look.watch.Close()
	})
	return err
}

func (s *Source) halted(ctx context.Context) error {
	select {
	case <-s.closed:
		return os.ErrClosed
	default:
		return ctx.Err()
	}
}

// work reads until there is enough for a chunk or nothing to read.
func (s *Source) work(ctx context.Context) {
	defer s.tellAside()
	now := time.Now()
	deadline := now.Add(budget)
	if !s.started {
		s.started, deadline = true, now.Add(firstBudget)
	}
	if s.o.Follow {
		s.lookAround(now)
	}
	for len(s.queue) > 0 && !s.out.full() && ctx.Err() == nil {
		f := s.queue[0]
		end := s.readFile(f, deadline)
		s.newest.read(f)
		if s.isBeside(f) || end {
			s.queue = s.queue[1:]
			if f.disk != nil {
				f.disk.queued = false
			}
		}
		if !time.Now().Before(deadline) {
			return
		}
	}
}

// over reports whether nothing more can come.
func (s *Source) over() bool {
	if s.o.Follow && (len(s.roots) > 0 || len(s.known) > 0) {
		return false
	}
	return s.stream() == nil
}

// stream returns the first stream that has not ended.
func (s *Source) stream() *file {
	if len(s.files) == len(s.known) {
		return nil
	}
	for _, f := range s.files {
		if f.pipe != nil && !f.pipe.ended {
			return f
		}
	}
	return nil
}

// Lacks are the columns that Options.Columns names for the step, the group or the prompt
// and that no row has had so far: something else was taken, or nothing.
func (s *Source) Lacks() []string { return s.out.lacks }

// chunk hands over what there is, nil if that is nothing worth a look.
func (s *Source) chunk() *model.Chunk {
	p := s.progress(time.Now())
	if len(s.out.ready) == 0 && s.out.open.empty() && !visible(s.shown, p) {
		return nil
	}
	b := s.out.take()
	if len(s.out.ready) > 0 || !s.out.open.empty() {
		p.CaughtUp = false
	}
	s.shown = p
	s.look.ear.brought(b.samples)
	if b.format == nil {
		b.format, b.note = s.out.latest, s.out.lastNote
	}
	c := b.chunk(s.names[:len(s.names):len(s.names)])
	c.Progress = p
	return c
}

// visible reports whether a person would see the difference.
func visible(old, now model.Progress) bool {
	return old.CaughtUp != now.CaughtUp || old.Open != now.Open || old.Files != now.Files || old.Polling != now.Polling
}

func (s *Source) progress(now time.Time) model.Progress {
	p := model.Progress{Files: len(s.files), BytesRead: s.read.done, BytesAll: max(s.read.all, s.read.done), CaughtUp: len(s.queue) == 0}
	if f := s.stream(); f != nil && s.read.done == 0 {
		p.CaughtUp = false // nothing has come yet
	}
	if len(s.files) > len(s.known) {
		p.BytesAll = 0
	}
	if s.o.Follow {
		p.Open = now.Before(s.newest.openUntil(s.o.quiet))
		p.Polling = s.look.watch.Polling()
	}
	return p
}

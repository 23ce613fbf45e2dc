// Package loaders turns the logs of RL trainers into chunks of samples. It and the packages below
// it are the only ones that open files.
//
// In: paths, directories, streams ([Open]). Out: chunks of columns and records, bounded in size and
// time ([Source.Next]), and the text of a sample ([Source.Text]). The commands and the demo call it.
//
// The way of a byte:
//
//	origin.go               path → where it leads   this machine, or with storage/sftp, storage/bucket and storage/cache elsewhere
//	open.go, directory.go   that → files            with discover: which logs a directory has
//	follow.go, watch.go     files → queue           what to read next, and when
//	stepfolders.go          folders that are steps  those of a sweep are runs
//	copies.go               files that are left out copies in another container
//	changes.go              files that are left out twins, side files, renamed ones, replaced folders, repeated rows
//	read.go, stream.go      file → bytes            with fileio: what is new since the last read
//	filereader.go           bytes → records         with framing, formats and decode
//	parallel.go             the same for the large rest of a file, with decode/fast
//	packed.go, parquet.go   gzip, zstd and Parquet  with compressed and parquet
//	chunk.go                records → chunks        and keeps the groups of several runs apart
//	runs.go                 rows that are left out  with runs: earlier attempts, evaluations
//	texts.go                sample → its text       read again when a person looks at it
//	beside.go               a run → its scalars     with scalars: what the trainer logged of its steps
//
// A path may lead to a [Table] instead, which divides its rows into chunks by itself, so that [Source] only hands them on.
//
// A bad line is counted and skipped. Files are opened for reading, read, and closed: no handle is held
// between two reads (except for a packed file that is being read), nothing is locked, nothing is
// written.
package loaders

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"vantage/loaders/decode"
	"vantage/loaders/discover"
	"vantage/loaders/fileio"
	"vantage/loaders/formats"
	"vantage/model"
	"vantage/model/fault"
)

// Options say how logs are read. The zero value reads everything that is there, to its end.
type Options struct {
	Follow   bool           // wait for more at the end
	Wait     bool           // when following, wait for paths that do not exist yet
	Poll     time.Duration  // how often files are polled when following; 0 means 250 ms
	Format   string         // name of the format; "" means to detect it
	MaxFiles int            // read at most so many files of a directory; 0 means 100,000
	Attempt  Attempt        // which attempt of a run that was started again
	Split    discover.Split // which logs of a directory; "" means training
	Columns  decode.Columns // columns that a person named

	KeepFault func(*fault.Fault) (where string) // keeps the details of a panic in reading a file; nil: nobody does
	Stdin     io.Reader                         // read for "-", and closed by Close if it is an io.Closer
	Storage   StorageOptions
	Tables    Scheme       // of tables; the zero value: there are none
	Disk      *fileio.Disk // of this machine's files; nil means one of its own

	// MemoryLimit is how many bytes the program may take for what is read; 0 is no limit. Beyond it, Next
	// returns an error, or reads no more if following.
	MemoryLimit int64

	// settleTime is how long a file must be unchanged to count as written: 3 s, less in tests.
	settleTime time.Duration

	// For tests:
	serial  bool                 // no workers
	polling bool                 // no events and timers of the kernel, so that time can be faked
	faults  fileio.FaultInjector // makes opening files fail
	schemes []Scheme             // instead of those of storages
}

// A chunk takes at most so long. The first takes less, so that something is seen early.
const (
	firstBudget = 10 * time.Millisecond
	budget      = 50 * time.Millisecond
)

// endTimeout is how long Close waits for a read that has begun.
const endTimeout = time.Second

// Source reads logs and follows them while they grow. Next, Text and Close may be called from
// different goroutines, but Next from one at a time.
//
// It has three parts, of which the second does not see the first, nor the third the others.
type Source struct {
	options *Options
	files   *fileSet    // which files there are
	reading *reading    // how far each is read
	chunks  *chunkQueue // what came of it

	texts        *textIndex
	lines        lineIndex
	beside       beside
	tokens       tokens
	memory       *memoryLimit
	ahead        <-chan fault.Outcome[nextChunk] // the next chunk, while it is read in the background; nil if it is not
	lentBlocks   []model.Block                   // of the chunk that Next returned last
	lastProgress model.Progress                  // as it was read last
	shown        model.Progress                  // as Next returned it last
	started      bool                            // the first chunk has been read
	asked        bool                            // it has been said which storages are asked
	mu           sync.Mutex                      // held while files are read
	closed       chan struct{}
	once         sync.Once
}

type nextChunk struct {
	chunk *model.Chunk
	err   error
}

// Open opens files, directories, and standard input for "-". Its errors are of type [*Error].
func Open(paths []string, o Options) (*Source, error) {
	o.Poll = cmp.Or(o.Poll, 250*time.Millisecond)
	o.settleTime = cmp.Or(o.settleTime, 3*time.Second)
	o.MaxFiles = cmp.Or(o.MaxFiles, discover.MaxFiles)
	o.Split, o.Disk = cmp.Or(o.Split, discover.SplitTrain), cmp.Or(o.Disk, &fileio.Disk{})
	if !o.Follow {
		o.Storage.Patience, o.Storage.Terminal = cmp.Or(o.Storage.Patience, storagePatience), true
	}
	if o.schemes == nil {
		o.schemes = storageSchemes()
	}
	if o.Tables.Names != nil {
		o.schemes = append(o.schemes, o.Tables)
	}
	s := newSource(&o)
	s.files.manyPaths = len(paths) > 1
	if o.Format != "" {
		f, ok := formats.Find(o.Format)
		if !ok {
			names := model.Mapped(formats.All(), func(f formats.Format) string { return f.Name })
			return nil, &Error{Path: "--input-format " + o.Format, What: "names no format", Do: "take one of " + strings.Join(names, ", ")}
		}
		s.files.formats = []formats.Format{f}
	}
	s.files.formats = formats.WithColumns(s.files.formats, o.Columns)
	if s.chunks.evaluations.ToldApart() {
		s.files.formats = formats.WithSplit(s.files.formats, s.chunks.evaluations.Wants)
	}
	if o.Follow && !o.polling {
		s.reading.schedule.watcher, s.reading.schedule.sleeper = newWatcher(o.Disk), newSleeper()
	}
	for _, path := range paths {
		if err := s.files.open(path); err != nil {
			_ = s.Close()
			return nil, err
		}
	}
	return s, nil
}

func newSource(o *Options) *Source {
	chunks := newChunkQueue()
	chunks.evaluations.Split = o.Split
	texts := &textIndex{files: map[int32]textFile{}, starts: map[int32]int{}}
	r := &reading{options: o, chunks: chunks, texts: texts, offline: map[fileio.Storage]bool{}}
	files := &fileSet{
		options: o, reading: r, chunks: chunks,
		formats: formats.All(), byPath: map[string]*file{}, attempts: runAttempts{replaced: map[int32]replacedFile{}},
	}
	return &Source{
		options: o, files: files, reading: r, chunks: chunks, texts: texts,
		memory: newMemoryLimit(o.MemoryLimit), closed: make(chan struct{}),
	}
}

// Next returns the next chunk: at most 4096 records, or the blocks and records that 50 ms of work
// yield. A chunk without samples says that the progress changed. The error is [io.EOF] after
// everything has been read, [os.ErrClosed] after Close, or that of ctx; when following, Next waits
// for more instead of returning io.EOF. The blocks of a chunk are valid until the next call, which
// reuses their memory. While there is more to read, the next chunk is read in the background.
func (s *Source) Next(ctx context.Context) (*model.Chunk, error) {
	if s.files.table != nil {
		return s.files.table.Next(ctx)
	}
	got, err := s.takeAhead(ctx)
	if s.ahead == nil {
		pool := &s.reading.buffers.blocks
		*pool = append(*pool, s.lentBlocks[:min(len(s.lentBlocks), maxPooledBlocks-len(*pool))]...)
		s.lentBlocks = nil
	}
	for got == nil && err == nil { // a disk or a server that does not answer must not keep a person who leaves
		s.readAhead(ctx)
		got, err = s.takeAhead(ctx)
	}
	if err != nil || s.ahead != nil {
		return got, err
	}
	s.lentBlocks = got.Blocks
	if !got.Progress.CaughtUp {
		s.readAhead(ctx)
	}
	return got, nil
}

func (s *Source) readAhead(ctx context.Context) {
	s.ahead = fault.Later(func() nextChunk {
		chunk, err := s.next(ctx)
		return nextChunk{chunk: chunk, err: err}
	})
}

// takeAhead waits for the chunk that is read in the background; it is nil if none is. While a disk does not answer it returns, each
// second, a chunk that only says so, and one when it answers again.
func (s *Source) takeAhead(ctx context.Context) (*model.Chunk, error) {
	if s.ahead == nil {
		return nil, nil
	}
	for {
		_, waits := s.options.Disk.Waits()
		select {
		case outcome := <-s.ahead:
			s.ahead = nil
			got := outcome.Get()
			if got.chunk != nil {
				s.shown = got.chunk.Progress
			} else if ctx.Err() == nil && (errors.Is(got.err, context.Canceled) || errors.Is(got.err, context.DeadlineExceeded)) {
				return nil, nil // of an earlier call
			}
			return got.chunk, got.err
		case <-time.After(time.Second - waits%time.Second): // each second of the call
			if _, silent := s.options.Disk.Silent(); silent != s.shown.Silent {
				s.shown.Silent = silent
				return &model.Chunk{Progress: s.shown}, nil
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (s *Source) next(ctx context.Context) (*model.Chunk, error) {
	for {
		if c, err := s.read(ctx); c != nil || err != nil {
			return c, err
		}
		if s.reading.lost != nil {
			return nil, s.reading.lost
		}
		if s.memory.reached != nil && !s.options.Follow {
			return nil, s.memory.reached
		}
		if s.reading.next() != nil {
			continue
		}
		follows := s.options.Follow && len(s.files.directories)+len(s.files.byPath)+len(s.files.awaited) > 0
		if !follows && s.reading.openStream() == nil {
			return nil, io.EOF
		}
		if err := s.wait(ctx); err != nil {
			return nil, err
		}
	}
}

// read reads until there is enough for a chunk, or nothing more to read now: then it returns nil, unless the progress has
// changed.
func (s *Source) read(ctx context.Context) (*model.Chunk, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.closed:
		return nil, os.ErrClosed
	default:
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !s.asked && len(s.files.storages) > 0 { // the first chunk says which storages are asked, before they answer
		s.asked = true
		if c := s.takeChunk(); c != nil {
			return c, nil
		}
	}
	if err := s.files.openAwaited(time.Now()); err != nil {
		return nil, err
	}
	s.fillChunk(ctx)
	return s.takeChunk(), nil
}

// Close ends the reading. A Next that waits returns [os.ErrClosed].
func (s *Source) Close() error {
	var err error
	s.once.Do(func() {
		close(s.closed)
		s.files.closeOrigins()
		s.reading.schedule.sleeper.close()
		s.closeFiles()
		s.lines.release()
		s.texts.release()
		err = s.reading.schedule.watcher.close()
	})
	return err
}

// closeFiles closes the files once none of them is being read: the next chunk may be read in the background. It
// waits for at most endTimeout, since a file server may never answer; then they stay open until the program ends.
func (s *Source) closeFiles() {
	for until := time.Now().Add(endTimeout); !s.mu.TryLock(); time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			return
		}
	}
	defer s.mu.Unlock()
	for _, f := range s.reading.files {
		if f.stream != nil {
			f.stream.close()
		}
		if f.packed != nil {
			f.packed.close()
		}
	}
}

// fillChunk reads until there is enough for a chunk, or nothing more to read now, and says what is left out of it.
func (s *Source) fillChunk(ctx context.Context) {
	now := time.Now()
	s.readQueue(ctx, now)
	s.files.leaveOutAttempts(now)
	s.files.findEvaluations() // after the attempts, in each of which evaluations have their own steps
	s.files.leaveOutCopies()
	s.files.noteTwins()
	s.files.noteSideFiles()
}

// readQueue reads what is next in the queue until there is enough for a chunk, or nothing more to read now.
func (s *Source) readQueue(ctx context.Context, now time.Time) {
	deadline := now.Add(budget)
	if !s.started {
		s.started, deadline = true, now.Add(firstBudget)
	}
	if s.memory.reached != nil {
		s.reading.queue = nil
		return
	}
	clear(s.reading.offline)
	if s.options.Follow {
		s.files.poll(now)
	}
	s.reading.tellWhatIsNext()
	for f := s.reading.next(); f != nil && !s.chunks.full() && ctx.Err() == nil; f = s.reading.next() {
		if s.memory.stops(s.reading.bytes.read, s.reading.bytes.total) {
			s.chunks.addNotes([]string{s.memory.reached.Error()})
			return
		}
		s.files.readNext(f, deadline)
		if !time.Now().Before(deadline) {
			return
		}
	}
}

// MissingColumns returns the columns that [Options.Columns] names for step, group or prompt and that
// no row has had so far.
func (s *Source) MissingColumns() []string { return s.chunks.missing }

// takeChunk returns what has been read, nil if there is nothing that a person would notice.
func (s *Source) takeChunk() *model.Chunk {
	p := s.progress(time.Now())
	if len(s.chunks.ready) == 0 && s.chunks.pending.empty() && !s.chunks.evaluations.Unreported && !progressChanged(s.lastProgress, p) {
		return nil
	}
	b := s.chunks.next()
	if len(s.chunks.ready) > 0 || !s.chunks.pending.empty() {
		p.CaughtUp = false
	}
	s.lastProgress = p
	if b.samples >= manyRows {
		s.reading.schedule.debounce.sparse = 0
	}
	if b.format == nil {
		b.format, b.note = s.chunks.latest, s.chunks.lastNote
	}
	c := b.chunk(s.files.names[:len(s.files.names):len(s.files.names)])
	c.Progress = p
	c.RewardNames, c.RewardNamesFrom = slices.Clip(s.files.rewards.names), s.files.rewards.from
	if s.chunks.evaluations.Unreported {
		c.Evaluation, s.chunks.evaluations.Unreported = s.chunks.evaluations.Summary(s.files.names, s.files.leftOutFiles()), false
	}
	if dirs := s.chunks.runs.fileDirs; s.chunks.runs.toTell() {
		c.FileRuns = dirs[:len(dirs):len(dirs)]
	}
	return c
}

// progressChanged reports whether a person would notice the difference.
func progressChanged(old, now model.Progress) bool {
	return old.CaughtUp != now.CaughtUp || old.Open != now.Open || old.Files != now.Files || old.Polling != now.Polling ||
		old.Awaited != now.Awaited || now.Link.Changed(old.Link) || now.LastWrite.Sub(old.LastWrite) >= time.Minute
}

func (s *Source) progress(now time.Time) model.Progress {
	p := s.reading.progress(now)
	p.Tried = s.chunks.tried
	s.files.addProgress(&p)
	return p
}

// Decode reads a whole log from memory, as Source reads one from disk: the demo's, and those of tests.
// The name may tell the format and the step.
func Decode(name string, data []byte) []*model.Chunk {
	queue := newChunkQueue()
	f := newFileReader(0, name, formats.All(), queue)
	var chunks []*model.Chunk
	emit := func() {
		chunks = append(chunks, queue.next().chunk([]string{name}))
	}
	for len(data) > 0 && !f.refused {
		data = data[f.feed(data):]
		for queue.full() {
			emit()
		}
	}
	f.finish()
	if !queue.pending.empty() {
		emit()
	}
	return chunks
}

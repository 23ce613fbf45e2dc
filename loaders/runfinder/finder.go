package runfinder

import (
	"context"
	"io"
	"path/filepath"
	"sync"
	"time"

	"vantage/model/runlist"
)

// Options say where to look, and how far.
type Options struct {
	Dir    string        // the directory to look below
	Home   string        // the home directory, shown as ~; "" if unknown
	Also   []string      // directories to look below besides, as those where a program keeps all its logs
	Recent []Recent      // sessions, the latest first
	Time   time.Duration // how long to look; 0 means 0.3 s
}

// Recent is a run that was opened before.
type Recent struct {
	Paths  []string // absolute; those of other machines as they were given
	Opened time.Time
}

// The bounds of a search.
const (
	defaultTime = 300 * time.Millisecond

	maxEntries = 50_000
	maxRecent  = 40 // sessions
	parallel   = 8  // directories at a time: a network filesystem answers each after a while
)

// Finder finds runs in the background.
type Finder struct {
	options Options
	start   sync.Once
	found   chan runlist.Run
	walk    *walker
	over    context.Context // when the time is
}

// New returns a finder, which begins with the first call of Next.
func New(o Options) *Finder {
	if o.Time == 0 {
		o.Time = defaultTime
	}
	return &Finder{options: o, found: make(chan runlist.Run, 64), walk: &walker{}}
}

// Next waits for runs and returns those that were found since the last call. The error is [io.EOF]
// after everything was looked at or the time is over, or that of ctx.
func (f *Finder) Next(ctx context.Context) ([]runlist.Run, error) {
	f.start.Do(f.begin)
	select {
	case r, ok := <-f.found:
		if !ok {
			return nil, io.EOF
		}
		return f.drain(r), nil
	case <-f.over.Done():
		select {
		case r, ok := <-f.found:
			if ok {
				return f.drain(r), nil
			}
		default:
			f.walk.timeout.Store(true)
		}
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// drain returns a run and those that wait behind it.
func (f *Finder) drain(r runlist.Run) []runlist.Run {
	runs := []runlist.Run{r}
	for {
		select {
		case r, ok := <-f.found:
			if !ok {
				return runs
			}
			runs = append(runs, r)
		default:
			return runs
		}
	}
}

// Looked says how far was looked so far.
func (f *Finder) Looked() runlist.Looked {
	return runlist.Looked{
		Entries: int(f.walk.entries.Load()), Limit: f.options.Time,
		Timeout: f.walk.timeout.Load(), TooMany: f.walk.tooMany.Load(),
	}
}

// begin starts to look. A call of the filesystem that never returns holds its goroutine, nothing else.
func (f *Finder) begin() {
	over, cancel := context.WithTimeout(context.Background(), f.options.Time)
	f.over = over
	here, err := filepath.Abs(f.options.Dir)
	if resolved, linkErr := filepath.EvalSymlinks(here); err == nil && linkErr == nil {
		here = resolved
	}
	f.walk.over, f.walk.here, f.walk.home, f.walk.limit = over, here, f.options.Home, maxEntries
	f.walk.emit = f.emit
	var all sync.WaitGroup
	for _, dir := range append([]string{here}, f.options.Also...) {
		all.Go(func() { f.walk.below(dir) })
	}
	all.Go(func() { f.walk.recent(f.options.Recent) })
	go func() {
		all.Wait()
		if over.Err() == nil { // else Next reads the channel no more
			close(f.found)
		}
		cancel()
	}()
}

// emit passes a run on, unless the time is over.
func (f *Finder) emit(r runlist.Run) {
	select {
	case f.found <- r:
	case <-f.over.Done():
	}
}

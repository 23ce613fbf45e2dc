// Package runfinder finds logs to offer to a person who named none: those below the current
// directory, and those of recent sessions.
//
// In: a directory and the paths of recent sessions ([Options]). Out: runs of package runlist, as they
// are found ([Finder.Next]). main calls it. It lists directories, reads no more of a log than its
// format needs ([loaders.Sniff]), follows no symbolic link, opens neither pipe nor device, and stops
// at bounds on time, entries and depth, so that it may be started in a home directory or on a
// network filesystem.
package runfinder

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"vantage/loaders"
	"vantage/loaders/discover"
	"vantage/loaders/fileio"
	"vantage/model/runlist"
)

// Options say where to look, and how far.
type Options struct {
	Dir    string        // the directory to look below
	Home   string        // the home directory, shown as ~; "" if unknown
	Also   []string      // directories to look below besides, as those where a program keeps all its logs
	Recent []Recent      // sessions, the latest first
	Time   time.Duration // how long to look; 0 means 0.3 s
	Disk   *fileio.Disk  // on which it looks; may be nil
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
	f.walk.leftOut.Lock()
	defer f.walk.leftOut.Unlock()
	return runlist.Looked{
		LeftOut: f.walk.leftOut.files, Example: f.walk.leftOut.example,
		Entries: int(f.walk.entries.Load()), Limit: f.options.Time,
		Timeout: f.walk.timeout.Load(), TooMany: f.walk.tooMany.Load(),
	}
}

// begin starts to look. A call of the filesystem that never returns holds its goroutine, nothing else.
func (f *Finder) begin() {
	over, cancel := context.WithTimeout(context.Background(), f.options.Time)
	f.over = over
	go f.look(over, cancel)
}

func (f *Finder) look(over context.Context, end func()) {
	here, err := filepath.Abs(f.options.Dir)
	if resolved, linkErr := f.options.Disk.EvalSymlinks(here); err == nil && linkErr == nil {
		here = resolved
	}
	f.walk.over, f.walk.here, f.walk.home, f.walk.limit = over, here, f.options.Home, maxEntries
	f.walk.emit, f.walk.disk = f.emit, f.options.Disk
	var all sync.WaitGroup
	for _, dir := range append([]string{here}, f.options.Also...) {
		all.Go(func() { f.walk.below(dir) })
	}
	recent := f.options.Recent[:min(len(f.options.Recent), maxRecent)]
	all.Go(func() {
		inParallel(len(recent), func(i int) {
			if s := recent[i]; !f.walk.stopped() && len(s.Paths) > 0 {
				if r, ok := f.walk.describe(s); ok {
					f.emit(r)
				}
			}
		})
	})
	all.Wait()
	if over.Err() == nil { // else Next reads the channel no more
		close(f.found)
	}
	end()
}

func (f *Finder) emit(r runlist.Run) {
	select {
	case f.found <- r:
	case <-f.over.Done():
	}
}

// maxRecentEntries bounds the listing of each run that was opened before.
const maxRecentEntries = 2000

// describe returns the run of a session whose files are still there. Of a directory that holds several logs the one written last
// says what it is. Another machine is not asked: that may take long, and a password.
func (w *walker) describe(s Recent) (r runlist.Run, ok bool) {
	name, elsewhere := s.Paths[0], true
	if !slices.ContainsFunc(s.Paths, loaders.IsElsewhere) {
		for _, p := range s.Paths {
			info, err := w.disk.Stat(w.databaseOf(p))
			if err != nil || !info.IsDir() && !info.Mode().IsRegular() {
				return r, false
			}
		}
		r = w.freshest(w.databaseOf(name))
		name, elsewhere = w.shownName(name)
	}
	r.ID, r.Opened, r.Name, r.Paths, r.Elsewhere = strings.Join(s.Paths, "\n"), s.Opened, name, s.Paths, elsewhere
	if len(s.Paths) > 1 {
		r.Name += " and others"
	} else if !elsewhere {
		r.Paths = []string{name}
	}
	return r, true
}

// databaseOf returns the database that a path leads into, as math.db/calm-sea-3, or the path.
func (w *walker) databaseOf(at string) string {
	for name := at; name != filepath.Dir(name); name = filepath.Dir(name) {
		if filepath.Ext(name) == discover.DatabaseExtension {
			if info, err := w.disk.Stat(name); err == nil && info.Mode().IsRegular() {
				return name
			}
		}
	}
	return at
}

// freshest returns the run at a path, or of those below it the one written last; an empty one if
// there is none.
func (w *walker) freshest(at string) (best runlist.Run) {
	var mu sync.Mutex
	below := &walker{over: w.over, disk: w.disk, here: w.here, home: w.home, limit: maxRecentEntries}
	below.emit = func(r runlist.Run) {
		mu.Lock()
		defer mu.Unlock()
		if best.ID == "" || r.LastWrite.After(best.LastWrite) {
			best = r
		}
	}
	if info, err := w.disk.Stat(at); err == nil && info.IsDir() {
		below.below(at)
		return best
	}
	root, err := w.disk.OpenRoot(filepath.Dir(at))
	if err != nil {
		return best
	}
	defer func() { _ = root.Close() }()
	name := filepath.Base(at)
	if s, ok := below.sniffNewest(root, []string{name}); ok {
		return below.fileRun(root, name, s)
	}
	return best
}

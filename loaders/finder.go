package loaders

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"vantage/loaders/decode"
	"vantage/loaders/discover"
	"vantage/loaders/fileio"
	"vantage/loaders/formats"
	"vantage/model"
	"vantage/model/fault"
	"vantage/model/runlist"
)

// FinderOptions say where to look, and how far.
type FinderOptions struct {
	Dir    string        // the directory to look below
	Home   string        // the home directory, shown as ~; "" if unknown
	Also   []string      // directories to look below besides, as those where a program keeps all its logs
	Recent []RecentRun   // sessions, the latest first, each of which is looked at
	Time   time.Duration // how long to look; 0 means 0.3 s
	Disk   *fileio.Disk  // on which it looks; may be nil
}

// RecentRun is a run that was opened before.
type RecentRun struct {
	Paths  []string // absolute; those of other machines as they were given
	Opened time.Time
}

// The bounds of a search.
const (
	defaultTime = 300 * time.Millisecond

	maxEntries = 50_000
	parallel   = 8 // directories at a time: a network filesystem answers each after a while
)

// Finder finds logs in the background to offer to a person who named none: those below a directory, and those of recent sessions,
// as package runlist has them. It lists directories, reads no more of a log than its format needs, follows no symbolic link, opens
// neither pipe nor device, and stops at bounds on time, entries and depth, so that it may be started in a home directory or on a
// network filesystem.
type Finder struct {
	options FinderOptions
	start   sync.Once
	found   chan runlist.Run
	walk    *walker
	over    context.Context // when the time is
}

// NewFinder returns a finder, which begins with the first call of Next.
func NewFinder(o FinderOptions) *Finder {
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
		return f.drain(r, ok)
	case <-f.over.Done():
		select {
		case r, ok := <-f.found:
			return f.drain(r, ok)
		default:
			f.walk.timeout.Store(true)
			return nil, io.EOF
		}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// drain returns what was received, and what else was found; [io.EOF] if the channel is closed.
func (f *Finder) drain(r runlist.Run, ok bool) (runs []runlist.Run, err error) {
	for ok {
		runs = append(runs, r)
		select {
		case r, ok = <-f.found:
		default:
			return runs, nil
		}
	}
	if len(runs) == 0 {
		return nil, io.EOF
	}
	return runs, nil
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
	fault.Go(func() { f.look(over, cancel) })
}

func (f *Finder) look(over context.Context, end func()) {
	here, err := filepath.Abs(f.options.Dir)
	if resolved, linkErr := f.options.Disk.EvalSymlinks(here); err == nil && linkErr == nil {
		here = resolved
	}
	f.walk.over, f.walk.here, f.walk.home, f.walk.limit = over, here, f.options.Home, maxEntries
	f.walk.emit, f.walk.disk = f.emit, f.options.Disk
	var all fault.Group
	for _, dir := range append([]string{here}, f.options.Also...) {
		all.Go(func() { f.walk.below(dir) })
	}
	all.Go(func() {
		model.InParallel(context.Background(), parallel, len(f.options.Recent), func(i int) {
			if s := f.options.Recent[i]; !f.walk.stopped() && len(s.Paths) > 0 {
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
func (w *walker) describe(s RecentRun) (r runlist.Run, ok bool) {
	name, elsewhere := s.Paths[0], true
	if !slices.ContainsFunc(s.Paths, IsElsewhere) {
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
func (w *walker) databaseOf(given string) string {
	for name := given; name != filepath.Dir(name); name = filepath.Dir(name) {
		if filepath.Ext(name) == discover.DatabaseExtension {
			if info, err := w.disk.Stat(name); err == nil && info.Mode().IsRegular() {
				return name
			}
		}
	}
	return given
}

// freshest returns the run at a path, or of those below it the one written last; an empty one if
// there is none.
func (w *walker) freshest(given string) (best runlist.Run) {
	var mu sync.Mutex
	below := &walker{over: w.over, disk: w.disk, here: w.here, home: w.home, limit: maxRecentEntries}
	below.emit = func(r runlist.Run) {
		mu.Lock()
		defer mu.Unlock()
		if best.ID == "" || r.LastWrite.After(best.LastWrite) {
			best = r
		}
	}
	if info, err := w.disk.Stat(given); err == nil && info.IsDir() {
		below.below(given)
		return best
	}
	root, err := w.disk.OpenRoot(filepath.Dir(given))
	if err != nil {
		return best
	}
	defer func() { _ = root.Close() }()
	name := filepath.Base(given)
	if s, ok := below.sniffNewest(root, []string{name}); ok {
		return below.fileRun(root, name, s)
	}
	return best
}

type walker struct {
	over  context.Context
	here  string // absolute; names of runs below it are relative to it
	home  string
	limit int64 // of entries
	emit  func(runlist.Run)
	disk  *fileio.Disk

	entries          atomic.Int64
	timeout, tooMany atomic.Bool

	leftOut struct {
		sync.Mutex
		files   int
		example string // the first
	}
}

// below emits the runs below a directory, those near to it first.
func (w *walker) below(dir string) {
	root, err := w.disk.OpenRoot(dir)
	if err != nil {
		return
	}
	defer func() { _ = root.Close() }()
	level := []string{"."}
	for depth := 1; len(level) > 0 && !w.stopped(); depth++ {
		next := make([][]string, len(level))
		model.InParallel(context.Background(), parallel, len(level), func(i int) { next[i] = w.visit(root, level[i]) })
		level = slices.Concat(next...)
		if len(level) > 0 && depth > discover.MaxDepth {
			w.tooMany.Store(true)
			return
		}
	}
}

func (w *walker) stopped() bool {
	if w.over.Err() != nil {
		w.timeout.Store(true)
		return true
	}
	if w.entries.Load() >= w.limit {
		w.tooMany.Store(true)
		return true
	}
	return false
}

// listing is what a directory holds of interest, each in natural order.
type listing struct {
	logs     []string // names of files that may be logs
	projects []string // names of files that may be databases of trackio
	numbered []string // names of directories of steps or processes
	versions []string // names of directories that are only a number
	others   []string // names of other directories
}

func (w *walker) list(root *os.Root, dir string) (l listing) {
	defer w.disk.During(dir)()
	h, err := root.OpenFile(dir, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return l
	}
	defer func() { _ = h.Close() }()
	for !w.stopped() {
		entries, err := h.ReadDir(512)
		w.entries.Add(int64(len(entries)))
		for _, e := range entries {
			l.add(dir, e)
		}
		if err != nil || len(entries) == 0 {
			break
		}
	}
	for _, names := range [][]string{l.logs, l.projects, l.numbered, l.versions, l.others} {
		slices.SortFunc(names, discover.CompareNatural)
	}
	return l
}

// add sorts an entry in. Links, pipes and devices are passed over.
func (l *listing) add(dir string, e fs.DirEntry) {
	name := e.Name()
	switch {
	case strings.HasPrefix(name, ".") || isNoRun(name):
	case e.IsDir() && decode.IsDigits(name):
		l.versions = append(l.versions, name)
	case e.IsDir() && discover.IsNumbered(name):
		l.numbered = append(l.numbered, name)
	case e.IsDir():
		l.others = append(l.others, name)
	case e.Type().IsRegular() && discover.IsLog(filepath.Join(filepath.FromSlash(dir), name)):
		l.logs = append(l.logs, name)
	case e.Type().IsRegular() && path.Ext(name) == discover.DatabaseExtension:
		l.projects = append(l.projects, name)
	}
}

// isNoRun reports whether a name is that of a directory that holds many files and no log, or many
// copies: packages, caches, the checkpoints of Hugging Face's trainers, and what the kernel shows as
// files.
func isNoRun(name string) bool {
	switch name {
	case "node_modules", "site-packages", "__pycache__", "venv", "env", "proc", "sys", "dev":
		return true
	}
	rest, ok := strings.CutPrefix(name, "checkpoint-")
	return ok && decode.IsDigits(rest)
}

// visit emits the runs in a directory and returns the paths of those below it that are to be visited.
func (w *walker) visit(root *os.Root, dir string) []string {
	l := w.list(root, dir)
	others := l.others
	if r, ok := w.foldersRun(root, dir, l.numbered, false); ok {
		w.emit(r)
	} else if r, ok := w.foldersRun(root, dir, l.versions, true); ok {
		w.emit(r)
	} else {
		others = append(others, l.versions...)
	}
	for _, r := range w.runsOf(root, dir, l) {
		w.emit(r)
	}
	for _, name := range l.projects {
		name = path.Join(dir, name)
		if s, ok := w.sniffNewest(root, []string{name}); ok {
			w.emit(w.fileRun(root, name, s))
		}
	}
	return joined(dir, others)
}

// foldersRun returns the run whose steps, processes or versions of the policy have directories of their own, of which the
// newest tell of all. Versions are directories that are only a number, of a format that has [formats.Format.VersionFolders].
func (w *walker) foldersRun(root *os.Root, dir string, names []string, areVersions bool) (r runlist.Run, ok bool) {
	tries, depth := 3, 3
	if areVersions {
		tries, depth = 1, 0
	}
	for i := len(names) - 1; i >= max(0, len(names)-tries); i-- {
		logs := w.logsBelow(root, path.Join(dir, names[i]), depth)
		s, found := w.sniffNewest(root, logs)
		if !found || areVersions && !s.Format.VersionFolders && !w.areSteps(root, dir, names) {
			continue
		}
		r = w.newRun(root, dir, s.Format.Name)
		r.LastWrite, _ = w.stat(root, logs)
		if !areVersions || !s.Format.VersionFolders {
			r.FirstStep, r.LastStep, r.HasSteps = stepRange(names)
		}
		return r, true
	}
	return r, false
}

// areSteps reports whether folders that are only a number are steps of one run.
func (w *walker) areSteps(root *os.Root, dir string, names []string) bool {
	var firsts []string
	for _, name := range names {
		if logs := w.list(root, path.Join(dir, name)).logs; len(logs) > 0 {
			firsts = append(firsts, path.Join(dir, name, logs[0]))
		}
	}
	return areSteps(w.disk, root, firsts)
}

// logsBelow returns the logs in the first directory that has some, at most depth levels down.
func (w *walker) logsBelow(root *os.Root, dir string, depth int) []string {
	l := w.list(root, dir)
	if len(l.logs) > 0 || depth == 0 {
		return joined(dir, l.logs)
	}
	for _, name := range slices.Backward(l.others) {
		if logs := w.logsBelow(root, path.Join(dir, name), depth-1); len(logs) > 0 {
			return logs
		}
	}
	return nil
}

func joined(dir string, names []string) []string {
	return model.Mapped(names, func(name string) string { return path.Join(dir, name) })
}

// What is looked at of a run with many files: the newest by their names, which a trainer writes last.
const (
	maxSniffed = 3   // files
	maxStat    = 256 // files, for their size; of more only statNewest are looked at
	statNewest = 16
)

// series is files of a directory whose names differ in numbers only: the steps of a run.
type series struct {
	files   []string // paths, in natural order
	sniffed sniffed
}

// runsOf returns the runs whose files are in a directory itself. Where there is a trainer's own log, it leaves out what
// anyone may have written, as opening the directory does.
func (w *walker) runsOf(root *os.Root, dir string, l listing) []runlist.Run {
	chosen, _ := discover.Choose(l.logs, discover.SplitTrain)
	var all, own []series
	for _, s := range divide(joined(dir, chosen)) {
		var ok bool
		if s.sniffed, ok = w.sniffNewest(root, s.files); !ok {
			w.leaveOut(root, s.files)
			continue
		}
		all = append(all, s)
		if s.sniffed.Format.Origin == formats.FromTrainer {
			own = append(own, s)
		}
	}
	if len(own) > 0 {
		all = own
	}
	if len(all) == 0 {
		return nil
	}
	alone := len(l.others) == 0 // then the path of the directory names these files and no others
	first := all[0].files
	_, named := stepOf(first[len(first)-1]) // for its step, so that others will be beside it
	whole := len(all) == 1 && (alone && len(own) > 0 || named)
	var runs []runlist.Run
	var many []string // files of all series of several files, which only the directory names
	format := ""
	for _, s := range all {
		if whole || len(s.files) > 1 {
			many, format = append(many, s.files...), s.sniffed.Format.Name
		} else {
			runs = append(runs, w.fileRun(root, s.files[0], s.sniffed))
		}
	}
	if len(many) == 0 {
		return runs
	}
	slices.SortFunc(many, discover.CompareNatural)
	r := w.newRun(root, dir, format)
	r.Files = len(many)
	if len(many) == 1 {
		r.Samples = all[0].sniffed.Rows
	}
	r.LastWrite, r.Size = w.stat(root, many)
	r.FirstStep, r.LastStep, r.HasSteps = stepRange(many)
	return append(runs, r)
}

// leaveOut counts files of which no sample was found.
func (w *walker) leaveOut(root *os.Root, files []string) {
	w.leftOut.Lock()
	defer w.leftOut.Unlock()
	if w.leftOut.files == 0 {
		w.leftOut.example, _ = w.shownName(filepath.Join(root.Name(), filepath.FromSlash(files[0])))
	}
	w.leftOut.files += len(files)
}

func divide(files []string) (all []series) {
	index := map[string]int{}
	for _, f := range files {
		pattern := withoutNumbers(path.Base(f))
		i, ok := index[pattern]
		if !ok {
			i = len(all)
			index[pattern], all = i, append(all, series{})
		}
		all[i].files = append(all[i].files, f)
	}
	return all
}

// withoutNumbers returns a name with * for its numbers, and for words that hold digits among letters
// up to f, as hashes do.
func withoutNumbers(name string) string {
	return hexadecimal.ReplaceAllStringFunc(name, func(word string) string {
		letters := strings.TrimRight(word, "0123456789")
		switch {
		case letters == "" || len(word) >= 6 && strings.ContainsAny(word, "0123456789"):
			return "*"
		case letters != word:
			return letters + "*"
		}
		return word
	})
}

var hexadecimal = regexp.MustCompile("[0-9a-f]+")

// sniffNewest returns the format of the newest of some files, by their names, that has one: the last
// may be empty still.
func (w *walker) sniffNewest(root *os.Root, files []string) (s sniffed, ok bool) {
	for i := len(files) - 1; i >= max(0, len(files)-maxSniffed) && !w.stopped(); i-- {
		if s, err := sniff(w.disk, root, files[i]); err == nil {
			return s, true
		}
	}
	return s, false
}

// fileRun returns the run of a single file. Of a database of trackio what was written last may lie in the log beside it.
func (w *walker) fileRun(root *os.Root, name string, s sniffed) runlist.Run {
	r := w.newRun(root, name, s.Format.Name)
	r.Files, r.Samples = 1, s.Rows
	files := []string{name}
	if path.Ext(name) == discover.DatabaseExtension {
		files = append(files, name+"-wal")
	}
	r.LastWrite, r.Size = w.stat(root, files)
	return r
}

func stepOf(file string) (int64, bool) {
	if step, ok := decode.StepFromNumberedFile(file); ok {
		return step, true
	}
	return decode.StepFromWord(strings.ToLower(path.Base(file)))
}

// stepRange returns the steps of files or directories that are named for them, in natural order.
func stepRange(names []string) (first, last int64, ok bool) {
	for _, name := range names {
		step, is := stepOf(name)
		if !is {
			return 0, 0, false
		}
		if !ok {
			first, last, ok = step, step, true
		}
		first, last = min(first, step), max(last, step)
	}
	return first, last, ok
}

// stat returns when the newest of some files was written, and the size of all; 0 if there are too
// many to look at.
func (w *walker) stat(root *os.Root, files []string) (written time.Time, size int64) {
	few := len(files) <= maxStat
	if !few {
		files = files[len(files)-statNewest:]
	}
	for _, f := range files {
		if w.stopped() {
			return written, 0
		}
		if info, err := root.Lstat(filepath.FromSlash(f)); err == nil {
			size += info.Size()
			if info.ModTime().After(written) {
				written = info.ModTime()
			}
		}
	}
	if !few {
		size = 0
	}
	return written, size
}

// newRun returns a run of the path, which is relative to root.
func (w *walker) newRun(root *os.Root, name, format string) runlist.Run {
	full := filepath.Join(root.Name(), filepath.FromSlash(name))
	r := runlist.Run{ID: full, Format: format}
	r.Name, r.Elsewhere = w.shownName(full)
	r.Paths = []string{r.Name}
	if r.Elsewhere || r.Name == "-" { // which would be standard input
		r.Paths = []string{full}
	}
	return r
}

// shownName returns a path as a person reads it, and whether it is elsewhere than below w.here.
func (w *walker) shownName(full string) (name string, elsewhere bool) {
	if rel, err := filepath.Rel(w.here, full); err == nil && filepath.IsLocal(rel) {
		return rel, false
	}
	if rel, err := filepath.Rel(w.home, full); w.home != "" && err == nil && filepath.IsLocal(rel) {
		return filepath.Join("~", rel), true
	}
	return full, true
}

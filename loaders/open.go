package loaders

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vantage/loaders/compressed"
	"vantage/loaders/decode"
	"vantage/loaders/discover"
	"vantage/loaders/fileio"
	"vantage/loaders/formats"
	"vantage/loaders/framing"
	"vantage/loaders/trackio"
	"vantage/model"
)

// fileSet is which files there are: it finds them, notices what becomes of them, and tells the attempts of a run apart.
type fileSet struct {
	options *Options
	reading *reading
	chunks  *chunkQueue

	formats     []formats.Format
	manyPaths   bool             // more than one was opened, so file names include them
	first       *location        // of the paths that were opened; nil before
	names       []string         // of the files
	byPath      map[string]*file // files of storages, by [fileio.File.Key]
	directories []*directory
	storages    []fileio.Storage // elsewhere than on this machine
	table       Table            // that is read instead of files; nil: these are
	awaited     []location       // where nothing is yet, or no storage was asked yet
	rewards     rewardFunctions
	gone        []*file // files that are not in their directory any more
	attempts    runAttempts
}

// open opens what a path leads to. What is elsewhere than on this machine is opened in Next: a person sees a screen before a server
// answers.
func (s *fileSet) open(path string) error {
	if path == "-" {
		s.addStream("stdin", func() (io.Reader, error) { return s.options.Stdin, nil })
		return nil
	}
	where, err := s.locate(path)
	switch {
	case err != nil:
		return err
	case where.table != nil:
		s.table = where.table
		return nil
	case !fileio.IsHere(where.storage):
		s.awaited = append(s.awaited, where)
		return nil
	}
	return s.openNow(where)
}

// openNow opens the file, directory or pipe at a location. While following, one that may be there later is awaited: its storage does not
// answer, or a person said to wait.
func (s *fileSet) openNow(where location) error {
	path := where.shown
	info, err := where.storage.Stat(where.path)
	if err == nil && s.first == nil {
		s.first = &where
	}
	switch {
	case s.options.Follow && errors.Is(err, fs.ErrNotExist):
		if !s.options.Wait {
			return &Error{Path: path, What: "does not exist", Do: "check the path, or wait for the run to create it with --wait", Err: err}
		}
		where.missing = true
		s.awaited = append(s.awaited, where)
		return nil
	case err != nil:
		err = PathError(path, err)
	case info.IsDir():
		err = s.openDirectory(where)
	case info.Mode().IsRegular():
		err = s.openFile(where)
	case info.Mode()&(fs.ModeNamedPipe|fs.ModeCharDevice) != 0 && fileio.IsHere(where.storage):
		s.addStream(path, func() (io.Reader, error) { return os.Open(path) }) //nolint:forbidigo // a pipe may wait for its writer
	default:
		err = &Error{Path: path, What: "is neither a file nor a directory", Do: "give the log itself"}
	}
	if s.options.Follow && fileio.IsLost(err) {
		s.awaited = append(s.awaited, where)
		return nil
	}
	return err
}

// openAwaited opens the paths of storages, and those that were waited for and exist now, when it is time to poll.
func (s *fileSet) openAwaited(now time.Time) error {
	if len(s.awaited) == 0 || now.Before(s.reading.schedule.nextPoll) {
		return nil
	}
	awaited := s.awaited
	s.awaited = nil
	for _, where := range awaited {
		if where.missing && fileio.IsHere(where.storage) { // what is there now may be a database
			var err error
			if where, err = s.locate(where.shown); err != nil {
				return err
			}
		}
		if err := s.openNow(where); err != nil {
			return err
		}
	}
	if len(s.awaited) < len(awaited) {
		s.reading.schedule.lastNews = now
	}
	return nil
}

// Error says what is wrong with a path, and what to do about it.
type Error struct {
	Path string
	What string // "does not exist"
	Do   string // "check the path"
	Err  error  // the cause, if there is one
}

// Error returns what, where and what to do in one sentence.
func (e *Error) Error() string { return e.Path + " " + e.What + ": " + e.Do }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// PathError says why what a path leads to cannot be opened, and what to do.
func PathError(path string, err error) error {
	var failure *fileio.Failure
	switch {
	case errors.As(err, &failure):
		return &Error{Path: path, What: failure.What, Do: failure.Do, Err: err}
	case errors.Is(err, fs.ErrNotExist):
		return &Error{Path: path, What: "does not exist", Do: "check the path, or start the run first", Err: err}
	case errors.Is(err, fs.ErrPermission):
		return &Error{Path: path, What: "may not be read", Do: "ask its owner for read permission", Err: err}
	default:
		return &Error{Path: path, What: "cannot be read", Do: reasonOf(err), Err: err}
	}
}

func (s *fileSet) openFile(where location) error {
	path := where.shown
	d := fileio.File{Storage: where.storage, Path: where.path, Fault: s.options.faults}
	var h fileio.Handle
	var info fs.FileInfo
	err := patiently(func() (err error) {
		h, info, err = d.Open()
		return err
	}, d.IsHere()) // others have waited already
	if err != nil {
		return PathError(path, err)
	}
	defer func() { _ = h.Close() }()
	if info.Size() == 0 && !s.options.Follow {
		return &Error{Path: path, What: "is empty", Do: "wait for the first step, or follow it while it grows"}
	}
	first := make([]byte, 512)
	n, _ := h.ReadAt(first, 0)
	first = first[:n]
	if what, do := whyMetrics(first, h); what != "" {
		return &Error{Path: path, What: what, Do: do}
	}
	allZero := len(bytes.Trim(first, "\x00")) == 0 // which NFS may show first
	if what, do := whyUnreadable(first); what != "" && compressed.Sniff(first) == compressed.None && (!s.options.Follow || !allZero) {
		return &Error{Path: path, What: what, Do: do}
	}
	name := filepath.Base(path)
	if s.manyPaths {
		name = path
	}
	s.addFile(d, name)
	if d.IsHere() {
		s.reading.schedule.watcher.add(path)
	}
	return nil
}

func (s *fileSet) openDirectory(where location) error {
	path, prefix := where.shown, ""
	if s.manyPaths {
		prefix = path
	}
	d := &directory{shown: path, Directory: discover.Directory{Storage: where.storage, Path: where.path, Prefix: prefix}}
	if disk, here := d.onDisk(); here {
		d.identity, _ = identify(disk, path) // if that fails, so does the listing
	}
	l, err := discover.List(d.Storage, d.Path, s.options.MaxFiles)
	if err != nil {
		return PathError(path, err)
	}
	if opened, err := s.openProject(d, l); opened || err != nil {
		return err
	}
	if len(l.Files) == 0 && !s.options.Follow {
		return &Error{Path: path, What: "holds no logs", Do: directoryHint(d, l)}
	}
	s.directories = append(s.directories, d)
	s.addListed(d, l)
	if s.options.Split == discover.SplitVal && len(s.reading.queue) == 0 && !s.options.Follow {
		do := "--split train reads those of training: " + discover.Summarize(l.Files)
		return &Error{Path: path, What: "holds no logs of validation", Do: do}
	}
	// Where files are named for their steps, a person who follows sees the newest step first, and earlier ones are filled in.
	if last := len(s.reading.queue) - 1; s.options.Follow && last > 0 {
		newest := s.reading.queue[last]
		if _, ok := decode.StepFromNumberedFile(newest.name); ok && framing.Extension(newest.name) == ".jsonl" {
			s.reading.queue = slices.Insert(s.reading.queue[:last], 0, newest)
		}
	}
	return nil
}

// openProject opens the database of trackio in a directory of this machine that has no logs, and reports whether there is one. In
// trackio's folder lie the databases of all projects of a person: of several none is opened.
func (s *fileSet) openProject(d *directory, l *discover.Listing) (opened bool, err error) {
	disk, here := d.onDisk()
	if !here || len(l.Files) > 0 {
		return false, nil
	}
	var projects []string
	for _, name := range l.Databases {
		if path := filepath.Join(d.shown, name); trackio.IsProject(disk, path) {
			projects = append(projects, path)
		}
	}
	switch n := len(projects); n {
	case 0:
		return false, nil
	case 1:
		where, err := s.locate(projects[0])
		if err != nil || fileio.IsHere(where.storage) {
			return false, err // it was removed meanwhile
		}
		return true, s.openNow(where)
	default:
		do := "give one of them: " + strings.Join(projects[:min(n, maxNamed)], ", ")
		if n > maxNamed {
			do += fmt.Sprintf(" and %d more", n-maxNamed)
		}
		return false, &Error{Path: d.shown, What: fmt.Sprintf("holds %d databases of trackio, each of another project", n), Do: do}
	}
}

const maxNamed = 8

// addFile adds a file, unless it is known.
func (s *fileSet) addFile(d fileio.File, name string) *file {
	if f := s.byPath[d.Key()]; f != nil {
		return f
	}
	f := &file{
		fileReader: newFileReader(int32(len(s.reading.files)), name, s.formats, s.chunks),
		disk:       &fileio.File{Storage: d.Storage, Root: d.Root, Path: d.Path, Fault: s.options.faults},
	}
	f.path = filepath.Join(d.Root, d.Path)
	s.byPath[d.Key()] = f
	s.register(f)
	return f
}

func (s *fileSet) addStream(name string, open func() (io.Reader, error)) {
	f := &file{fileReader: newFileReader(int32(len(s.reading.files)), name, s.formats, s.chunks), stream: newStream(open)}
	s.reading.streams++
	s.register(f)
}

func (s *fileSet) register(f *file) {
	s.chunks.runs.addFile(f.name, s.reading.newest.file)
	s.reading.files = append(s.reading.files, f)
	s.names = append(s.names, f.name)
	s.reading.newest.addName(f)
	s.reading.enqueue(f)
}

// enqueue adds a file to the queue, once.
func (r *reading) enqueue(f *file) {
	if f.disk != nil {
		if f.queued {
			return
		}
		f.queued = true
	}
	r.queue = append(r.queue, f)
}

// maxWillRead is how many of the files that are read next a storage is told of.
const maxWillRead = 64

// tellWhatIsNext tells the storage of the first file in the queue which files are read next, so that it fetches them
// together.
func (r *reading) tellWhatIsNext() {
	if len(r.queue) < 2 || r.queue[0].disk == nil || r.queue[0].disk.IsHere() {
		return
	}
	storage := r.queue[0].disk.Storage
	var names []string
	for _, f := range r.queue[:min(len(r.queue), maxWillRead)] {
		if f.disk != nil && f.disk.Storage == storage {
			names = append(names, f.disk.FullPath())
		}
	}
	storage.WillRead(names)
}

// addProgress says how many files there are, and which storages and paths are waited for.
func (s *fileSet) addProgress(p *model.Progress) {
	p.Files = len(s.byPath) + s.reading.streams
	p.Polling = s.options.Follow && (len(s.storages) > 0 || s.reading.schedule.watcher.needsPolling())
	for _, where := range s.awaited {
		if where.missing {
			p.Awaited = cmp.Or(p.Awaited, where.shown)
		} else {
			p.CaughtUp = false // its storage has not answered
		}
	}
	for i, storage := range s.storages { // of several the first that does not answer
		if link := storage.Link(); i == 0 || p.Link.State == model.LinkUp && link.State != model.LinkUp {
			p.Link = link
		}
	}
}

func (s *fileSet) closeOrigins() {
	for _, storage := range s.storages {
		_ = storage.Close()
	}
	if s.table != nil {
		_ = s.table.Close()
	}
}

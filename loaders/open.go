package loaders

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"vantage/loaders/compressed"
	"vantage/loaders/decode"
	"vantage/loaders/discover"
	"vantage/loaders/fileio"
	"vantage/loaders/framing"
)

// openPath opens a path that a person gave.
func (s *Source) openPath(path string) error {
	if path == "-" {
		in := s.options.Stdin
		if in == nil {
			in = os.Stdin
		}
		s.addStream("stdin", func() (io.Reader, error) { return in, nil })
		return nil
	}
	at, err := s.placeOf(path)
	if err != nil {
		return err
	}
	if at.storage != nil {
		s.awaited = append(s.awaited, at) // asked for in Next: a person sees a screen before a server answers
		return nil
	}
	return s.openPlace(at)
}

// openPlace opens what is at a place now.
func (s *Source) openPlace(at place) error {
	path := at.shown
	info, err := at.stat()
	switch {
	case s.options.Follow && errors.Is(err, fs.ErrNotExist):
		if at.missing = true; s.options.Wait {
			s.awaited = append(s.awaited, at)
			return nil
		}
		return &Error{Path: path, What: "does not exist", Do: "check the path, or wait for the run to create it with --wait", Err: err}
	case s.options.Follow && fileio.IsLost(err):
		s.awaited = append(s.awaited, at)
		return nil
	case err != nil:
		return pathError(path, err)
	case info.IsDir():
		return s.openDir(at)
	case info.Mode().IsRegular():
		return s.openFile(at)
	case info.Mode()&(fs.ModeNamedPipe|fs.ModeCharDevice) != 0 && at.storage == nil:
		s.addStream(path, openNamedPipe(path))
		return nil
	default:
		return &Error{Path: path, What: "is neither a file nor a directory", Do: "give the log itself"}
	}
}

// openAwaited opens the paths of storages, and those that were waited for and exist now, when it is time to poll.
func (s *Source) openAwaited(now time.Time) error {
	if len(s.awaited) == 0 || now.Before(s.schedule.nextPoll) {
		return nil
	}
	places := s.awaited
	s.awaited = nil
	for _, at := range places {
		if at.missing && at.storage == nil { // what is there now may be a database
			var err error
			if at, err = s.placeOf(at.shown); err != nil {
				return err
			}
		}
		if err := s.openPlace(at); err != nil {
			return err
		}
	}
	if len(s.awaited) < len(places) {
		s.schedule.lastNews = now
	}
	return nil
}

// pathError says what is wrong with a path and what to do.
func pathError(path string, err error) error {
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

func (s *Source) openFile(at place) error {
	path := at.shown
	d := fileio.File{Storage: at.storage, Path: at.path, Fault: s.options.faults}
	h, info, err := openPatiently(&d)
	if s.options.Follow && fileio.IsLost(err) {
		s.awaited = append(s.awaited, at)
		return nil
	}
	if err != nil {
		return pathError(path, err)
	}
	defer func() { _ = h.Close() }()
	if info.Size() == 0 && !s.options.Follow {
		return &Error{Path: path, What: "is empty", Do: "wait for the first step, or follow it while it grows"}
	}
	first := make([]byte, 512)
	n, _ := h.ReadAt(first, 0)
	if what, do := whyMetrics(first[:n], h); what != "" {
		return &Error{Path: path, What: what, Do: do}
	}
	if what, do := whyUnreadable(first[:n]); what != "" && compressed.Sniff(first[:n]) == compressed.None && (!s.options.Follow || !allZero(first[:n])) {
		return &Error{Path: path, What: what, Do: do}
	}
	name := filepath.Base(path)
	if s.manyPaths {
		name = path
	}
	if f := s.addFile(d, name); at.storage != nil {
		s.followSingle(f)
	}
	if s.schedule.watcher != nil && at.storage == nil {
		s.schedule.watcher.Add(path)
	}
	return nil
}

// openPatiently opens a file, and again if its filesystem fails for a moment. A storage has waited already.
func openPatiently(d *fileio.File) (fileio.Handle, fs.FileInfo, error) {
	h, info, err := d.Open()
	for n := 1; err != nil && isTransient(err) && d.Storage == nil && n < maxAttempts; n++ {
		time.Sleep(backOff(n))
		h, info, err = d.Open()
	}
	return h, info, err
}

func (s *Source) openDir(at place) error {
	path, prefix := at.shown, ""
	if s.manyPaths {
		prefix = path
	}
	d := &directory{storage: at.storage, shown: path, Directory: discover.Directory{Path: at.path, Prefix: prefix}}
	if at.storage == nil {
		d.identity, _ = identify(path) // if that fails, so does the listing
	}
	l, err := s.list(d)
	if s.options.Follow && fileio.IsLost(err) {
		s.awaited = append(s.awaited, at)
		return nil
	}
	if err != nil {
		return pathError(path, err)
	}
	if opened, err := s.openProject(d, l); opened || err != nil {
		return err
	}
	if len(l.Files) == 0 && !s.options.Follow {
		return &Error{Path: path, What: "holds no logs", Do: directoryHint(d, l)}
	}
	s.directories = append(s.directories, d)
	s.addListed(d, l)
	if s.options.Split == discover.SplitVal && len(s.queue) == 0 && !s.options.Follow {
		return &Error{Path: path, What: "holds no logs of validation", Do: "--split train reads those of training: " + discover.Summarize(l.Files)}
	}
	s.newestFirst()
	return nil
}

// newestFirst puts the newest step at the front of the queue when following, if files are named for
// their steps: a person sees it first, and earlier steps are filled in.
func (s *Source) newestFirst() {
	last := len(s.queue) - 1
	if !s.options.Follow || last < 1 {
		return
	}
	if _, ok := decode.StepFromNumberedFile(s.queue[last].name); ok && framing.Extension(s.queue[last].name) == ".jsonl" {
		s.queue = slices.Insert(s.queue[:last], 0, s.queue[last])
	}
}

// addFile adds the file at a place, unless it is known.
func (s *Source) addFile(at fileio.File, name string) *file {
	if f := s.byPath[at.Key()]; f != nil {
		return f
	}
	f := &file{
		fileReader: newFileReader(int32(len(s.files)), name, s.formats, s.chunks),
		disk:       &fileio.File{Storage: at.Storage, Root: at.Root, Path: at.Path, Fault: s.options.faults},
	}
	s.byPath[at.Key()] = f
	s.register(f)
	return f
}

func (s *Source) addStream(name string, open func() (io.Reader, error)) {
	f := &file{fileReader: newFileReader(int32(len(s.files)), name, s.formats, s.chunks), stream: newStream(open)}
	s.streams++
	s.register(f)
}

func (s *Source) register(f *file) {
	s.chunks.runs.addFile(f.name, s.newest.file)
	s.files = append(s.files, f)
	s.names = append(s.names, f.name)
	s.newest.addName(f)
	s.enqueue(f)
}

// enqueue adds a file to the queue, once.
func (s *Source) enqueue(f *file) {
	if f.disk != nil {
		if f.queued {
			return
		}
		f.queued = true
	}
	s.queue = append(s.queue, f)
}

package loaders

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"vantage/loaders/compressed"
	"vantage/loaders/decode"
	"vantage/loaders/discover"
	"vantage/loaders/fileio"
	"vantage/loaders/framing"
	"vantage/loaders/storage/bucket"
	"vantage/loaders/storage/cache"
	"vantage/loaders/storage/sftp"
	"vantage/loaders/trackio"
)

func (s *fileSet) openPath(path string) error {
	if path == "-" {
		s.addStream("stdin", func() (io.Reader, error) { return s.options.Stdin, nil })
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

// openPlace opens what is at a place now. While following, a storage that does not answer is asked again later.
func (s *fileSet) openPlace(at place) error {
	err := s.openNow(at)
	if s.options.Follow && fileio.IsLost(err) {
		s.awaited = append(s.awaited, at)
		return nil
	}
	return err
}

func (s *fileSet) openNow(at place) error {
	path := at.shown
	stat := s.options.Disk.Stat
	if at.storage != nil {
		stat = at.storage.Stat
	}
	info, err := stat(at.path)
	if err == nil && s.first == nil {
		s.first = &at
	}
	switch {
	case s.options.Follow && errors.Is(err, fs.ErrNotExist):
		if at.missing = true; s.options.Wait {
			s.awaited = append(s.awaited, at)
			return nil
		}
		return &Error{Path: path, What: "does not exist", Do: "check the path, or wait for the run to create it with --wait", Err: err}
	case err != nil:
		return pathError(path, err)
	case info.IsDir():
		return s.openDir(at)
	case info.Mode().IsRegular():
		return s.openFile(at)
	case info.Mode()&(fs.ModeNamedPipe|fs.ModeCharDevice) != 0 && at.storage == nil:
		s.addStream(path, func() (io.Reader, error) { return os.Open(path) }) //nolint:forbidigo // a pipe may wait for its writer
		return nil
	}
	return &Error{Path: path, What: "is neither a file nor a directory", Do: "give the log itself"}
}

// openAwaited opens the paths of storages, and those that were waited for and exist now, when it is time to poll.
func (s *fileSet) openAwaited(now time.Time) error {
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

func (s *fileSet) openFile(at place) error {
	path := at.shown
	d := fileio.File{Storage: at.storage, Disk: s.options.Disk, Path: at.path, Fault: s.options.faults}
	var h fileio.Handle
	var info fs.FileInfo
	err := patiently(func() (err error) {
		h, info, err = d.Open()
		return err
	}, d.Storage == nil) // a storage has waited already
	if err != nil {
		return pathError(path, err)
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
	if at.storage == nil {
		s.schedule.watcher.add(path)
	}
	return nil
}

func (s *fileSet) openDir(at place) error {
	path, prefix := at.shown, ""
	if s.manyPaths {
		prefix = path
	}
	d := &directory{storage: at.storage, shown: path, Directory: discover.Directory{Disk: s.options.Disk, Path: at.path, Prefix: prefix}}
	if at.storage == nil {
		d.identity, _ = identify(s.options.Disk, path) // if that fails, so does the listing
	}
	l, err := discover.ListIn(d.Disk, d.storage, d.Path, s.options.MaxFiles)
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
	// Where files are named for their steps, a person who follows sees the newest step first, and earlier ones are filled in.
	if last := len(s.queue) - 1; s.options.Follow && last > 0 {
		newest := s.queue[last]
		if _, ok := decode.StepFromNumberedFile(newest.name); ok && framing.Extension(newest.name) == ".jsonl" {
			s.queue = slices.Insert(s.queue[:last], 0, newest)
		}
	}
	return nil
}

// openProject opens the database of trackio in a directory of this machine that has no logs, and reports whether there is one. In
// trackio's folder lie the databases of all projects of a person: of several none is opened.
func (s *fileSet) openProject(d *directory, l *discover.Listing) (opened bool, err error) {
	if d.storage != nil || len(l.Files) > 0 {
		return false, nil
	}
	var projects []string
	for _, name := range l.Databases {
		if path := filepath.Join(d.shown, name); trackio.IsProject(s.options.Disk, path) {
			projects = append(projects, path)
		}
	}
	switch n := len(projects); n {
	case 0:
		return false, nil
	case 1:
		at, err := s.placeOf(projects[0])
		if err != nil || at.storage == nil {
			return false, err // it was removed meanwhile
		}
		return true, s.openPlace(at)
	default:
		do := "give one of them: " + strings.Join(projects[:min(n, maxNamed)], ", ")
		if n > maxNamed {
			do += fmt.Sprintf(" and %d more", n-maxNamed)
		}
		return false, &Error{Path: d.shown, What: fmt.Sprintf("holds %d databases of trackio, each of another project", n), Do: do}
	}
}

const maxNamed = 8

// addFile adds the file at a place, unless it is known.
func (s *fileSet) addFile(at fileio.File, name string) *file {
	if f := s.byPath[at.Key()]; f != nil {
		return f
	}
	f := &file{
		fileReader: newFileReader(int32(len(s.files)), name, s.formats, s.chunks),
		disk:       &fileio.File{Storage: at.Storage, Disk: s.options.Disk, Root: at.Root, Path: at.Path, Fault: s.options.faults},
	}
	f.path = filepath.Join(at.Root, at.Path)
	s.byPath[at.Key()] = f
	s.register(f)
	return f
}

func (s *fileSet) addStream(name string, open func() (io.Reader, error)) {
	f := &file{fileReader: newFileReader(int32(len(s.files)), name, s.formats, s.chunks), stream: newStream(open)}
	s.streams++
	s.register(f)
}

func (s *fileSet) register(f *file) {
	s.chunks.runs.addFile(f.name, s.newest.file)
	s.files = append(s.files, f)
	s.names = append(s.names, f.name)
	s.newest.addName(f)
	s.enqueue(f)
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

// storagePoll is how often storages are asked for news: each time is a request over the network.
const storagePoll = time.Second

// storagePatience is how long a storage that does not answer any more is waited for where nothing is followed.
const storagePatience = 30 * time.Second

type place struct {
	shown   string         // the path as it was given
	storage fileio.Storage // nil for this machine
	path    string         // in the storage
	missing bool           // there was nothing when it was looked for
}

// placeOf returns the place of a path. It asks no storage. A file of this machine whose name looks like the path
// of a storage is that file.
func (s *fileSet) placeOf(path string) (place, error) {
	if at, inner := trackio.Open(s.options.Disk, path); at != nil {
		return s.placeIn(at, path, inner), nil
	}
	i := slices.IndexFunc(s.options.schemes, func(c scheme) bool { return c.names(path) })
	if i < 0 {
		return place{shown: path, path: path}, nil
	}
	if _, err := s.options.Disk.Lstat(path); err == nil {
		return place{shown: path, path: path}, nil
	}
	at, inner, err := s.options.schemes[i].open(path, s.options)
	if err != nil {
		return place{}, pathError(path, err)
	}
	return s.placeIn(at, path, inner), nil
}

// placeIn returns the place of a path in a storage, which is one with those of the same name.
func (s *fileSet) placeIn(at fileio.Storage, path, inner string) place {
	for _, other := range s.storages {
		if other.Name() == at.Name() {
			_ = at.Close()
			return place{shown: path, storage: other, path: inner}
		}
	}
	s.storages = append(s.storages, at)
	return place{shown: path, storage: at, path: inner}
}

// maxWillRead is how many of the files that are read next a storage is told of.
const maxWillRead = 64

// tellWhatIsNext tells the storage of the first file in the queue which files are read next, so that it fetches them
// together.
func (r *reading) tellWhatIsNext() {
	if len(r.queue) < 2 || r.queue[0].disk == nil || r.queue[0].disk.Storage == nil {
		return
	}
	at := r.queue[0].disk.Storage
	var names []string
	for _, f := range r.queue[:min(len(r.queue), maxWillRead)] {
		if f.disk != nil && f.disk.Storage == at {
			names = append(names, f.disk.Place())
		}
	}
	at.WillRead(names)
}

// Attempt says which attempt of a run is read: its number from 1, NewestAttempt or AllAttempts.
type Attempt int

// The attempts that have no number.
const (
	NewestAttempt Attempt = 0
	AllAttempts   Attempt = -1
)

// ParseAttempt returns the attempt of a flag: newest, all, or a number from 1.
func ParseAttempt(text string) (Attempt, error) {
	switch text {
	case "newest", "":
		return NewestAttempt, nil
	case "all":
		return AllAttempts, nil
	}
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("unknown attempt %q: choose newest, all, or a number from 1", text)
	}
	return Attempt(n), nil
}

// joinName returns the name of a file below a path that a person gave. Unlike [filepath.Join] it keeps the :// of a storage's path.
func joinName(prefix, rel string) string {
	scheme, rest := cutScheme(prefix)
	return scheme + filepath.Join(rest, rel)
}

// dirOfName returns the directory of a file's name. Unlike [filepath.Dir] it keeps the :// of a storage's path.
func dirOfName(name string) string {
	scheme, rest := cutScheme(name)
	return scheme + filepath.Dir(rest)
}

// cutScheme cuts off "s3://", "" if the name has no such start.
func cutScheme(name string) (scheme, rest string) {
	const end = "://"
	if at := strings.Index(name, end); at > 0 && !strings.ContainsAny(name[:at], `/\.`) {
		return name[:at+len(end)], name[at+len(end):]
	}
	return "", name
}

// StorageOptions say how storages are reached.
type StorageOptions struct {
	Endpoint   string // of S3, where it is not the usual one; "" means what the environment says
	CacheDir   string // where bytes that were read are kept; "" means nowhere
	CacheBytes int64  // how much at most

	// Patience is how long a call waits for a connection that is lost to be there again; 0 if it does not, since the
	// caller asks again by itself, as when following.
	Patience time.Duration
	// Terminal says that nothing is drawn on the terminal, so that a program may ask there for a password.
	Terminal bool
}

// scheme is a way in which a path names a storage.
type scheme struct {
	// names reports whether a path names such a storage, by its looks: a file of this machine may have such a name.
	names func(path string) bool
	// open returns the storage and the path in it. It does not connect: an error says that the path is wrong.
	open func(path string, o Options) (fileio.Storage, string, error)
}

func allSchemes() []scheme {
	begins := func(scheme string) func(path string) bool {
		return func(path string) bool { return strings.HasPrefix(path, scheme+"://") }
	}
	cached := func(s fileio.Storage, inner string, err error, disk *cache.Disk) (fileio.Storage, string, error) {
		if err != nil {
			return nil, "", err
		}
		return cache.Wrap(s, disk), inner, nil
	}
	openBucket := func(path string, o Options) (fileio.Storage, string, error) {
		s, inner, err := bucket.Open(o.Disk, path, o.Storage.Endpoint, o.Storage.Patience)
		return cached(s, inner, err, cache.NewDisk(o.Storage.CacheDir, o.Storage.CacheBytes))
	}
	openHub := func(path string, o Options) (fileio.Storage, string, error) {
		s, inner, err := bucket.OpenHub(o.Disk, path)
		return cached(s, inner, err, cache.NewDisk(o.Storage.CacheDir, o.Storage.CacheBytes))
	}
	openSFTP := func(path string, o Options) (fileio.Storage, string, error) {
		s, inner, err := sftp.Open(path, o.Storage.Patience, o.Storage.Terminal)
		return cached(s, inner, err, nil)
	}
	return []scheme{{begins("s3"), openBucket}, {begins("hf"), openHub}, {begins("gs"), openBucket}, {sftp.Names, openSFTP}}
}

// IsElsewhere reports whether a path that a person gave is not of this machine: it is an address, or looks like a path of a
// storage and no file here has its name. Such a path is kept as it is, and asked for only to read it.
func IsElsewhere(path string) bool {
	if strings.Contains(path, "://") {
		return true
	}
	if !slices.ContainsFunc(allSchemes(), func(s scheme) bool { return s.names(path) }) {
		return false
	}
	_, err := (*fileio.Disk)(nil).Lstat(path)
	return err != nil
}

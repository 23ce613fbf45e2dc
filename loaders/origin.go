package loaders

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vantage/loaders/fileio"
	"vantage/loaders/storage/bucket"
	"vantage/loaders/storage/cache"
	"vantage/loaders/storage/sftp"
	"vantage/loaders/trackio"
	"vantage/model"
)

// A path leads to an origin: to a storage, which has files, or to a table, which has rows.

// location is where a path leads.
type location struct {
	shown   string         // the path as it was given
	storage fileio.Storage // nil for a table
	path    string         // in the storage
	table   Table          // nil for what lies in a storage
	missing bool           // there was nothing when it was looked for
}

// locate returns where a path leads. It asks nobody but this machine. A file of this machine whose name looks like the path of another
// origin is that file.
func (s *fileSet) locate(path string) (location, error) {
	disk := s.options.Disk
	if database, inner := trackio.Open(disk, path); database != nil {
		return location{shown: path, storage: s.share(database), path: inner}, nil
	}
	i := slices.IndexFunc(s.options.schemes, func(c Scheme) bool { return c.Names(path) })
	if i < 0 {
		return location{shown: path, storage: disk, path: path}, nil
	}
	if _, err := disk.Lstat(path); err == nil {
		return location{shown: path, storage: disk, path: path}, nil
	}
	origin, inner, err := s.options.schemes[i].Open(path, s.options)
	if err != nil {
		return location{}, err
	}
	if table, ok := origin.(Table); ok {
		return location{shown: path, table: table}, nil
	}
	return location{shown: path, storage: s.share(origin.(fileio.Storage)), path: inner}, nil
}

// share returns the storage of the same name that another path has opened, or else this one.
func (s *fileSet) share(storage fileio.Storage) fileio.Storage {
	for _, other := range s.storages {
		if other.Name() == storage.Name() {
			_ = storage.Close()
			return other
		}
	}
	s.storages = append(s.storages, storage)
	return storage
}

// Table is an origin that has the rows of a log rather than its files, and divides them into chunks itself. Its methods are those of
// a [Source] of the same names.
type Table interface {
	fileio.Origin
	Next(context.Context) (*model.Chunk, error)
	Text(context.Context, model.Place) (model.Text, error)
	Texts(ctx context.Context, places []model.Place, mayHold func(record []byte) bool, visit func(i int, t model.Text, err error)) error
	Lines(context.Context, []model.Place) ([]int64, error)
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
	scheme, rest, found := strings.Cut(name, end)
	if found && scheme != "" && !strings.ContainsAny(scheme, `/\.`) {
		return scheme + end, rest
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

// Scheme is a way in which a path names an origin.
type Scheme struct {
	// Names reports whether a path names such an origin, by its looks: a file of this machine may have such a name.
	Names func(path string) bool
	// Open returns the origin, which is a [fileio.Storage] or a [Table], and the path in it. It does not connect: an error says that the
	// path is wrong.
	Open func(path string, o *Options) (fileio.Origin, string, error)
}

// storageSchemes are those of storages.
func storageSchemes() []Scheme {
	begins := func(scheme string) func(path string) bool {
		return func(path string) bool { return strings.HasPrefix(path, scheme+"://") }
	}
	return []Scheme{
		{Names: begins("s3"), Open: openBucket},
		{Names: begins("hf"), Open: openHub},
		{Names: begins("gs"), Open: openBucket},
		{Names: sftp.Names, Open: openSFTP},
	}
}

func openBucket(path string, o *Options) (fileio.Origin, string, error) {
	s, inner, err := bucket.Open(o.Disk, path, o.Storage.Endpoint, o.Storage.Patience)
	if err != nil {
		return nil, "", PathError(path, err)
	}
	return cache.Wrap(s, cache.NewDisk(o.Storage.CacheDir, o.Storage.CacheBytes)), inner, nil
}

func openHub(path string, o *Options) (fileio.Origin, string, error) {
	s, inner, err := bucket.OpenHub(o.Disk, path)
	if err != nil {
		return nil, "", PathError(path, err)
	}
	return cache.Wrap(s, cache.NewDisk(o.Storage.CacheDir, o.Storage.CacheBytes)), inner, nil
}

func openSFTP(path string, o *Options) (fileio.Origin, string, error) {
	s, inner, err := sftp.Open(path, o.Storage.Patience, o.Storage.Terminal)
	if err != nil {
		return nil, "", PathError(path, err)
	}
	return cache.Wrap(s, nil), inner, nil
}

// IsElsewhere reports whether a path that a person gave is not of this machine: it is an address, or looks like a path of a
// storage and no file here has its name. Such a path is kept as it is, and asked for only to read it.
func IsElsewhere(path string) bool {
	if strings.Contains(path, "://") {
		return true
	}
	if !slices.ContainsFunc(storageSchemes(), func(s Scheme) bool { return s.Names(path) }) {
		return false
	}
	_, err := (*fileio.Disk)(nil).Lstat(path)
	return err != nil
}

// storagePoll is how often storages are asked for news: each time is a request over the network.
const storagePoll = time.Second

// storagePatience is how long a storage that does not answer any more is waited for where nothing is followed.
const storagePatience = 30 * time.Second

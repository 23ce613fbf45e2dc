package loaders

import (
	"slices"
	"strings"
	"time"

	"vantage/loaders/fileio"
	"vantage/loaders/storage/bucket"
	"vantage/loaders/storage/cache"
	"vantage/loaders/storage/sftp"
)

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
	open func(path string, o StorageOptions) (fileio.Storage, string, error)
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
	openBucket := func(path string, o StorageOptions) (fileio.Storage, string, error) {
		s, inner, err := bucket.Open(path, o.Endpoint, o.Patience)
		return cached(s, inner, err, cache.NewDisk(o.CacheDir, o.CacheBytes))
	}
	openHub := func(path string, o StorageOptions) (fileio.Storage, string, error) {
		s, inner, err := bucket.OpenHub(path)
		return cached(s, inner, err, cache.NewDisk(o.CacheDir, o.CacheBytes))
	}
	openSFTP := func(path string, o StorageOptions) (fileio.Storage, string, error) {
		s, inner, err := sftp.Open(path, o.Patience, o.Terminal)
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

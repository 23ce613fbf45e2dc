// Package storage finds the storage that a path names: of another node, or of a bucket.
//
// In: a path as a person writes it. Out: a [fileio.Storage] and the path in it. Source calls it; each way of naming a
// storage is a [Scheme] in a list.
package storage

import (
	"cmp"
	"os"
	"slices"
	"strings"
	"time"

	"vantage/loaders/fileio"
	"vantage/loaders/storage/bucket"
	"vantage/loaders/storage/cache"
	"vantage/loaders/storage/sftp"
)

// Options say how storages are reached.
type Options struct {
	Endpoint   string // of S3, where it is not the usual one; "" means what the environment says
	CacheDir   string // where bytes that were read are kept; "" means nowhere
	CacheBytes int64  // how much at most; 0 means 1 GB

	// Patience is how long a call waits for a connection that is lost to be there again; 0 if it does not, since the
	// caller asks again by itself, as when following.
	Patience time.Duration
	// Terminal says that nothing is drawn on the terminal, so that a program may ask there for a password.
	Terminal bool
}

// Scheme is a way in which a path names a storage.
type Scheme struct {
	Name  string // "ssh"
	Paths string // for the help: "host:path or ssh://user@host:port/path"

	// Names reports whether a path names such a storage.
	Names func(path string) bool
	// Open returns the storage and the path in it. It does not connect: an error says that the path is wrong.
	Open func(path string, o Options) (fileio.Storage, string, error)
}

// Names reports whether a path names a storage, by its looks: a file of this machine may have such a name.
func Names(path string) bool {
	return slices.ContainsFunc(Schemes(), func(s Scheme) bool { return s.Names(path) })
}

// IsElsewhere reports whether a path that a person gave is not of this machine: it is an address, or looks like a path of a
// storage and no file here has its name. Such a path is kept as it is, and asked for only to read it.
func IsElsewhere(path string) bool {
	if strings.Contains(path, "://") {
		return true
	}
	if !Names(path) {
		return false
	}
	_, err := os.Lstat(path)
	return err != nil
}

// hasScheme returns whether paths begin with a scheme.
func hasScheme(name string) func(path string) bool {
	return func(path string) bool { return strings.HasPrefix(path, name+"://") }
}

// Schemes returns all ways in which a path names a storage.
func Schemes() []Scheme {
	openBucket := func(path string, o Options) (fileio.Storage, string, error) {
		return o.cached(bucket.Open(path, o.Endpoint, o.Patience))
	}
	openHub := func(path string, o Options) (fileio.Storage, string, error) { return o.cached(bucket.OpenHub(path)) }
	openSFTP := func(path string, o Options) (fileio.Storage, string, error) {
		return sftp.Open(path, o.Patience, o.Terminal)
	}
	return []Scheme{
		{Name: "s3", Paths: "s3://BUCKET/PREFIX", Names: hasScheme("s3"), Open: openBucket},
		{Name: "hf", Paths: "hf://datasets/USER/NAME/PATH or hf://buckets/USER/NAME/PATH", Names: hasScheme("hf"), Open: openHub},
		{Name: "gs", Paths: "gs://BUCKET/PREFIX", Names: hasScheme("gs"), Open: openBucket},
		{Name: "ssh", Paths: "host:path or ssh://user@host:port/path", Names: sftp.Names, Open: openSFTP},
	}
}

// cached returns a storage whose bytes are kept, in memory and in the directory of the cache, and the path in it.
func (o Options) cached(s fileio.Storage, inner string, err error) (fileio.Storage, string, error) {
	if err != nil {
		return nil, "", err
	}
	return cache.Wrap(s, cache.NewDisk(o.CacheDir, cmp.Or(o.CacheBytes, cache.DefaultBytes))), inner, nil
}

package loaders

import (
	"io/fs"
	"os"
	"slices"
	"time"

	"vantage/loaders/discover"
	"vantage/loaders/fileio"
	"vantage/loaders/storage"
	"vantage/loaders/trackio"
)

// storagePoll is how often storages are asked for news: each time is a request over the network.
const storagePoll = time.Second

// storagePatience is how long a storage that does not answer any more is waited for where nothing is followed.
const storagePatience = 30 * time.Second

// place is where a path leads that a person gave.
type place struct {
	shown   string         // the path as it was given
	storage fileio.Storage // nil for this machine
	path    string         // in the storage
	missing bool           // there was nothing when it was looked for
}

// placeOf returns the place of a path. It asks no storage. A file of this machine whose name looks like the path
// of a storage is that file.
func (s *Source) placeOf(path string) (place, error) {
	if at, inner := trackio.Open(path); at != nil {
		return s.placeIn(at, path, inner), nil
	}
	i := slices.IndexFunc(s.options.schemes, func(c storage.Scheme) bool { return c.Names(path) })
	if i < 0 {
		return place{shown: path, path: path}, nil
	}
	if _, err := os.Lstat(path); err == nil {
		return place{shown: path, path: path}, nil
	}
	at, inner, err := s.options.schemes[i].Open(path, s.options.Storage)
	if err != nil {
		return place{}, pathError(path, err)
	}
	return s.placeIn(at, path, inner), nil
}

// placeIn returns the place of a path in a storage, which is one with those of the same name.
func (s *Source) placeIn(at fileio.Storage, path, inner string) place {
	for _, other := range s.storages {
		if other.Name() == at.Name() {
			_ = at.Close()
			return place{shown: path, storage: other, path: inner}
		}
	}
	s.storages, s.schedule.storages = append(s.storages, at), true
	return place{shown: path, storage: at, path: inner}
}

// stat describes what is at the place.
func (p place) stat() (fs.FileInfo, error) {
	if p.storage != nil {
		return p.storage.Stat(p.path)
	}
	return os.Stat(p.path)
}

// list lists a directory.
func (s *Source) list(d *directory) (*discover.Listing, error) {
	if d.storage == nil {
		return discover.List(d.Path, s.options.MaxFiles)
	}
	tree, err := d.storage.Tree(d.Path)
	if err != nil {
		return nil, err
	}
	return discover.ListTree(tree, s.options.MaxFiles)
}

// maxWillRead is how many of the files that are read next a storage is told of.
const maxWillRead = 64

// tellWhatIsNext tells the storage of the first file in the queue which files are read next, so that it fetches them
// together.
func (s *Source) tellWhatIsNext() {
	if len(s.storages) == 0 || len(s.queue) < 2 || s.queue[0].disk == nil || s.queue[0].disk.Storage == nil {
		return
	}
	at := s.queue[0].disk.Storage
	var names []string
	for _, f := range s.queue[:min(len(s.queue), maxWillRead)] {
		if f.disk != nil && f.disk.Storage == at {
			names = append(names, f.disk.Place())
		}
	}
	at.WillRead(names)
}

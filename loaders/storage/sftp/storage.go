package sftp

import (
	"io/fs"
	"sync"
	"time"

	"vantage/loaders/fileio"
	"vantage/model"
)

// Storage is the files of another node.
type Storage struct {
	connection *connection
	files      *pool
	replaced   replacements
	longest    time.Duration // that a directory may take to be listed

	mu    sync.Mutex
	trees map[string]*tree // by the path of their top directory
	asked map[string]bool  // paths that Stat was asked for
}

// Open returns the storage that a path names, and the path in it. It does not connect. A call waits as long as patience for a
// connection that was lost; ssh may ask on the terminal if that is free.
func Open(path string, patience time.Duration, terminal bool) (*Storage, string, error) {
	t, inner, err := parse(path)
	if err != nil {
		return nil, "", err
	}
	c := &connection{target: t, patience: patience, terminal: terminal, silence: maxSilence, stop: make(chan struct{})}
	s := &Storage{connection: c, replaced: replacements{made: map[string]replacement{}}, longest: longestListing, trees: map[string]*tree{}, asked: map[string]bool{}}
	s.files = newPool(s)
	return s, inner, nil
}

// Name implements [fileio.Storage].
func (s *Storage) Name() string { return s.connection.target.name }

// Link implements [fileio.Storage].
func (s *Storage) Link() model.Link { return s.connection.link() }

// Close implements [fileio.Storage].
func (s *Storage) Close() error {
	s.connection.close()
	s.files.close()
	return nil
}

// Stat implements [fileio.Storage]. The first time it lists what it is asked for as well, in case it is a directory: that
// saves a round trip before the first rows.
func (s *Storage) Stat(name string) (fs.FileInfo, error) {
	s.mu.Lock()
	first := !s.asked[name]
	s.asked[name] = true
	s.mu.Unlock()
	if first {
		s.tree(name)
	}
	info, err := s.describe(name)
	if first && (err != nil || !info.Folder) {
		s.mu.Lock()
		delete(s.trees, name)
		s.mu.Unlock()
	}
	if err != nil {
		return nil, err
	}
	return info, nil
}

// describe asks for the description of a file or directory.
func (s *Storage) describe(name string) (o fileio.Object, err error) {
	err = s.connection.do(func(at *session) error {
		began := time.Now()
		alone := at.waiting.Load() == 1
		if o, err = at.describe(name); err == nil {
			s.connection.noteLatency(time.Since(began), alone)
		}
		return err
	})
	return s.replaced.apply(o), pathError("stat", name, err)
}

// describe asks in a session for the description of a file or directory.
func (s *session) describe(name string) (fileio.Object, error) {
	info, err := s.Stat(name)
	if err != nil {
		return fileio.Object{}, err
	}
	return object(name, info.Size(), info.ModTime(), info.Mode()), nil
}

// object describes a file or a directory.
func object(name string, size int64, modified time.Time, mode fs.FileMode) fileio.Object {
	o := fileio.Object{Path: name, Bytes: max(0, size), Modified: modified, Folder: mode.IsDir()}
	if !o.Folder {
		o.Special = mode.Type()
	}
	return o
}

// tree returns what is known of a directory and those below it. It begins to list them if nothing is.
func (s *Storage) tree(dir string) *tree {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.trees[dir]
	if t == nil {
		t = newTree(s, dir)
		s.trees[dir] = t
	}
	return t
}

// Tree implements [fileio.Storage].
func (s *Storage) Tree(dir string) (fs.FS, error) {
	t := s.tree(dir)
	if err := t.refresh(); err != nil {
		return nil, err
	}
	return t, nil
}

// listed returns the description of a file as its directory was listed last.
func (s *Storage) listed(name string) (fileio.Object, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.trees {
		if o, ok := t.listed(name); ok {
			return o, true
		}
	}
	return fileio.Object{}, false
}

// Open implements [fileio.Storage].
func (s *Storage) Open(name string) (fileio.Handle, error) { return s.files.open(name) }

// WillRead implements [fileio.Storage].
func (s *Storage) WillRead(names []string) { s.files.willRead(names) }

// list lists a directory that probably has so many entries.
func (s *Storage) list(dir string, expected int) (all []fileio.Object, err error) {
	err = s.connection.do(func(at *session) error {
		all, err = at.wire.readDir(dir, expected, s.longest)
		return err
	})
	for i := range all {
		all[i] = s.replaced.apply(all[i])
	}
	return all, pathError("list", dir, err)
}

package sftp

import (
	"io/fs"
	"os"
	"path"
	"sync"
	"time"

	"vantage/loaders/fileio"
	"vantage/model"
)

// Storage is the files of another node.
type Storage struct {
	connection *connection
	files      *pool
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
	s := &Storage{connection: c, longest: longestListing, trees: map[string]*tree{}, asked: map[string]bool{}}
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
		info, err := at.Stat(name)
		if err != nil {
			return err
		}
		s.connection.noteLatency(time.Since(began), alone)
		o = object(name, info)
		return nil
	})
	return o, pathError("stat", name, err)
}

// object describes a file or a directory that the node described.
func object(name string, info os.FileInfo) fileio.Object {
	o := fileio.Object{Path: name, Bytes: max(0, info.Size()), Modified: info.ModTime(), Folder: info.IsDir()}
	if !o.Folder {
		o.Special = info.Mode().Type()
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

// list lists a directory.
func (s *Storage) list(dir string) (all []fileio.Object, err error) {
	var tooLarge *fileio.Failure
	err = s.connection.do(func(at *session) error {
		var infos []os.FileInfo
		if infos, tooLarge, err = at.readDir(dir, s.longest); err != nil {
			return err
		}
		all = make([]fileio.Object, 0, len(infos))
		for _, info := range infos {
			if name := info.Name(); name != "." && name != ".." && name != "/" {
				all = append(all, object(path.Join(dir, name), info))
			}
		}
		return nil
	})
	if tooLarge != nil {
		return nil, tooLarge
	}
	return all, pathError("list", dir, err)
}

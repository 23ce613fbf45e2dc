package fileio

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"sort"
	"strings"
	"time"

	"vantage/model"
)

// Origin is where the samples of a log lie. It is a [Storage], which has files, or has rows, as a table.
type Origin interface {
	// Name is written before the paths, "node:" or "s3://", and tells origins apart. That of this machine is "".
	Name() string
	// Close ends the connection. Calls that wait return an error.
	Close() error
}

// Storage is where files lie: on this machine ([*Disk]), on another node, in a bucket. Its paths are separated by slashes, but for
// those of this machine. Its methods may be called from several goroutines; they connect when they are called first,
// and return when the storage is closed. A file or directory that is not there is [fs.ErrNotExist], one that may not be
// read [fs.ErrPermission]; other errors, but of this machine, are of type [*Failure].
type Storage interface {
	Origin
	// Stat describes a file or directory in an [Object].
	Stat(name string) (fs.FileInfo, error)
	// Tree returns the directories below dir as they are now: a file system in which directories can be read
	// ([fs.ReadDirFS]), whose entries are of type [Object]. What it asks the storage each time is bounded, at most
	// a request a second if nothing changes, so a change deep below may be seen some calls later. It is closed if it is an [io.Closer].
	Tree(dir string) (fs.FS, error)
	// Open opens a file. The handle may be read from several goroutines, and its Stat returns an [Object].
	Open(name string) (Handle, error)
	// WillRead says which files are opened and read next, whole, so that they can be fetched together.
	WillRead(names []string)
	// Link says how the connection is. It asks nobody, and does not wait.
	Link() model.Link
}

// IsHere reports whether the files of a storage are those of this machine.
func IsHere(s Storage) bool {
	_, here := s.(*Disk)
	return here
}

// Failure is an error of a storage that says what is wrong with the path, and what to do.
type Failure struct {
	What, Do string // "cannot be reached" and "start the VPN", as in a sentence: PATH What: Do
	Lost     bool   // the connection is lost: the same call may succeed later
	Replaced bool   // another file is there than was opened: what was read of it is void, and it can be opened again
	Err      error  // the cause, if there is one
}

// Error returns both in one sentence.
func (f *Failure) Error() string { return f.What + ": " + f.Do }

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }

// IsLost reports whether an error says that the connection to a storage is lost.
func IsLost(err error) bool {
	var f *Failure
	return errors.As(err, &f) && f.Lost
}

// IsReplaced reports whether an error says that a file was replaced while it was read.
func IsReplaced(err error) bool {
	var f *Failure
	return errors.As(err, &f) && f.Replaced
}

// Object describes a file or a directory of a storage.
type Object struct {
	Path     string // in the storage
	Bytes    int64
	Modified time.Time
	Folder   bool
	Special  fs.FileMode // the type of what is neither a file nor a directory, as fs.ModeSymlink; else 0
	Version  string      // changes whenever the content does, as an ETag; "" if the storage knows none
}

// Name implements [fs.FileInfo] and [fs.DirEntry].
func (o Object) Name() string { return path.Base(o.Path) }

// Size implements [fs.FileInfo].
func (o Object) Size() int64 { return o.Bytes }

// Mode implements [fs.FileInfo].
func (o Object) Mode() fs.FileMode {
	switch {
	case o.Folder:
		return fs.ModeDir | 0o555
	case o.Special != 0:
		return o.Special
	}
	return 0o444
}

// ModTime implements [fs.FileInfo].
func (o Object) ModTime() time.Time { return o.Modified }

// IsDir implements [fs.FileInfo] and [fs.DirEntry].
func (o Object) IsDir() bool { return o.Folder }

// Sys implements [fs.FileInfo].
func (o Object) Sys() any { return nil }

// Type implements [fs.DirEntry].
func (o Object) Type() fs.FileMode { return o.Mode().Type() }

// Info implements [fs.DirEntry].
func (o Object) Info() (fs.FileInfo, error) { return o, nil }

// Ranged is a file of a storage that is read by ranges and stays as it was described when it was opened, or one that is held in memory.
// It holds nothing that has to be closed. It implements [Handle].
type Ranged struct {
	*io.SectionReader
	Object Object
}

// NewRanged returns the handle of a file. Only ranges within the file are asked for.
func NewRanged(o Object, readAt func(p []byte, offset int64) (int, error)) Ranged {
	return Ranged{SectionReader: io.NewSectionReader(readerAt(readAt), 0, o.Bytes), Object: o}
}

// Stat returns the [Object] that was opened.
func (r Ranged) Stat() (os.FileInfo, error) { return r.Object, nil }

// Close implements [Handle].
func (Ranged) Close() error { return nil }

type readerAt func(p []byte, offset int64) (int, error)

func (f readerAt) ReadAt(p []byte, offset int64) (int, error) { return f(p, offset) }

// SameFile reports whether two descriptions are of the same file. Storages do not tell whether a file was replaced by
// another of the same path: of their files the path counts, and the bytes that were read tell the rest.
func SameFile(a, b os.FileInfo) bool {
	x, ok := a.(Object)
	if !ok {
		return os.SameFile(a, b)
	}
	y, ok := b.(Object)
	return ok && x.Path == y.Path
}

// WasUploaded reports whether a file lies in a store of objects, whose time is that of its upload: files of one run are
// uploaded together, in any order.
func WasUploaded(info os.FileInfo) bool {
	o, ok := info.(Object)
	return ok && o.Version != ""
}

// sameVersion reports whether two descriptions tell the same times of change, or the same versions.
func sameVersion(a, b os.FileInfo) bool {
	x, isObject := a.(Object)
	y, _ := b.(Object)
	if isObject && x.Version != y.Version {
		return false
	}
	return a.ModTime().Equal(b.ModTime()) && changeTime(a).Equal(changeTime(b))
}

// MaxTreeDepth is how many folders of an [ObjectTree] lie in each other: more than a search for logs looks at. Each of 200,000
// long keys could name hundreds.
const MaxTreeDepth = 12

// ObjectTree is the file system of a listing of objects without folders, as of a bucket: folders are the parts of their
// paths. It implements [fs.ReadDirFS].
type ObjectTree struct {
	folders map[string][]fs.DirEntry

	// Unnamed are the keys of the objects that no path can name: a part of their paths is empty or dotted, or they are no
	// text. They are in no folder.
	Unnamed []string
}

// NewObjectTree returns the tree of what lies below a prefix, "" or with a slash at its end, at most MaxTreeDepth folders deep.
func NewObjectTree(prefix string, objects []Object) *ObjectTree {
	t := &ObjectTree{folders: map[string][]fs.DirEntry{".": {}}}
	for _, o := range objects {
		name, below := strings.CutPrefix(o.Path, prefix)
		if !below || name == "" {
			continue
		}
		if !fs.ValidPath(name) || name == "." {
			t.Unnamed = append(t.Unnamed, o.Path)
			continue
		}
		dir := path.Dir(name)
		if parts := strings.SplitN(dir, "/", MaxTreeDepth+1); len(parts) > MaxTreeDepth {
			t.addFolder(prefix, path.Join(parts[:MaxTreeDepth]...)) // what lies deeper is not shown
			continue
		}
		t.addFolder(prefix, dir)
		t.folders[dir] = append(t.folders[dir], o)
	}
	for _, entries := range t.folders {
		sort.Slice(entries, func(i, k int) bool { return entries[i].Name() < entries[k].Name() })
	}
	return t
}

func (t *ObjectTree) addFolder(prefix, dir string) {
	if t.folders[dir] == nil {
		above := path.Dir(dir)
		t.folders[dir] = []fs.DirEntry{}
		t.addFolder(prefix, above)
		t.folders[above] = append(t.folders[above], Object{Path: path.Join(prefix, dir), Folder: true})
	}
}

// ReadDir implements [fs.ReadDirFS].
func (t *ObjectTree) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, ok := t.folders[name]
	if !ok {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
	}
	return entries, nil
}

// Open implements [fs.FS]: only directories are read here.
func (t *ObjectTree) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
}

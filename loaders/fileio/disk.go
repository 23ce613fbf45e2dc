package fileio

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"vantage/model"
	"vantage/model/fault"
)

// Disk makes the calls for files of this machine: it is their [Storage]. A call that waits for a disk cannot be called off: who must go on
// makes it in a goroutine that can be left ([Within]), and Disk tells for how long the oldest has had no answer. A nil Disk makes the
// calls and knows nothing of them. Its other methods are those of package os. They may be called from several goroutines.
type Disk struct {
	mu    sync.Mutex
	calls []*diskCall // under way, the oldest first
}

type diskCall struct {
	path  string
	since time.Time
}

// HomePatience is how long the files of the person's home directory are waited for, where a log can be shown without.
const HomePatience = 2 * time.Second

// Patience is how long a disk may take for a call before it counts as one that does not answer.
const Patience = 5 * time.Second

// During notes that calls about a path are under way until end is called.
func (d *Disk) During(path string) (end func()) {
	if d == nil {
		return func() {}
	}
	c := &diskCall{path: path, since: time.Now()}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls = append(d.calls, c)
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		i := slices.Index(d.calls, c)
		d.calls = slices.Delete(d.calls, i, i+1)
	}
}

// Waits returns how long the oldest call has had no answer, and what it is for; 0 if none is under way.
func (d *Disk) Waits() (path string, waits time.Duration) {
	if d == nil {
		return "", 0
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.calls) == 0 {
		return "", 0
	}
	return d.calls[0].path, time.Since(d.calls[0].since)
}

// Silent returns [Disk.Waits] if that is longer than [Patience], rounded down to a second; else 0.
func (d *Disk) Silent() (path string, waits time.Duration) {
	if path, waits = d.Waits(); waits < Patience {
		return "", 0
	}
	return path, waits.Truncate(time.Second)
}

// Stat is [os.Stat].
func (d *Disk) Stat(path string) (fs.FileInfo, error) {
	defer d.During(path)()
	return os.Stat(path)
}

// Lstat is [os.Lstat].
func (d *Disk) Lstat(path string) (fs.FileInfo, error) {
	defer d.During(path)()
	return os.Lstat(path)
}

// ReadDir is [os.ReadDir].
func (d *Disk) ReadDir(path string) ([]fs.DirEntry, error) {
	defer d.During(path)()
	return os.ReadDir(path)
}

// EvalSymlinks is [filepath.EvalSymlinks].
func (d *Disk) EvalSymlinks(path string) (string, error) {
	defer d.During(path)()
	return filepath.EvalSymlinks(path)
}

// ReadFile is [os.ReadFile].
func (d *Disk) ReadFile(path string) ([]byte, error) {
	defer d.During(path)()
	return os.ReadFile(path)
}

// MkdirAll is [os.MkdirAll].
func (d *Disk) MkdirAll(path string, mode fs.FileMode) error {
	defer d.During(path)()
	return os.MkdirAll(path, mode)
}

// Temporary makes a folder for a while; remove removes it with what is in it.
func (d *Disk) Temporary(prefix string) (path string, remove func(), err error) {
	defer d.During(os.TempDir())()
	path, err = os.MkdirTemp("", prefix)
	return path, func() { _ = os.RemoveAll(path) }, err
}

// OpenFile is [os.OpenFile].
func (d *Disk) OpenFile(path string, flags int, mode fs.FileMode) (*DiskFile, error) {
	return d.opened(path, func() (*os.File, error) { return os.OpenFile(path, flags, mode) })
}

// Open is [os.Open].
func (d *Disk) Open(path string) (Handle, error) {
	h, err := d.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err // not a nil DiskFile
	}
	return h, nil
}

// OpenRoot is [os.OpenRoot].
func (d *Disk) OpenRoot(path string) (*os.Root, error) {
	defer d.During(path)()
	return os.OpenRoot(path)
}

func (d *Disk) opened(path string, open func() (*os.File, error)) (*DiskFile, error) {
	defer d.During(path)()
	h, err := open()
	if err != nil {
		return nil, err
	}
	return &DiskFile{File: h, disk: d, path: path}, nil
}

// PartPrefix begins the name of a file that is not complete. One that is old was left by a program that was killed.
const PartPrefix = ".part-"

// Replace has a file be written beside path, and gives it that path once it is complete: there is the old file, or none, until then.
// Its mode is less what the process masks. Errors name no file that nobody asked for.
func (d *Disk) Replace(path string, mode fs.FileMode, write func(*DiskFile) error) error {
	folder := filepath.Dir(path)
	h, err := d.opened(path, func() (*os.File, error) {
		return os.OpenFile(filepath.Join(folder, fmt.Sprintf("%s%x", PartPrefix, rand.Uint64())), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	})
	var failed *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no folder %s: make it, or name another file", folder)
	case errors.As(err, &failed):
		return fmt.Errorf("no file can be made in %s: %w", folder, failed.Err)
	case err != nil:
		return err
	}
	err = write(h)
	defer d.During(path)()
	if err = errors.Join(err, h.Close()); err == nil {
		err = os.Rename(h.Name(), path)
	}
	if err != nil {
		_ = os.Remove(h.Name())
	}
	if errors.As(err, &failed) && failed.Path == h.Name() {
		failed.Path = path
	}
	return err
}

// Tree implements [Storage].
func (d *Disk) Tree(dir string) (fs.FS, error) {
	root, err := d.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return rootFS{FS: root.FS(), Closer: root, disk: d, path: root.Name()}, nil
}

// Name implements [Origin].
func (*Disk) Name() string { return "" }

// Close implements [Origin].
func (*Disk) Close() error { return nil }

// Link implements [Storage]: there is none to lose.
func (*Disk) Link() model.Link { return model.Link{} }

// WillRead implements [Storage].
func (*Disk) WillRead([]string) {}

type rootFS struct {
	fs.FS
	io.Closer
	disk *Disk
	path string
}

func (r rootFS) ReadDir(name string) ([]fs.DirEntry, error) {
	dir := filepath.Join(r.path, filepath.FromSlash(name))
	defer r.disk.During(dir)()
	entries, err := fs.ReadDir(r.FS, name)
	for i, e := range entries {
		entries[i] = diskEntry{DirEntry: e, disk: r.disk, dir: dir}
	}
	return entries, err
}

type diskEntry struct {
	fs.DirEntry
	disk *Disk
	dir  string
}

func (e diskEntry) Info() (fs.FileInfo, error) {
	defer e.disk.During(filepath.Join(e.dir, e.Name()))()
	return e.DirEntry.Info()
}

// DiskFile is a file of a disk. It implements [Handle].
type DiskFile struct {
	*os.File
	disk *Disk
	path string // that was asked for
}

func (f *DiskFile) Read(p []byte) (int, error) {
	defer f.disk.During(f.path)()
	return f.File.Read(p)
}

// ReadAt implements [io.ReaderAt].
func (f *DiskFile) ReadAt(p []byte, at int64) (int, error) {
	defer f.disk.During(f.path)()
	return f.File.ReadAt(p, at)
}

func (f *DiskFile) Write(p []byte) (int, error) {
	defer f.disk.During(f.path)()
	return f.File.Write(p)
}

// Stat implements [fs.File].
func (f *DiskFile) Stat() (fs.FileInfo, error) {
	defer f.disk.During(f.path)()
	return f.File.Stat()
}

// Within returns what f returns, or false if that takes longer: then f is left behind, and goes on for nothing. The files of the person's
// home are read so, which may hang while the log does not.
func Within[T any](limit time.Duration, f func() T) (got T, ok bool) {
	select {
	case done := <-fault.Later(f):
		return done.Get(), true
	case <-time.After(limit):
		return got, false
	}
}

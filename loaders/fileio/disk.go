package fileio

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// Disk makes the calls for files of this machine. A call that waits for a disk cannot be called off: who must go on makes it in a goroutine
// that can be left ([Within]), and Disk tells for how long the oldest has had no answer. A nil Disk makes the calls and knows nothing of
// them. Its methods are those of package os, and may be called from several goroutines.
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

// During notes that calls about a path are under way until end is called: of a directory that is listed in parts.
func (d *Disk) During(path string) (end func()) {
	c := d.begin(path)
	return func() { d.end(c) }
}

// begin notes that a call begins, until end is called with it.
func (d *Disk) begin(path string) *diskCall {
	if d == nil {
		return nil
	}
	c := &diskCall{path, time.Now()}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls = append(d.calls, c)
	return c
}

func (d *Disk) end(c *diskCall) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.Index(d.calls, c)
	d.calls = slices.Delete(d.calls, i, i+1)
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
	defer d.end(d.begin(path))
	return os.Stat(path)
}

// Lstat is [os.Lstat].
func (d *Disk) Lstat(path string) (fs.FileInfo, error) {
	defer d.end(d.begin(path))
	return os.Lstat(path)
}

// ReadDir is [os.ReadDir].
func (d *Disk) ReadDir(path string) ([]fs.DirEntry, error) {
	defer d.end(d.begin(path))
	return os.ReadDir(path)
}

// EvalSymlinks is [filepath.EvalSymlinks].
func (d *Disk) EvalSymlinks(path string) (string, error) {
	defer d.end(d.begin(path))
	return filepath.EvalSymlinks(path)
}

// Open is [os.Open].
func (d *Disk) Open(path string) (Handle, error) {
	return d.opened(path, func() (*os.File, error) { return os.Open(path) })
}

// OpenRoot is [os.OpenRoot].
func (d *Disk) OpenRoot(path string) (*os.Root, error) {
	defer d.end(d.begin(path))
	return os.OpenRoot(path)
}

func (d *Disk) opened(path string, open func() (*os.File, error)) (Handle, error) {
	defer d.end(d.begin(path))
	h, err := open()
	switch {
	case err != nil:
		return nil, err
	case d == nil:
		return h, nil
	}
	return &diskFile{h, d}, nil
}

// FS returns a directory as a file system whose directories can be read.
func (d *Disk) FS(root *os.Root) fs.FS { return rootFS{root.FS(), d, root.Name()} }

type rootFS struct {
	fs.FS
	disk *Disk
	path string
}

func (r rootFS) ReadDir(name string) ([]fs.DirEntry, error) {
	dir := filepath.Join(r.path, filepath.FromSlash(name))
	defer r.disk.end(r.disk.begin(dir))
	entries, err := fs.ReadDir(r.FS, name)
	for i, e := range entries {
		entries[i] = diskEntry{e, r.disk, dir}
	}
	return entries, err
}

type diskEntry struct {
	fs.DirEntry
	disk *Disk
	dir  string
}

func (e diskEntry) Info() (fs.FileInfo, error) {
	defer e.disk.end(e.disk.begin(filepath.Join(e.dir, e.Name())))
	return e.DirEntry.Info()
}

// diskFile is a file of a disk. It implements [Handle].
type diskFile struct {
	*os.File
	disk *Disk
}

func (f *diskFile) Read(p []byte) (int, error) {
	defer f.disk.end(f.disk.begin(f.Name()))
	return f.File.Read(p)
}

func (f *diskFile) ReadAt(p []byte, at int64) (int, error) {
	defer f.disk.end(f.disk.begin(f.Name()))
	return f.File.ReadAt(p, at)
}

func (f *diskFile) Stat() (fs.FileInfo, error) {
	defer f.disk.end(f.disk.begin(f.Name()))
	return f.File.Stat()
}

// Within returns what f returns, or false if that takes longer: then f is left behind, and goes on for nothing. The files of the person's
// home are read so, which may hang while the log does not.
func Within[T any](limit time.Duration, f func() T) (got T, ok bool) {
	done := make(chan T, 1)
	go func() { done <- f() }()
	select {
	case got = <-done:
		return got, true
	case <-time.After(limit):
		return got, false
	}
}

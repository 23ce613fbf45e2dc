package loaders

import (
	"os"
	"path/filepath"

	"github.com/fsnotify/fsnotify"
)

// maxWatches bounds how many directories are watched; the kernel's are few and
// others need them. What is not watched is polled, as everything is.
const maxWatches = 64

// watch wakes the reader early when the kernel tells of a change. It is never
// the only source of news.
type watch struct {
	w      *fsnotify.Watcher
	paths  map[string]bool
	failed bool
}

func newWatch() *watch {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return &watch{failed: true}
	}
	return &watch{w: w, paths: map[string]bool{}}
}

// add watches a directory, or a file that was given itself.
func (w *watch) add(path string) {
	if w.w == nil || w.paths[path] {
		return
	}
	if len(w.paths) >= maxWatches || !notifies(path) || w.w.Add(path) != nil {
		w.failed = true
		return
	}
	w.paths[path] = true
}

// renew watches a file again that was replaced: the old watch went with it.
func (w *watch) renew(path string) {
	if w.w != nil && w.paths[path] {
		_ = w.w.Remove(path)
		delete(w.paths, path)
		w.add(path)
	}
}

// polling reports whether some changes are only found by looking.
func (w *watch) polling() bool { return w == nil || w.failed }

func (w *watch) events() <-chan fsnotify.Event {
	if w == nil || w.w == nil {
		return nil
	}
	return w.w.Events
}

func (w *watch) errors() <-chan error {
	if w == nil || w.w == nil {
		return nil
	}
	return w.w.Errors
}

// concerns reports whether an event is about something that is read.
func (w *watch) concerns(e fsnotify.Event) bool {
	if e.Op == fsnotify.Chmod {
		return false
	}
	dir, name := filepath.Split(e.Name)
	return w.paths[e.Name] || isLog(name) || isVersioned(filepath.ToSlash(dir[:max(0, len(dir)-1)]), name) ||
		e.Has(fsnotify.Create) && isDir(e.Name)
}

// isDir reports whether it is a directory, and no link to one.
func isDir(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// lost notes that a directory has gone, and its watch with it: it may come back.
func (w *watch) lost(e fsnotify.Event) {
	if e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename) {
		delete(w.paths, e.Name)
	}
}

func (w *watch) close() error {
	if w == nil || w.w == nil {
		return nil
	}
	return w.w.Close()
}

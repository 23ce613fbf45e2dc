package watch

import (
	"os"

	"github.com/fsnotify/fsnotify"
)

// maxWatches bounds how many directories are watched; the kernel's are few and
// others need them. What is not watched is polled, as everything is.
const maxWatches = 64

// Watcher wakes the reader early when the kernel tells of a change. It is never
// the only source of news.
type Watcher struct {
	fs     *fsnotify.Watcher
	isLog  func(path string) bool // reports whether a new file of that path may be read
	Paths  map[string]bool
	Failed bool
}

func NewWatcher(isLog func(path string) bool) *Watcher {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return &Watcher{Failed: true}
	}
	return &Watcher{fs: w, isLog: isLog, Paths: map[string]bool{}}
}

// Add watches a directory, or a file that was given itself.
func (w *Watcher) Add(path string) {
	if w.fs == nil || w.Paths[path] {
		return
	}
	if len(w.Paths) >= maxWatches || !reportsRemoteChanges(path) || w.fs.Add(path) != nil {
		w.Failed = true
		return
	}
	w.Paths[path] = true
}

// Renew watches a file again that was replaced: the old watch went with it.
func (w *Watcher) Renew(path string) {
	if w.fs != nil && w.Paths[path] {
		_ = w.fs.Remove(path)
		delete(w.Paths, path)
		w.Add(path)
	}
}

// Polling reports whether some changes are only found by looking.
func (w *Watcher) Polling() bool { return w == nil || w.Failed }

func (w *Watcher) Events() <-chan fsnotify.Event {
	if w == nil || w.fs == nil {
		return nil
	}
	return w.fs.Events
}

func (w *Watcher) Errors() <-chan error {
	if w == nil || w.fs == nil {
		return nil
	}
	return w.fs.Errors
}

// Concerns reports whether an event is about something that is read.
func (w *Watcher) Concerns(e fsnotify.Event) bool {
	if e.Op == fsnotify.Chmod {
		return false
	}
	return w.Paths[e.Name] || w.isLog(e.Name) || e.Has(fsnotify.Create) && isDir(e.Name)
}

// isDir reports whether it is a directory, and no link to one.
func isDir(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// Forget notes that a directory has gone, and its watch with it: it may come back.
func (w *Watcher) Forget(e fsnotify.Event) {
	if e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename) {
		delete(w.Paths, e.Name)
	}
}

func (w *Watcher) Close() error {
	if w == nil || w.fs == nil {
		return nil
	}
	return w.fs.Close()
}

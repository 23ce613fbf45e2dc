// Package watch says when to look at files again while they are followed.
//
// In: paths to watch, how many rows came, how long to sleep. Out: events of the kernel
// ([Watcher]), the end of a pause ([Debounce]), the end of a sleep ([Sleeper]). Source calls it;
// it knows nothing of logs and reads none.
package watch

import (
	"os"
	"time"

	"github.com/fsnotify/fsnotify"
)

// maxWatches bounds how many directories are watched: the kernel has few watches, and other
// programs need them. What is not watched is found by polling, as everything is.
const maxWatches = 64

// Watcher reports changes as the kernel sees them. It is never the only source of news: the caller
// also polls. NeedsPolling, Events, Errors and Close may be called on nil, which watches nothing.
type Watcher struct {
	kernel  *fsnotify.Watcher
	isLog   func(path string) bool
	watched map[string]bool
	partial bool // some paths are not watched
}

// New returns a watcher. isLog reports whether a file of that path may be read once it exists.
func New(isLog func(path string) bool) *Watcher {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return None()
	}
	return &Watcher{kernel: w, isLog: isLog, watched: map[string]bool{}}
}

// None returns a watcher that reports nothing, as where the kernel cannot.
func None() *Watcher { return &Watcher{partial: true} }

// Add watches a directory or a file.
func (w *Watcher) Add(path string) {
	if w.kernel == nil || w.watched[path] {
		return
	}
	if len(w.watched) >= maxWatches || !reportsRemoteChanges(path) || w.kernel.Add(path) != nil {
		w.partial = true
		return
	}
	w.watched[path] = true
}

// Renew watches a path again whose file was replaced: the watch belonged to the old file.
func (w *Watcher) Renew(path string) {
	if w.kernel != nil && w.watched[path] {
		_ = w.kernel.Remove(path)
		delete(w.watched, path)
		w.Add(path)
	}
}

// Watches reports whether a path is watched.
func (w *Watcher) Watches(path string) bool { return w != nil && w.watched[path] }

// NeedsPolling reports whether some changes are found by polling only.
func (w *Watcher) NeedsPolling() bool { return w == nil || w.partial }

// Events returns the kernel's events, nil if there are none.
func (w *Watcher) Events() <-chan fsnotify.Event {
	if w == nil || w.kernel == nil {
		return nil
	}
	return w.kernel.Events
}

// Errors returns a channel on which an error means that events were lost.
func (w *Watcher) Errors() <-chan error {
	if w == nil || w.kernel == nil {
		return nil
	}
	return w.kernel.Errors
}

// Concerns reports whether an event is about a watched path, a log, or a new directory.
func (w *Watcher) Concerns(e fsnotify.Event) bool {
	if e.Op == fsnotify.Chmod {
		return false
	}
	return w.watched[e.Name] || w.isLog(e.Name) || e.Has(fsnotify.Create) && isDir(e.Name)
}

// isDir reports whether path is a directory, and not a link to one.
func isDir(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// Forget notes that a watched path was removed or renamed: the kernel dropped its watch, and the
// path can be added again.
func (w *Watcher) Forget(e fsnotify.Event) {
	if e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename) {
		delete(w.watched, e.Name)
	}
}

// Close ends the watching and closes the channel of events.
func (w *Watcher) Close() error {
	if w == nil || w.kernel == nil {
		return nil
	}
	return w.kernel.Close()
}

// Reading one new row takes as long as reading a thousand: most of it is waking up. So rows are
// gathered. The first row after a pause is read at once. Then files are read again each DensePause,
// or each SparsePause once sparseReads reads in a row have brought fewer than manyRows, until one
// brings nothing. Each file to be read makes the pause pausePerFile longer.
const (
	DensePause   = 12 * time.Millisecond
	SparsePause  = 75 * time.Millisecond
	pausePerFile = 200 * time.Microsecond
	manyRows     = 64
	sparseReads  = 8
)

// Debounce decides how long rows are gathered before files are read again.
type Debounce struct {
	sparse int       // reads in a row that brought few rows
	until  time.Time // nothing is read before
}

// Until returns when the gathering ends.
func (d *Debounce) Until() time.Time { return d.until }

// Active reports whether rows are being gathered now.
func (d *Debounce) Active(now time.Time) bool { return now.Before(d.until) }

// SawRows notes how many rows a read returned.
func (d *Debounce) SawRows(rows int) {
	if rows >= manyRows {
		d.sparse = 0
	}
}

// CountRead notes that files are read again.
func (d *Debounce) CountRead() { d.sparse++ }

// Start gathers rows for a while; files is how many will be read afterwards.
func (d *Debounce) Start(now time.Time, files int) {
	pause := DensePause
	if d.sparse >= sparseReads {
		pause = SparsePause
	}
	d.until = now.Add(pause + time.Duration(files)*pausePerFile)
}

// StartSparse gathers rows for a SparsePause.
func (d *Debounce) StartSparse(now time.Time) { d.until = now.Add(SparsePause) }

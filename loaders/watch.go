package loaders

import (
	"time"

	"github.com/fsnotify/fsnotify"

	"vantage/loaders/discover"
	"vantage/loaders/fileio"
)

// maxWatches bounds how many directories are watched: the kernel has few watches, and other
// programs need them. What is not watched is found by polling, as everything is.
const maxWatches = 64

// watcher reports changes as the kernel sees them. It is never the only source of news: the caller
// also polls. The zero value watches nothing, as where the kernel cannot.
type watcher struct {
	kernel  *fsnotify.Watcher // nil if it has none
	events  <-chan fsnotify.Event
	errors  <-chan error // one means that events were lost
	disk    *fileio.Disk
	watched map[string]bool
	partial bool // some paths are not watched
}

func newWatcher(disk *fileio.Disk) watcher {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return watcher{}
	}
	return watcher{kernel: w, events: w.Events, errors: w.Errors, disk: disk, watched: map[string]bool{}}
}

// add watches a path. It returns false if it did before, or cannot.
func (w *watcher) add(path string) bool {
	if w.kernel == nil || w.watched[path] {
		return false
	}
	if len(w.watched) >= maxWatches || !reportsRemoteChanges(path) || w.kernel.Add(path) != nil {
		w.partial = true
		return false
	}
	w.watched[path] = true
	return true
}

// renew watches a path again whose file was replaced: the watch belonged to the old file.
func (w *watcher) renew(path string) {
	if w.watched[path] {
		_ = w.kernel.Remove(path)
		delete(w.watched, path)
		w.add(path)
	}
}

// needsPolling reports whether some changes are found by polling only.
func (w *watcher) needsPolling() bool { return w.kernel == nil || w.partial }

// concerns reports whether an event is about a watched path, a log, or a new directory.
func (w *watcher) concerns(e fsnotify.Event) bool {
	if e.Op == fsnotify.Chmod {
		return false
	}
	if isOurs := w.watched[e.Name] || discover.IsLog(e.Name); isOurs || !e.Has(fsnotify.Create) {
		return isOurs
	}
	info, err := w.disk.Lstat(e.Name)
	return err == nil && info.IsDir() // and not a link to one
}

func (w *watcher) close() error {
	if w.kernel == nil {
		return nil
	}
	return w.kernel.Close()
}

// Reading one new row takes as long as reading a thousand: most of it is waking up. So rows are
// gathered; the screen shows new ones twice a second. The first row after a pause is read at once. Then
// files are read again each densePause, or each sparsePause once sparseReads reads in a row have brought
// fewer than manyRows, until one brings nothing. Each file to be read makes the pause pausePerFile longer.
const (
	densePause   = 40 * time.Millisecond
	sparsePause  = 75 * time.Millisecond
	pausePerFile = 200 * time.Microsecond
	manyRows     = 64
	sparseReads  = 8
)

// debounce decides how long rows are gathered before files are read again.
type debounce struct {
	sparse int       // reads in a row that brought few rows
	until  time.Time // nothing is read before
}

func (d *debounce) active(now time.Time) bool { return now.Before(d.until) }

// start gathers rows for a while; files is how many will be read afterwards.
func (d *debounce) start(now time.Time, files int) {
	pause := densePause
	if d.sparse >= sparseReads {
		pause = sparsePause
	}
	d.until = now.Add(pause + time.Duration(files)*pausePerFile)
}

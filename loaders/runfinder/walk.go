package runfinder

import (
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"vantage/loaders/decode"
	"vantage/loaders/discover"
	"vantage/model/runlist"
)

// walker lists directories and emits the runs in them.
type walker struct {
	over  context.Context
	here  string // absolute; names of runs below it are relative to it
	home  string
	limit int64 // of entries
	emit  func(runlist.Run)

	entries          atomic.Int64
	timeout, tooMany atomic.Bool
}

// below emits the runs below a directory, those near to it first.
func (w *walker) below(dir string) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return
	}
	defer func() { _ = root.Close() }()
	level := []string{"."}
	for depth := 1; len(level) > 0 && !w.stopped(); depth++ {
		next := make([][]string, len(level))
		inParallel(len(level), func(i int) { next[i] = w.visit(root, level[i]) })
		level = slices.Concat(next...)
		if len(level) > 0 && depth > discover.MaxDepth {
			w.tooMany.Store(true)
			return
		}
	}
}

// inParallel calls f for each of n indexes, some at a time.
func inParallel(n int, f func(i int)) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(n, parallel) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	all.Wait()
}

// stopped reports whether a bound was reached.
func (w *walker) stopped() bool {
	if w.over.Err() != nil {
		w.timeout.Store(true)
		return true
	}
	if w.entries.Load() >= w.limit {
		w.tooMany.Store(true)
		return true
	}
	return false
}

// listing is what a directory holds of interest, each in natural order.
type listing struct {
	logs     []string // names of files that may be logs
	projects []string // names of files that may be databases of trackio
	numbered []string // names of directories of steps or processes
	versions []string // names of directories that are only a number
	others   []string // names of other directories
}

// list lists a directory.
func (w *walker) list(root *os.Root, dir string) (l listing) {
	h, err := root.OpenFile(dir, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return l
	}
	defer func() { _ = h.Close() }()
	for !w.stopped() {
		entries, err := h.ReadDir(512)
		w.entries.Add(int64(len(entries)))
		for _, e := range entries {
			l.add(dir, e)
		}
		if err != nil || len(entries) == 0 {
			break
		}
	}
	for _, names := range [][]string{l.logs, l.projects, l.numbered, l.versions, l.others} {
		discover.SortNatural(names)
	}
	return l
}

// add sorts an entry in. Links, pipes and devices are passed over.
func (l *listing) add(dir string, e fs.DirEntry) {
	name := e.Name()
	switch {
	case strings.HasPrefix(name, ".") || isNoRun(name):
	case e.IsDir() && decode.IsDigits(name):
		l.versions = append(l.versions, name)
	case e.IsDir() && discover.IsNumbered(name):
		l.numbered = append(l.numbered, name)
	case e.IsDir():
		l.others = append(l.others, name)
	case e.Type().IsRegular() && discover.IsLog(filepath.Join(filepath.FromSlash(dir), name)):
		l.logs = append(l.logs, name)
	case e.Type().IsRegular() && path.Ext(name) == discover.DatabaseExtension:
		l.projects = append(l.projects, name)
	}
}

// isNoRun reports whether a name is that of a directory that holds many files and no log, or many
// copies: packages, caches, the checkpoints of Hugging Face's trainers, and what the kernel shows as
// files.
func isNoRun(name string) bool {
	switch name {
	case "node_modules", "site-packages", "__pycache__", "venv", "env", "proc", "sys", "dev":
		return true
	}
	rest, ok := strings.CutPrefix(name, "checkpoint-")
	return ok && decode.IsDigits(rest)
}

// visit emits the runs in a directory and returns the paths of those below it that are to be visited.
func (w *walker) visit(root *os.Root, dir string) (below []string) {
	l := w.list(root, dir)
	others := l.others
	if r, ok := w.numberedRun(root, dir, l.numbered); ok {
		w.emit(r)
	} else if r, ok := w.versionedRun(root, dir, l.versions); ok {
		w.emit(r)
	} else {
		others = append(others, l.versions...)
	}
	for _, r := range w.runsOf(root, dir, l) {
		w.emit(r)
	}
	for _, name := range l.projects {
		name = path.Join(dir, name)
		if s, ok := w.sniffNewest(root, []string{name}); ok {
			w.emit(w.fileRun(root, name, s))
		}
	}
	for _, name := range others {
		below = append(below, path.Join(dir, name))
	}
	return below
}

// numberedRun returns the run whose steps or processes have directories of their own. The newest
// ones tell of all.
func (w *walker) numberedRun(root *os.Root, dir string, names []string) (r runlist.Run, ok bool) {
	for i := len(names) - 1; i >= max(0, len(names)-3); i-- {
		logs := w.logsBelow(root, path.Join(dir, names[i]), 3)
		if s, found := w.sniffNewest(root, logs); found {
			r = w.newRun(root, dir, s.Format.Name)
			r.LastWrite, _ = w.stat(root, logs)
			r.FirstStep, r.LastStep, r.HasSteps = stepRange(names)
			return r, true
		}
	}
	return r, false
}

// versionedRun returns the run of AReaL, whose versions of the policy have directories that are only
// a number. Those of other trainers are runs of a sweep.
func (w *walker) versionedRun(root *os.Root, dir string, names []string) (r runlist.Run, ok bool) {
	if len(names) == 0 {
		return r, false
	}
	logs := w.logsBelow(root, path.Join(dir, names[len(names)-1]), 0)
	s, found := w.sniffNewest(root, logs)
	if !found || s.Format.Framework != "areal" {
		return r, false
	}
	r = w.newRun(root, dir, s.Format.Name)
	r.LastWrite, _ = w.stat(root, logs)
	return r, true
}

// logsBelow returns the logs in the first directory that has some, at most depth levels down.
func (w *walker) logsBelow(root *os.Root, dir string, depth int) []string {
	l := w.list(root, dir)
	if len(l.logs) > 0 || depth == 0 {
		return joined(dir, l.logs)
	}
	for _, name := range slices.Backward(l.others) {
		if logs := w.logsBelow(root, path.Join(dir, name), depth-1); len(logs) > 0 {
			return logs
		}
	}
	return nil
}

func joined(dir string, names []string) []string {
	paths := make([]string, len(names))
	for i, name := range names {
		paths[i] = path.Join(dir, name)
	}
	return paths
}

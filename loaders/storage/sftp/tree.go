package sftp

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"vantage/loaders/discover"
	"vantage/loaders/fileio"
	"vantage/model"
	"vantage/model/fault"
)

const (
	maxListed  = 16                      // directories that are listed at the same time
	maxEntries = 200_000                 // of a tree
	newestOnes = 8                       // files, and half as many directories, that are asked for while something changes
	activeFor  = 10 * time.Second        // after a change others are likely
	relistNew  = 3 * time.Second         // how often the directory with the newest file is listed then
	relistOld  = 30 * time.Second        // how often any is, in turn
	maxSkew    = time.Minute             // between the clocks of two machines, at most of interest
	sameSecond = 2100 * time.Millisecond // sftp tells times in seconds: what changed twice in one is seen when that is over
)

// tree is what is known of a directory and those below it. Directories are listed ahead, many at a time. After that it is
// kept up to date with few requests: while nothing changes, on average one a second.
type tree struct {
	storage *storage
	top     string
	now     func() time.Time

	refreshing sync.Mutex // held by the call that asks

	mu      sync.Mutex
	folders map[string]*folder // by path
	waiting []*folder          // to be listed for the first time
	listing int                // how many of those are being listed
	entries int
	asked   time.Time // when refresh asked last; zero before
	changed time.Time // when something had changed last
	credit  float64   // requests that may be made while nothing changes
	turn    int       // counts what was asked for while nothing changed
}

type folder struct {
	path     string
	depth    int
	ready    chan struct{} // closed when it was listed
	entries  []fileio.Object
	err      error
	modified time.Time // as the directory was described last; zero if it was not
	listed   time.Time // when it was listed last
	took     time.Duration
	again    time.Time // when it is listed again, whatever its time is; zero if it is not
}

func newTree(s *storage, top string) *tree {
	t := &tree{storage: s, top: top, now: time.Now, folders: map[string]*folder{}}
	t.ahead(top, 0, time.Time{})
	return t
}

// ahead begins to list a directory that is not known yet, or lets it wait for its turn. The caller holds the lock, or has the
// tree to itself.
func (t *tree) ahead(dir string, depth int, modified time.Time) {
	f := &folder{path: dir, depth: depth, ready: make(chan struct{}), modified: modified}
	t.folders[dir] = f
	t.waiting = append(t.waiting, f)
	if t.listing < maxListed {
		t.listing++
		fault.Go(t.listWaiting)
	}
}

func (t *tree) listWaiting() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.waiting) > 0 {
		f := t.waiting[0]
		t.waiting = t.waiting[1:]
		if t.entries > maxEntries { // none is listed any more
			f.err = errEndless
		} else {
			t.mu.Unlock()
			t.list(f)
			t.mu.Lock()
		}
		close(f.ready)
	}
	t.listing--
}

// list lists a directory, and begins to list those in it that are not known.
func (t *tree) list(f *folder) {
	began := t.now()
	entries, err := t.storage.list(f.path, len(f.entries))
	sort.SliceStable(entries, func(i, j int) bool { return entries[i].Path < entries[j].Path })
	t.mu.Lock()
	defer t.mu.Unlock()
	first := f.listed.IsZero()
	if err == nil && !first {
		t.compare(f, entries)
	}
	if err != nil && fileio.IsLost(err) && !first {
		return // what was known is shown until there is news
	}
	t.entries += len(entries) - len(f.entries)
	if t.entries > maxEntries {
		entries, err = nil, errEndless
	}
	f.entries, f.err, f.listed, f.took = entries, err, t.now(), t.now().Sub(began)
	if err != nil {
		return
	}
	if first && (f.modified.IsZero() || t.now().Sub(f.modified) < maxSkew) {
		f.again = f.listed.Add(sameSecond)
	}
	for _, e := range entries {
		if e.Folder && f.depth < discover.MaxDepth && !discover.IsHidden(e) && t.folders[e.Path] == nil {
			t.ahead(e.Path, f.depth+1, e.Modified)
		}
	}
}

func (t *tree) compare(f *folder, now []fileio.Object) {
	before := make(map[string]fileio.Object, len(f.entries))
	for _, e := range f.entries {
		before[e.Path] = e
	}
	for _, e := range now {
		old, known := before[e.Path]
		if !known || !fileio.Unchanged(old, e) {
			t.changed = t.now()
		}
		delete(before, e.Path)
	}
	for gone, e := range before {
		t.changed = t.now()
		for p, below := range t.folders {
			if e.Folder && (p == gone || strings.HasPrefix(p, gone+"/")) {
				t.entries -= len(below.entries)
				delete(t.folders, p)
			}
		}
	}
}

// listed returns the description of a file as its directory was listed last.
func (t *tree) listed(name string) (fileio.Object, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f := t.folders[path.Dir(name)]
	if f == nil {
		return fileio.Object{}, false
	}
	if i, ok := f.find(name); ok {
		return f.entries[i], true
	}
	return fileio.Object{}, false
}

func (f *folder) find(name string) (int, bool) {
	return slices.BinarySearchFunc(f.entries, name, func(e fileio.Object, name string) int { return strings.Compare(e.Path, name) })
}

// Open implements [fs.FS]: directories are read with ReadDir, files are opened by the storage.
func (t *tree) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: errors.ErrUnsupported}
}

func (t *tree) ReadDir(name string) ([]fs.DirEntry, error) {
	dir := path.Join(t.top, name)
	t.mu.Lock()
	f := t.folders[dir]
	t.mu.Unlock()
	if f == nil {
		return nil, &fs.PathError{Op: "list", Path: name, Err: fs.ErrNotExist}
	}
	<-f.ready
	t.mu.Lock()
	defer t.mu.Unlock()
	if f.err != nil {
		return nil, f.err
	}
	entries := model.Mapped(f.entries, func(e fileio.Object) fs.DirEntry { return e })
	return entries, nil
}

// refresh brings the tree up to date, as far as the requests go that may be made now. The error is that of the top directory.
func (t *tree) refresh() error {
	now := t.now()
	t.refreshing.Lock()
	defer t.refreshing.Unlock()
	t.mu.Lock()
	top := t.folders[t.top]
	t.mu.Unlock()
	<-top.ready
	t.mu.Lock()
	if t.asked.IsZero() {
		t.asked, t.changed = t.now(), t.now() // it is as new as can be
	}
	due := now.Sub(t.asked) > 900*time.Millisecond
	var jobs []func()
	if due || fileio.IsLost(top.err) {
		jobs = t.jobs(now)
	}
	t.mu.Unlock()
	model.InParallel(context.Background(), maxListed, len(jobs), func(i int) { jobs[i]() })
	t.mu.Lock()
	defer t.mu.Unlock()
	return top.err
}

func (t *tree) jobs(now time.Time) (jobs []func()) {
	t.credit = min(t.credit+min(now.Sub(t.asked).Seconds(), 1), 2) // who asks less often shares the second with other paths
	t.asked = now
	folders, files := t.newest()
	relist := map[*folder]bool{}
	for _, f := range folders {
		if fileio.IsLost(f.err) || !f.again.IsZero() && now.After(f.again) {
			relist[f] = true
		}
	}
	if now.Sub(t.changed) < activeFor {
		folders, files = t.active(now, folders, files, relist)
	} else {
		folders, files = t.idle(now, folders, files, relist)
	}
	for _, f := range folders {
		if !relist[f] {
			jobs = append(jobs, func() { t.lookAtFolder(f) })
		}
	}
	for _, e := range files {
		if !relist[t.folders[path.Dir(e.Path)]] {
			jobs = append(jobs, func() { t.lookAtFile(e) })
		}
	}
	for f := range relist {
		f.again = time.Time{}
		jobs = append(jobs, func() { t.list(f) })
	}
	return jobs
}

func (t *tree) newest() (folders []*folder, files []fileio.Object) {
	byTime := func(a, b fileio.Object) int { return b.Modified.Compare(a.Modified) }
	for _, f := range t.folders {
		if f.listed.IsZero() {
			continue
		}
		folders = append(folders, f)
		for _, e := range f.entries {
			if e.Folder || e.Special != 0 || len(files) == newestOnes && !e.Modified.After(files[newestOnes-1].Modified) {
				continue
			}
			at, _ := slices.BinarySearchFunc(files, e, byTime)
			files = slices.Insert(files, at, e)
			files = files[:min(len(files), newestOnes)]
		}
	}
	slices.SortFunc(folders, func(a, b *folder) int {
		return cmp.Or(b.modified.Compare(a.modified), strings.Compare(a.path, b.path))
	})
	return folders, files
}

// active returns what is asked for while something changes: the newest files and directories, which are likely to change, and
// another directory in turn. What it adds to relist is listed again.
func (t *tree) active(now time.Time, folders []*folder, files []fileio.Object, relist map[*folder]bool) ([]*folder, []fileio.Object) {
	t.credit = 0
	ask := folders[:min(len(folders), newestOnes/2)]
	if len(folders) > len(ask) {
		t.turn++
		ask = append(slices.Clone(ask), folders[len(ask)+t.turn%(len(folders)-len(ask))])
	}
	if top := t.folders[t.top]; !slices.Contains(ask, top) {
		ask = append(ask, top)
	}
	if len(files) > 0 {
		if f := t.folders[path.Dir(files[0].Path)]; f != nil && now.Sub(f.listed) > max(relistNew, 20*f.took) {
			relist[f] = true
		}
	}
	return ask, files
}

// idle returns what is asked for while nothing changes: in turn the newest files, the newest directories, and all others, a
// request a second on average.
func (t *tree) idle(now time.Time, folders []*folder, files []fileio.Object, relist map[*folder]bool) ([]*folder, []fileio.Object) {
	if t.credit < 1 || len(relist) > 0 {
		return nil, nil
	}
	t.credit--
	t.turn++
	oldest := slices.MinFunc(folders, func(a, b *folder) int { return a.listed.Compare(b.listed) })
	switch {
	case now.Sub(oldest.listed) > relistOld*time.Duration(len(folders)):
		t.credit -= 3 + float64(len(oldest.entries))/100
		relist[oldest] = true
		return nil, nil
	case t.turn%2 == 0 && len(files) > 0:
		at := t.turn / 2 % min(2, len(files))
		return nil, files[at : at+1]
	case t.turn%4 == 1:
		folders = folders[:min(2, len(folders))]
	}
	at := t.turn / 4 % len(folders)
	return folders[at : at+1], nil
}

func (t *tree) lookAtFile(e fileio.Object) {
	now, err := t.storage.describe(e.Path)
	t.mu.Lock()
	f := t.folders[path.Dir(e.Path)]
	if f == nil {
		t.mu.Unlock()
		return
	}
	i, ok := f.find(e.Path)
	changed := ok && err == nil && !fileio.Unchanged(f.entries[i], now)
	if changed && now.Special == 0 && !now.Folder {
		f.entries = slices.Clone(f.entries)
		f.entries[i] = now
		t.changed = t.now()
	}
	t.mu.Unlock()
	if errors.Is(err, fs.ErrNotExist) {
		t.list(f)
	}
}

// lookAtFolder asks whether something was added to a directory or removed from it, and lists it if so.
func (t *tree) lookAtFolder(f *folder) {
	now, err := t.storage.describe(f.path)
	if fileio.IsLost(err) {
		return
	}
	t.mu.Lock()
	if err == nil && f.modified.IsZero() {
		f.modified, f.again = now.Modified, t.now().Add(sameSecond)
	}
	same := err == nil && now.Modified.Equal(f.modified)
	if !same {
		f.modified, f.again, t.changed = now.Modified, t.now().Add(sameSecond), t.now()
	}
	t.mu.Unlock()
	if !same {
		t.list(f)
	}
}

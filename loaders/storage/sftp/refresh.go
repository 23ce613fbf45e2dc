package sftp

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"vantage/loaders/fileio"
)

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
	var wg sync.WaitGroup
	slots := make(chan struct{}, maxListed)
	for _, job := range jobs {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			job()
		})
	}
	wg.Wait()
	t.mu.Lock()
	defer t.mu.Unlock()
	return top.err
}

// jobs returns what is asked for now.
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
		jobs = t.activeJobs(now, folders, files, relist)
	} else {
		jobs = t.idleJobs(now, folders, files, relist)
	}
	for f := range relist {
		f.again = time.Time{}
		jobs = append(jobs, func() { t.list(f) })
	}
	return jobs
}

// newest returns all directories that were listed, and the newest files in them, the newest first.
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
		if c := b.modified.Compare(a.modified); c != 0 {
			return c
		}
		return strings.Compare(a.path, b.path)
	})
	return folders, files
}

// activeJobs asks for the newest files and directories, which are likely to change, and for another directory in turn.
func (t *tree) activeJobs(now time.Time, folders []*folder, files []fileio.Object, relist map[*folder]bool) (jobs []func()) {
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
	for _, f := range ask {
		if !relist[f] {
			jobs = append(jobs, func() { t.lookAtFolder(f) })
		}
	}
	for _, e := range files {
		if !relist[t.folders[path.Dir(e.Path)]] {
			jobs = append(jobs, func() { t.lookAtFile(e) })
		}
	}
	return jobs
}

// idleJobs asks in turn for the newest files, the newest directories, and all others, a request a second on average.
func (t *tree) idleJobs(now time.Time, folders []*folder, files []fileio.Object, relist map[*folder]bool) (jobs []func()) {
	if t.credit < 1 || len(relist) > 0 {
		return nil
	}
	t.credit--
	t.turn++
	oldest := slices.MinFunc(folders, func(a, b *folder) int { return a.listed.Compare(b.listed) })
	switch {
	case now.Sub(oldest.listed) > relistOld*time.Duration(len(folders)):
		t.credit -= 3 + float64(len(oldest.entries))/100
		relist[oldest] = true
	case t.turn%2 == 0 && len(files) > 0:
		e := files[t.turn/2%min(2, len(files))]
		return []func(){func() { t.lookAtFile(e) }}
	case t.turn%4 == 1:
		f := folders[t.turn/4%min(2, len(folders))]
		return []func(){func() { t.lookAtFolder(f) }}
	default:
		f := folders[t.turn/4%len(folders)]
		return []func(){func() { t.lookAtFolder(f) }}
	}
	return nil
}

// lookAtFile asks whether a file has changed.
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
		t.storage.files.changed(e.Path)
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

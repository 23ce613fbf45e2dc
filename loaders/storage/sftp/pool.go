package sftp

import (
	"hash/maphash"
	"slices"
	"sync"
	"time"

	"vantage/loaders/fileio"
)

const (
	maxFetched    = 16       // files that are fetched ahead at the same time
	maxAheadBytes = 32 << 20 // of files that were fetched ahead and not read yet
	wholeFile     = 1 << 20  // files up to this size are fetched whole
	freshFor      = time.Second
	keptWhole     = 8               // files that were read to their end, since they may be looked at once more
	keptFor       = 5 * time.Second // a file that nobody reads; one that was fetched ahead longer
	unreadFor     = time.Minute
)

// pool holds the files that are read, or will be. A file is opened for each chunk that is read of it; the pool keeps it open
// for a moment, with what was read ahead, so that this costs no round trip.
type pool struct {
	storage *storage

	mu      sync.Mutex
	files   map[string]*file
	whole   []*file          // that were read to their end, in that order
	read    map[string]int64 // up to where files were read: what follows is wanted first when they have grown
	next    []string         // to be fetched ahead, in this order
	fetched int              // files that are being fetched
	ahead   int64            // bytes of files that were fetched ahead and not opened
	closed  bool
}

func (p *pool) open(name string) (fileio.Handle, error) {
	f := p.share(name)
	if f != nil && !p.isFresh(f) {
		p.drop(f)
		p.release(f)
		f = nil
	}
	if f == nil {
		f = p.begin(name, nil)
	}
	if _, err := f.opened(); err != nil {
		p.drop(f)
		p.release(f)
		return nil, err
	}
	return fileio.NewRanged(f.info, f.readAt, sync.OnceValue(func() error { p.release(f); return nil })), nil
}

// share returns a file of the pool, with one user more; nil if it is not there.
func (p *pool) share(name string) *file {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.files[name]
	if f != nil {
		f.users++
		if f.ahead > 0 {
			p.ahead, f.ahead, f.checked = p.ahead-f.ahead, 0, time.Now()
		}
	}
	return f
}

// isFresh reports whether a file is what is at its path now, as far as its description tells.
func (p *pool) isFresh(f *file) bool {
	info, err := f.opened()
	if err != nil {
		return false
	}
	p.mu.Lock()
	isFresh := time.Since(f.checked) < freshFor
	p.mu.Unlock()
	if isFresh {
		return true
	}
	now, err := p.storage.describe(f.path)
	if err != nil || !fileio.Unchanged(info, now) {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	f.checked = time.Now()
	return true
}

// begin begins to open a file. If its description is known, that is not asked for.
func (p *pool) begin(name string, known *fileio.Object) *file {
	f := newFile(p.storage, name)
	p.mu.Lock()
	f.users, f.checked, f.isAhead = 1, time.Now(), known != nil
	f.readBefore = p.read[name]
	if !p.closed {
		p.files[name] = f
	}
	p.mu.Unlock()
	go f.open(known)
	return f
}

// release ends the use of a file. Of those that were read to their end only the last are kept.
func (p *pool) release(f *file) {
	f.mu.Lock()
	end := f.readTo
	all := end >= f.info.Bytes
	f.mu.Unlock()
	p.mu.Lock()
	f.users--
	if end > 0 {
		p.read[f.path] = max(end, p.read[f.path])
	}
	unused, kept := f.users == 0, p.files[f.path] == f
	first := unused && all && !f.wasWhole
	f.wasWhole = f.wasWhole || first
	var old *file
	if unused && kept && all && !slices.Contains(p.whole, f) {
		p.whole = append(p.whole, f)
		if len(p.whole) > keptWhole {
			old, p.whole = p.whole[0], slices.Delete(p.whole, 0, 1)
		}
	}
	p.mu.Unlock()
	if old != nil {
		p.drop(old)
	}
	if first {
		p.lookAgain(f)
	}
	switch {
	case unused && !kept:
		f.close()
	case unused:
		time.AfterFunc(keptFor, func() { p.expire(f, keptFor) })
	}
}

// expire drops a file that nobody has read for a while.
func (p *pool) expire(f *file, after time.Duration) {
	p.mu.Lock()
	unused := f.users == 0 && p.files[f.path] == f && time.Since(f.checked) >= after
	p.mu.Unlock()
	if unused {
		p.drop(f)
	}
}

// changed drops a file that is another now; who reads it may read on.
func (p *pool) changed(name string) {
	p.mu.Lock()
	f := p.files[name]
	p.mu.Unlock()
	if f != nil {
		p.drop(f)
	}
}

func (p *pool) drop(f *file) {
	p.mu.Lock()
	if p.files[f.path] == f {
		delete(p.files, f.path)
	}
	p.ahead, f.ahead = p.ahead-f.ahead, 0
	p.whole = slices.DeleteFunc(p.whole, func(other *file) bool { return other == f })
	unused := f.users == 0
	p.mu.Unlock()
	if unused {
		f.close()
	}
}

// willRead takes the files that are fetched ahead, in place of those that were named before.
func (p *pool) willRead(names []string) {
	p.mu.Lock()
	p.next = append(p.next[:0], names...)
	p.mu.Unlock()
	p.fetchNext()
}

// fetchNext fetches the next files, as many as may be fetched at a time.
func (p *pool) fetchNext() {
	for {
		p.mu.Lock()
		if p.closed || len(p.next) == 0 || p.fetched >= maxFetched || p.ahead >= maxAheadBytes {
			p.mu.Unlock()
			return
		}
		name := p.next[0]
		p.next = p.next[1:]
		known := p.files[name] != nil
		p.mu.Unlock()
		if o, ok := p.storage.listed(name); ok && !known && o.Special == 0 {
			p.fetch(o)
		}
	}
}

// fetch fetches a small file whole, and the start of a large one.
func (p *pool) fetch(o fileio.Object) {
	f := p.begin(o.Path, &o)
	p.mu.Lock()
	p.fetched++
	f.ahead = min(o.Bytes, wholeFile)
	p.ahead += f.ahead
	p.mu.Unlock()
	go func() {
		if _, err := f.opened(); err == nil {
			f.fetchAhead()
		} else {
			p.drop(f)
		}
		p.mu.Lock()
		p.fetched--
		f.users--
		f.checked = time.Now()
		unused := f.users == 0 && p.files[f.path] != f
		p.mu.Unlock()
		if unused {
			f.close()
		}
		time.AfterFunc(unreadFor, func() { p.expire(f, unreadFor) })
		p.fetchNext()
	}()
}

func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed, p.files, p.next = true, map[string]*file{}, nil
}

// sftp tells times in seconds, so that a file that is replaced by one of the same size in the second in which it was read looks
// the same. While a run is followed a small file that changed lately is therefore read once more when that second is over, and
// compared. Growing files are not: those are read on, and what was read of them is not written again.

// replacements are the files that are others although size and second are the same: the time of such a file is told with as
// many nanoseconds as it was replaced, which makes it another.
type replacements struct {
	mu   sync.Mutex
	made map[string]replacement // by path
}

type replacement struct {
	bytes    int64
	modified time.Time // as the node tells it
	times    time.Duration
}

// apply returns a description with the time that tells the file from the one before.
func (r *replacements) apply(o fileio.Object) fileio.Object {
	r.mu.Lock()
	defer r.mu.Unlock()
	m, ok := r.made[o.Path]
	switch {
	case !ok:
	case m.bytes == o.Bytes && m.modified.Equal(o.Modified):
		o.Modified = o.Modified.Add(m.times)
	default:
		delete(r.made, o.Path)
	}
	return o
}

// add notes that a file was replaced by another that looks the same.
func (r *replacements) add(o fileio.Object) {
	r.mu.Lock()
	defer r.mu.Unlock()
	second := o.Modified.Truncate(time.Second)
	r.made[o.Path] = replacement{o.Bytes, second, o.Modified.Sub(second) + 1}
}

var seed = maphash.MakeSeed()

// sum returns the hash of a small file that was read whole, if it is all here.
func (f *file) sum() (sum uint64, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var h maphash.Hash
	h.SetSeed(seed)
	for at := int64(0); at < f.info.Bytes; {
		g := f.find(at)
		if g == nil || !g.isReady() || int64(len(g.data)) != g.size {
			return 0, false
		}
		_, _ = h.Write(g.data[at-g.offset:])
		at = g.offset + g.size
	}
	return h.Sum64(), true
}

// lookAgain reads a file once more when the second is over in which it changed, if that may be the one in which it was read.
func (p *pool) lookAgain(f *file) {
	o := f.info
	if p.storage.connection.patience > 0 || o.Bytes == 0 || o.Bytes > wholeFile || time.Since(o.Modified) > maxSkew {
		return
	}
	sum, ok := f.sum()
	if !ok {
		return
	}
	time.AfterFunc(sameSecond, func() {
		if !p.storage.isAnother(o, sum) {
			return
		}
		p.storage.replaced.add(o)
		p.changed(o.Path)
		for _, t := range p.storage.allTrees() {
			if _, ok := t.listed(o.Path); ok {
				t.lookAtFile(o)
			}
		}
	})
}

// isAnother reports whether a file has other bytes than it had, although it looks the same.
func (s *storage) isAnother(o fileio.Object, sum uint64) bool {
	f := newFile(s, o.Path)
	f.isAhead = true
	f.open(nil)
	defer f.close()
	if f.err != nil || !fileio.Unchanged(o, f.info) {
		return false // it will be read anyway
	}
	f.fetchAhead()
	now, ok := f.sum()
	return ok && now != sum
}

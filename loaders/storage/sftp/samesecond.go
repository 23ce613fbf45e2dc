package sftp

import (
	"hash/maphash"
	"sync"
	"time"

	"vantage/loaders/fileio"
)

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
		if p.storage.isAnother(o, sum) {
			p.storage.replaced.add(o)
			p.changed(o.Path)
			p.storage.lookAt(o)
		}
	})
}

// isAnother reports whether a file has other bytes than it had, although it looks the same.
func (s *Storage) isAnother(o fileio.Object, sum uint64) bool {
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

// lookAt lets the trees see that a file is another one.
func (s *Storage) lookAt(o fileio.Object) {
	s.mu.Lock()
	trees := make([]*tree, 0, len(s.trees))
	for _, t := range s.trees {
		trees = append(trees, t)
	}
	s.mu.Unlock()
	for _, t := range trees {
		if _, ok := t.listed(o.Path); ok {
			t.lookAtFile(o)
		}
	}
}

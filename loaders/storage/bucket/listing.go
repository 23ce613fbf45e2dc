package bucket

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"

	"vantage/loaders/fileio"
)

const (
	pageKeys   = 1000    // of a request, the most that S3 returns
	maxKeys    = 200_000 // of a listing: a mistyped path may be a whole bucket, or dataset
	sweepAgain = 10 * time.Second

	maxIdlePages = 100 // in a row without a key that is new: that is a listing without end
)

// listing is what is known of the objects below a prefix. When it is followed it is asked for once a second: for what comes
// after the newest object and those before it, and now and then, page by page, for everything.
type listing struct {
	bucket *bucket
	prefix string // "" or with a slash at its end

	asking sync.Mutex // held while the store is asked, of what follows
	whole  bool       // everything has been listed once
	asked  time.Time
	turn   bool // the next request is for the next page of everything
	swept  time.Time
	sweep  *sweep // nil if everything is not being listed

	mu      sync.Mutex         // of what follows
	objects []fileio.Object    // in the order of their keys
	tree    *fileio.ObjectTree // nil after a change
	forgot  bool               // an object, which the next listing of everything finds again
}

// sweep is a listing of everything that is on its way.
type sweep struct {
	token string // of its next page
	last  string // the last key of its pages so far
}

func (b *bucket) listingOf(name string) *listing {
	prefix := prefixOf(name)
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, l := range b.listings {
		if l.prefix == prefix {
			return l
		}
	}
	l := &listing{bucket: b, prefix: prefix}
	b.listings = append(b.listings, l)
	return l
}

// Tree returns the same value as before if nothing has changed.
func (b *bucket) Tree(dir string) (fs.FS, error) {
	l := b.listingOf(cleanKey(dir))
	if err := l.update(); err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.tree == nil {
		l.tree = fileio.NewObjectTree(l.prefix, l.objects)
	}
	return l.tree, nil
}

var errTooMany = &fileio.Failure{What: fmt.Sprintf("has more than %d objects below it", maxKeys), Do: "give a longer prefix"}

// update asks for everything the first time, and then makes at most one request.
func (l *listing) update() error {
	l.asking.Lock()
	defer l.asking.Unlock()
	l.bucket.mu.Lock()
	pause := askAgain * time.Duration(len(l.bucket.listings)) // each waits for its turn
	l.bucket.mu.Unlock()
	switch {
	case l.count() > maxKeys:
		return errTooMany
	case !l.whole:
		return l.listAll()
	case time.Since(l.asked) < pause:
		return nil
	}
	return l.listSome(time.Now())
}

func (l *listing) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.objects)
}

func (l *listing) listAll() error {
	l.sweep = &sweep{}
	for known, idle := 0, 0; ; {
		if err := l.nextPage(); err != nil || l.sweep == nil {
			return err
		}
		n := l.count()
		if idle++; n > known {
			known, idle = n, 0
		}
		switch {
		case n > maxKeys:
			return errTooMany
		case idle > maxIdlePages:
			return l.noEnd()
		}
	}
}

// noEnd is the failure for a store that names pages without end.
func (l *listing) noEnd() error {
	return &fileio.Failure{
		What: "cannot be listed whole: " + l.bucket.settings.host + " answers with the same page again", Do: "give a longer prefix",
	}
}

// listSome makes one request: for what is new, or for the next page of everything, in turns.
func (l *listing) listSome(now time.Time) error {
	l.mu.Lock()
	begin := l.sweep == nil && (l.forgot || now.Sub(l.swept) > sweepAgain)
	l.forgot = l.forgot && !begin
	l.mu.Unlock()
	page := begin || l.sweep != nil && l.turn
	l.turn = !page
	if begin {
		l.sweep = &sweep{}
	}
	if page {
		return l.nextPage()
	}
	after := l.beforeNewest()
	r, err := l.ask(after, "")
	if err == nil {
		l.replace(after, r)
	}
	return err
}

func (l *listing) nextPage() error {
	s := l.sweep
	r, err := l.ask("", s.token)
	if err == nil && r.IsTruncated && r.NextContinuationToken == s.token {
		err = l.noEnd()
	}
	if err != nil {
		l.sweep = nil // its token may be void: from the start, the next time
		return err
	}
	s.token, s.last = r.NextContinuationToken, l.replace(s.last, r)
	if !r.IsTruncated {
		l.sweep, l.whole, l.swept = nil, true, time.Now()
	}
	return nil
}

func (l *listing) ask(after, token string) (r minio.ListBucketV2Result, err error) {
	err = l.bucket.persist(func() (err error) {
		r, err = l.bucket.client.ListObjectsV2(l.bucket.bucket, l.prefix, after, token, "", pageKeys)
		return l.bucket.failure(err)
	})
	l.asked = time.Now()
	return r, err
}

// replace notes a page of keys, which are all that there are after a key up to the last of them. It returns that, or the
// key itself if there are none.
func (l *listing) replace(after string, r minio.ListBucketV2Result) (end string) {
	var page []fileio.Object
	end = after
	for _, info := range r.Contents {
		end = max(end, info.Key)
		if info.Key > after && !strings.HasSuffix(info.Key, "/") { // that of a folder itself
			page = append(page, objectOf(info, info.Key))
		}
	}
	sort.SliceStable(page, func(i, j int) bool { return page[i].Path < page[j].Path })
	page = slices.CompactFunc(page, func(a, b fileio.Object) bool { return a.Path == b.Path })
	l.mu.Lock()
	defer l.mu.Unlock()
	from, to := l.after(after), len(l.objects)
	if r.IsTruncated {
		to = l.after(end)
	}
	if !slices.Equal(l.objects[from:to], page) {
		l.objects, l.tree = slices.Replace(l.objects, from, to, page...), nil
	}
	return end
}

// after returns the index of the first object with a greater key. The lock is held.
func (l *listing) after(key string) int {
	i, found := l.index(key)
	if found {
		i++
	}
	return i
}

// index returns where the object of a key is, or would be. The lock is held.
func (l *listing) index(key string) (i int, found bool) {
	return slices.BinarySearchFunc(l.objects, key, func(o fileio.Object, key string) int { return cmp.Compare(o.Path, key) })
}

// beforeNewest returns the key before that of the object that was written last: what is asked for after it is whether that
// one was written again, and what was added, as far as its key is greater.
func (l *listing) beforeNewest() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	newest := 0
	for i, o := range l.objects {
		if !o.Modified.Before(l.objects[newest].Modified) {
			newest = i
		}
	}
	if newest == 0 {
		return ""
	}
	return l.objects[newest-1].Path
}

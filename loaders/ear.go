package loaders

import (
	"runtime"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
)

// A look at a log takes as long when one row has come as when a thousand have: most of it
// is waking up. So rows are gathered. The first after a pause are read at once; then the
// log is looked at again after fullGather, or after thinGather where thinLooks in a row
// have brought less than manyRows, until one brings nothing. For each file that is looked
// at it is fileGather longer.
const (
	fullGather = 12 * time.Millisecond
	thinGather = 75 * time.Millisecond
	fileGather = 200 * time.Microsecond
	manyRows   = 64
	thinLooks  = 8
)

// While files are looked at again, what the kernel tells is left in its queue, where
// changes that are alike become one, and is heard so often, so many changes at a time.
const (
	hearing   = thinGather
	mostHeard = 4096
)

// ear is what the kernel has told of, and when it is listened to.
type ear struct {
	hot   []*file   // had news at the last look
	thin  int       // looks in a row that brought few rows
	deaf  time.Time // until then nothing is heard, and they are not looked at
	heard time.Time // when the kernel was listened to last
	come  time.Time // when directories are listed since something has come; zero if nothing has
	spare time.Time // they are not listed for that before
}

// closed reports whether nothing is heard now: files are to be looked at again before.
func (e *ear) closed(now time.Time) bool { return len(e.hot) > 0 || now.Before(e.deaf) }

// calls reports whether directories are to be listed now.
func (e *ear) calls(now time.Time) bool { return !e.come.IsZero() && !now.Before(e.come) }

// brought notes how many rows a look has brought.
func (e *ear) brought(rows int) {
	if rows >= manyRows {
		e.thin = 0
	}
}

// gather is deaf for a while.
func (e *ear) gather(now time.Time) {
	pause := fullGather
	if e.thin >= thinLooks {
		pause = thinGather
	}
	e.deaf = now.Add(pause + time.Duration(len(e.hot))*fileGather)
}

// lookAgain looks at the files that had news at the last look.
func (s *Source) lookAgain(now time.Time) {
	e := &s.look.ear
	if len(e.hot) == 0 || now.Before(e.deaf) {
		return
	}
	e.hot = slices.DeleteFunc(e.hot, func(f *file) bool {
		f.disk.hot = f.disk.news
		return !f.disk.hot
	})
	for _, f := range e.hot {
		if f.once() { // it would be read as a whole
			f.disk.news = s.peek(f)
			continue
		}
		s.enqueue(f)
	}
	if len(e.hot) > 0 {
		e.thin++
		e.gather(now)
	}
	if len(e.hot) == 0 || now.Sub(e.heard) >= hearing {
		s.listen(now)
	}
}

// told acts on a change that the kernel tells of, and on those that it has told of since.
func (s *Source) told(e fsnotify.Event) {
	now := time.Now()
	s.look.ear.deaf = now.Add(thinGather) // if it is nothing to us
	s.hear(e, now)
	s.listen(now)
}

// listen takes what the kernel has told. The goroutine of fsnotify has its turn after each
// change, to hand over the next.
func (s *Source) listen(now time.Time) {
	s.look.ear.heard = now
	for range mostHeard {
		select {
		case e, ok := <-s.look.watch.Events():
			if !ok {
				return
			}
			s.hear(e, now)
			runtime.Gosched()
		default:
			return
		}
	}
}

// hear acts on one change.
func (s *Source) hear(e fsnotify.Event, now time.Time) {
	l := &s.look
	if !l.watch.Concerns(e) {
		return
	}
	f := s.known[e.Name]
	switch {
	case f != nil && f.disk.hot:
		return // it is looked at again anyway
	case f != nil && s.peek(f):
		f.disk.hot = true
		l.ear.hot = append(l.ear.hot, f)
	case f == nil && !e.Has(fsnotify.Create): // a directory goes, or a log is left out
		l.stale = true
		l.watch.Forget(e)
		return
	case f == nil && l.ear.come.IsZero():
		l.ear.come = l.ear.spare
	}
	l.ear.gather(now)
}

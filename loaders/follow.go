package loaders

import (
	"context"
	"os"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
)

// Following must not be felt on the node. Files that changed lately, the newest ones,
// and those that cannot be read are looked at each poll, and so are the times of the
// directories, which change when a file comes. Beside that, listing directories and
// looking at the files that rest may each take this share of the time: less where the
// kernel tells of changes, so that looking is only a safeguard, and less while nothing
// changes at all.
const (
	toldShare   = 1000
	polledShare = 200
	idleShare   = 5000
	warmFor     = 10 * time.Second
	maxWarm     = 32
	newestWarm  = 2 // of the warm files, which stay so
	idlePolls   = 4 // polls that are one, where the kernel tells of changes and nothing does
)

// gather is how long changes are collected after one has been told.
const gather = 10 * time.Millisecond

// looker is when and where to look next.
type looker struct {
	watch *watch
	next  time.Time // for the warm files
	list  time.Time // for directories, whatever their times say
	soon  time.Time // for directories whose times have changed
	stale bool      // such a change waits for soon
	deaf  time.Time // until then changes are left in the kernel's queue
	news  time.Time // when something changed last
	swept int       // index of the file that the sweep goes on with
	warms []*file
}

func (l *looker) idle(now time.Time) bool { return now.Sub(l.news) > warmFor }

func (l *looker) share(now time.Time) time.Duration {
	switch {
	case l.idle(now):
		return idleShare
	case l.watch.polling():
		return polledShare
	}
	return toldShare
}

// pause is how long there is nothing to look at.
func (l *looker) pause(now time.Time, poll time.Duration) time.Duration {
	if l.idle(now) && !l.watch.polling() {
		return idlePolls * poll
	}
	return poll
}

// warm has a file looked at each poll from now on.
func (l *looker) warm(f *file) {
	l.warms = slices.DeleteFunc(l.warms, func(w *file) bool { return w == f })
	l.warms = append(l.warms, f)
	l.sort()
	l.warms = l.warms[:min(len(l.warms), maxWarm)]
}

// sort puts the files first that changed last.
func (l *looker) sort() {
	slices.SortStableFunc(l.warms, func(a, b *file) int { return b.disk.modified().Compare(a.disk.modified()) })
}

// cool forgets the files that rest, but for the newest.
func (l *looker) cool(now time.Time, quiet time.Duration) {
	l.sort()
	i := 0
	l.warms = slices.DeleteFunc(l.warms, func(f *file) bool {
		i++
		return i > newestWarm && !f.disk.retry && now.Sub(f.changed) > max(warmFor, 2*quiet)
	})
}

// lookAround finds what is new, if it is time to.
func (s *Source) lookAround(now time.Time) {
	l := &s.look
	if !now.Before(l.next) || l.list.IsZero() {
		s.lookForFiles(now)
	}
	if now.Before(l.next) {
		return
	}
	l.next = now.Add(l.pause(now, s.o.Poll))
	for _, f := range l.warms {
		s.peek(f)
		if f.torn() && now.Sub(f.changed) > s.o.quiet {
			f.settleLast()
		}
	}
	l.cool(now, s.o.quiet)
	s.sweep(now)
}

// lookForFiles lists directories in which something has come, and all of them from time
// to time. Listing large ones takes long, so that is not done again at once.
func (s *Source) lookForFiles(now time.Time) {
	l := &s.look
	for _, r := range s.roots {
		l.stale = r.changed(now) || l.stale
	}
	if now.Before(l.list) && (!l.stale || now.Before(l.soon)) {
		return
	}
	l.stale = false
	for _, r := range s.roots {
		// A directory that is gone or cannot be listed now may come back.
		if found, err := discover(r.path, s.o.MaxFiles); err == nil {
			s.adopt(r, found)
		}
	}
	took := time.Since(now)
	l.list = time.Now().Add(max(s.o.Poll, l.share(now)*took))
	l.soon = time.Now().Add(polledShare / 2 * took)
}

func (f *file) torn() bool { return (f.lines.torn() || len(f.begin) > 0) && !f.disk.queued }

// sweep looks at the files in turn, as far as its share of the time goes.
func (s *Source) sweep(now time.Time) {
	l := &s.look
	until := now.Add(s.o.Poll / l.share(now))
	for range s.files {
		if l.swept >= len(s.files) {
			l.swept = 0
		}
		if f := s.files[l.swept]; f.disk != nil {
			s.peek(f)
		}
		l.swept++
		if time.Now().After(until) {
			return
		}
	}
}

// peek enqueues a file if it has news.
func (s *Source) peek(f *file) {
	if f.disk.queued || time.Now().Before(f.disk.again) {
		return
	}
	news, err := f.disk.look()
	if err != nil {
		s.failed(f, err)
		return
	}
	if news {
		s.look.news = time.Now()
	}
	if news || f.disk.retry {
		s.enqueue(f)
	}
}

// wait sleeps until it is time to look, or something tells to.
func (s *Source) wait(ctx context.Context) error {
	timer := time.NewTimer(s.until(time.Now()))
	defer timer.Stop()
	events := s.look.watch.events()
	if time.Now().Before(s.look.deaf) {
		events = nil
	}
	var pieces chan []byte
	stream := s.stream()
	if stream != nil {
		pieces = stream.pipe.pieces
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-s.closed:
		return os.ErrClosed
	case <-timer.C:
	case e, ok := <-events:
		if !ok {
			return os.ErrClosed
		}
		s.told(e)
	case <-s.look.watch.errors():
		// The queue ran over: changes were lost, so look everywhere.
		s.look.list, s.look.next = time.Time{}, time.Time{}
	case piece, ok := <-pieces:
		s.received(stream, piece, ok)
	}
	return nil
}

func (s *Source) received(f *file, piece []byte, ok bool) {
	if !ok {
		s.endPipe(f)
		return
	}
	f.pipe.rest = piece
	s.enqueue(f)
}

// until returns how long there is nothing to do: one timer serves the next look
// and the moment at which the newest step counts as written.
func (s *Source) until(now time.Time) time.Duration {
	if !s.o.Follow {
		return time.Hour
	}
	at := now.Add(time.Hour)
	if len(s.known)+len(s.roots) > 0 {
		at = s.look.next
	}
	if now.Before(s.look.deaf) && s.look.deaf.Before(at) {
		at = s.look.deaf
	}
	if s.shown.Open {
		if written := s.openUntil(); written.Before(at) {
			at = written
		}
	}
	return max(0, at.Sub(now)) + time.Millisecond
}

// told acts on a change that the kernel tells of.
func (s *Source) told(e fsnotify.Event) {
	s.look.deaf = time.Now().Add(gather)
	if !s.look.watch.concerns(e) {
		return
	}
	if f := s.known[e.Name]; f != nil {
		s.peek(f)
		return
	}
	s.look.list = time.Time{}
}

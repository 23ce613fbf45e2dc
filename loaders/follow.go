package loaders

import (
	"context"
	"os"
	"slices"
	"time"
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
	comeShare   = 20              // of listing, when the kernel has told that something came
	longestRest = 5 * time.Minute // between two listings, whatever share of the time they take
	warmFor     = 10 * time.Second
	maxWarm     = 32
	newestWarm  = 2 // of the warm files, which stay so
	idlePolls   = 4 // polls that are one, where the kernel tells of changes and nothing does
)

// looker is when and where to look next.
type looker struct {
	watch *Watcher
	next  time.Time // for the warm files
	list  time.Time // for directories, whatever their times say
	soon  time.Time // for directories whose times have changed
	stale bool      // such a change waits for soon
	news  time.Time // when something changed last
	swept int       // index of the file that the sweep goes on with
	warms []*file
	ear   ear
	nap   Sleeper
}

func (l *looker) idle(now time.Time) bool { return now.Sub(l.news) > warmFor }

func (l *looker) share(now time.Time) time.Duration {
	switch {
	case l.idle(now):
		return idleShare
	case l.watch.Polling():
		return polledShare
	}
	return toldShare
}

// pause is how long there is nothing to look at.
func (l *looker) pause(now time.Time, poll time.Duration) time.Duration {
	if l.idle(now) && !l.watch.Polling() {
		return idlePolls * poll
	}
	return poll
}

// warm has a file looked at each poll from now on.
func (l *looker) warm(f *file) {
	l.warms = slices.DeleteFunc(l.warms, func(w *file) bool { return w == f })
	l.warms = append(l.warms, f)
	l.sort()
	for len(l.warms) > maxWarm {
		last := len(l.warms) - 1
		l.warms[last].rest()
		l.warms = l.warms[:last]
	}
}

// sort puts the files first that changed last.
func (l *looker) sort() {
	slices.SortStableFunc(l.warms, func(a, b *file) int { return b.disk.Modified().Compare(a.disk.Modified()) })
}

// cool forgets the files that rest, but for the newest.
func (l *looker) cool(now time.Time, quiet time.Duration) {
	l.sort()
	i := 0
	l.warms = slices.DeleteFunc(l.warms, func(f *file) bool {
		i++
		rests := i > newestWarm && !f.disk.retry && now.Sub(f.changed) > max(warmFor, 2*quiet)
		if rests {
			f.rest()
		}
		return rests
	})
}

// rest gives back what reading on takes: of hundreds of files it is much.
func (f *file) rest() { f.workers, f.grown = nil, nil }

// lookAround finds what is new, if it is time to.
func (s *Source) lookAround(now time.Time) {
	l := &s.look
	s.lookAgain(now)
	if !now.Before(l.next) || l.ear.calls(now) {
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
			s.newest.read(f)
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
		l.stale = r.Changed(now) || l.stale
	}
	if now.Before(l.list) && (!l.stale || now.Before(l.soon)) && !l.ear.calls(now) {
		return
	}
	l.stale, l.ear.come = false, time.Time{}
	for _, r := range s.roots {
		// A directory that is gone or cannot be listed now may come back.
		if found, err := List(r.Path, s.o.MaxFiles); err == nil {
			s.adopt(r, found)
		}
	}
	took := time.Since(now)
	l.list = time.Now().Add(max(s.o.Poll, min(l.share(now)*took, longestRest)))
	l.soon = time.Now().Add(polledShare / 2 * took)
	l.ear.spare = time.Now().Add(comeShare * took)
}

func (f *file) torn() bool { return (f.lines.Pending() || len(f.begin) > 0) && !f.disk.queued }

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

// peek enqueues a file if it has news, and reports whether it has.
func (s *Source) peek(f *file) bool {
	if f.disk.queued || time.Now().Before(f.disk.again) {
		return f.disk.queued
	}
	news, err := f.disk.Changed()
	if err != nil {
		s.failed(f, err)
		return false
	}
	if news {
		s.look.news = time.Now()
	}
	if news || f.disk.retry {
		s.enqueue(f)
	}
	return news
}

// wait sleeps until it is time to look, or something tells to.
func (s *Source) wait(ctx context.Context) error {
	now := time.Now()
	events, stream := s.look.watch.Events(), s.stream()
	if s.look.ear.closed(now) {
		events = nil
	}
	if events == nil && stream == nil && s.look.nap.Sleep(ctx, s.until(now)) {
		return nil
	}
	var pieces chan []byte
	if stream != nil {
		pieces = stream.pipe.pieces
	}
	timer := time.NewTimer(s.until(now))
	defer timer.Stop()
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
	case <-s.look.watch.Errors():
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
	if e := &s.look.ear; e.closed(now) && e.deaf.Before(at) {
		at = e.deaf
	}
	if come := s.look.ear.come; !come.IsZero() && come.Before(at) {
		at = come
	}
	if s.shown.Open {
		if written := s.newest.openUntil(s.o.quiet); written.Before(at) {
			at = written
		}
	}
	return max(time.Millisecond, at.Sub(now))
}

package loaders

import (
	"runtime"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"

	"vantage/loaders/watch"
)

// While recent files are read again, events of the kernel stay in its queue, where equal ones become
// one. The queue is drained this often, of this many events at a time.
const (
	drainPause = watch.SparsePause
	maxDrained = 4096
)

// gathering reports whether rows are being gathered: events wait until the recent files have
// been read.
func (sch *schedule) gathering(now time.Time) bool {
	return len(sch.recent) > 0 || sch.debounce.Active(now)
}

// listingDue reports whether directories are to be listed now because the kernel reported a new
// entry in one.
func (sch *schedule) listingDue(now time.Time) bool {
	return !sch.listAt.IsZero() && !now.Before(sch.listAt)
}

// readRecent queues the files that had news when they were read last.
func (s *Source) readRecent(now time.Time) {
	sch := &s.schedule
	if len(sch.recent) == 0 || sch.debounce.Active(now) {
		return
	}
	sch.recent = slices.DeleteFunc(sch.recent, func(f *file) bool {
		f.recent = f.hadNews
		return !f.recent
	})
	for _, f := range sch.recent {
		if f.readsWhole() {
			f.hadNews = s.pollFile(f)
			continue
		}
		s.enqueue(f)
	}
	if len(sch.recent) > 0 {
		sch.debounce.CountRead()
		sch.debounce.Start(now, len(sch.recent))
	}
	if len(sch.recent) == 0 || now.Sub(sch.drained) >= drainPause {
		s.drainEvents(now)
	}
}

// handleEvent acts on an event of the kernel, and on those behind it in the queue.
func (s *Source) handleEvent(e fsnotify.Event) {
	now := time.Now()
	s.schedule.debounce.StartSparse(now) // unless an event concerns us
	s.applyEvent(e, now)
	s.drainEvents(now)
}

// drainEvents empties the queue of events. It yields after each, so that the goroutine of fsnotify
// can hand over the next.
func (s *Source) drainEvents(now time.Time) {
	s.schedule.drained = now
	for range maxDrained {
		select {
		case e, ok := <-s.schedule.watcher.Events():
			if !ok {
				return
			}
			s.applyEvent(e, now)
			runtime.Gosched()
		default:
			return
		}
	}
}

func (s *Source) applyEvent(e fsnotify.Event, now time.Time) {
	sch := &s.schedule
	if !sch.watcher.Concerns(e) {
		return
	}
	f := s.byPath[e.Name]
	switch {
	case f != nil && f.recent:
		return // it is read again anyway
	case f != nil && s.pollFile(f):
		f.recent = true
		sch.recent = append(sch.recent, f)
	case f == nil && !e.Has(fsnotify.Create): // a directory was removed, or a file that is not read
		sch.dirsChanged = true
		sch.watcher.Forget(e)
		return
	case f == nil && sch.listAt.IsZero():
		sch.listAt = sch.noListBefore
	}
	sch.debounce.Start(now, len(sch.recent))
}

package loaders

import (
	"context"
	"maps"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"

	"vantage/loaders/decode"
	"vantage/loaders/discover"
	"vantage/loaders/fileio"
)

// Following must not be felt on the node. Files that changed lately, the newest ones, and those
// that could not be read are polled each time, and so are the times of directories, which change
// when a file is added. Listing directories and polling the other files may each take one part in
// this many of the time: less where the kernel reports changes, so that polling is only a safeguard,
// and less while nothing changes at all.
const (
	notifiedShare     = 1000
	polledShare       = 200
	idleShare         = 5000
	notifiedListShare = 20              // for listing after an event of the kernel
	maxListPause      = 5 * time.Minute // longest time between two listings
	activeFor         = 10 * time.Second
	maxActive         = 32
	alwaysActive      = 2 // the newest files stay active
	idlePolls         = 4 // polls that become one while the kernel reports changes and there are none
)

// schedule says when and where to look next.
type schedule struct {
	watcher  watcher
	debounce debounce
	sleeper  sleeper
	active   []*file   // polled each time
	nextPoll time.Time // of the active files
	nextFile int       // index of the file that pollNext continues with
	list     listTimes
	lastNews time.Time // when something changed last
	recent   []*file   // had news when they were read last
	drained  time.Time // when events were last taken from the kernel's queue
	turn     int       // counts the polls
}

// listTimes says when directories are listed.
type listTimes struct {
	next        time.Time // even if their times have not changed
	nextChanged time.Time // if they have
	changed     bool      // they have, which waits for nextChanged
	due         time.Time // after the kernel reported a new entry, or a new directory is watched; zero if neither
	notBefore   time.Time // earliest due
}

// soon has directories listed as early as may be, if nothing asked for that before.
func (l *listTimes) soon() {
	if l.due.IsZero() {
		l.due = l.notBefore
	}
}

func (sch *schedule) idle(now time.Time) bool { return now.Sub(sch.lastNews) > activeFor }

// pollShare returns one part in how many of the time listing and pollNext may take.
func (sch *schedule) pollShare(now time.Time) time.Duration {
	switch {
	case sch.idle(now):
		return idleShare
	case sch.watcher.needsPolling():
		return polledShare
	}
	return notifiedShare
}

// activate adds a file to the active ones, which are polled each time.
func (sch *schedule) activate(f *file) {
	sch.active = slices.DeleteFunc(sch.active, func(w *file) bool { return w == f })
	sch.active = append(sch.active, f)
	sch.sortByTime()
	for len(sch.active) > maxActive {
		last := len(sch.active) - 1
		sch.active[last].releaseWorkers()
		sch.active = sch.active[:last]
	}
}

func (sch *schedule) sortByTime() {
	slices.SortStableFunc(sch.active, func(a, b *file) int { return b.disk.Modified().Compare(a.disk.Modified()) })
}

// deactivate drops files that have not changed for a while, except for the newest.
func (sch *schedule) deactivate(now time.Time, settleTime time.Duration) {
	sch.sortByTime()
	i := 0
	sch.active = slices.DeleteFunc(sch.active, func(f *file) bool {
		i++
		drop := i > alwaysActive && !f.failing && now.Sub(f.changed) > max(activeFor, 2*settleTime)
		if drop {
			f.releaseWorkers()
		}
		return drop
	})
}

func (sch *schedule) listNow() { sch.list.next, sch.nextPoll = time.Time{}, time.Time{} }

// releaseWorkers frees the memory of workers, which is much for hundreds of files.
func (f *file) releaseWorkers() { f.workers, f.appender = nil, nil }

// poll queues the files that have something new, as far as it is time to look.
func (s *fileSet) poll(now time.Time) {
	sch := &s.reading.schedule
	s.readRecent(now)
	if !now.Before(sch.nextPoll) || sch.listingDue(now) {
		s.listDirectories(now)
	}
	if now.Before(sch.nextPoll) {
		return
	}
	pause := s.options.Poll
	switch {
	case len(s.storages) > 0:
		pause = max(pause, storagePoll)
	case sch.idle(now) && !sch.watcher.needsPolling():
		pause *= idlePolls
	}
	sch.nextPoll = now.Add(pause)
	s.pollStorages(now)
	for _, f := range sch.active {
		if f.failing || f.disk.IsHere() {
			s.reading.pollFile(f)
		}
		if f.queued || now.Sub(f.changed) <= s.options.settleTime {
			continue
		}
		if f.splitter.Pending() || len(f.head) > 0 {
			f.acceptLastRecord()
			s.reading.newest.update(f)
		}
		f.noteUnreadable() // it is not being written
	}
	sch.deactivate(now, s.options.settleTime)
	s.pollNext(now)
}

// listDirectories lists the directories of this machine if something was added to one, and from time to time. Listing
// large ones takes long, so the next listing waits.
func (s *fileSet) listDirectories(now time.Time) {
	sch := &s.reading.schedule
	local := false
	for _, r := range s.directories {
		if fileio.IsHere(r.Storage) {
			local, sch.list.changed = true, r.Changed(now) || sch.list.changed
		}
	}
	if !local {
		return
	}
	if now.Before(sch.list.next) && (!sch.list.changed || now.Before(sch.list.nextChanged)) && !sch.listingDue(now) {
		return
	}
	sch.list.changed, sch.list.due = false, time.Time{}
	start := time.Now() // files may have been read since now
	for _, r := range s.directories {
		if fileio.IsHere(r.Storage) {
			s.checkReplaced(r)
			s.listAgain(r)
		}
	}
	took := time.Since(start)
	sch.list.next = time.Now().Add(max(s.options.Poll, min(sch.pollShare(now)*took, maxListPause)))
	sch.list.nextChanged = time.Now().Add(polledShare / 2 * took)
	sch.list.notBefore = time.Now().Add(notifiedListShare * took)
	if !sch.list.due.IsZero() { // a new directory, which is watched from now on
		sch.list.due = sch.list.notBefore
	}
}

// listAgain lists a directory and adds what is new. One that is gone or cannot be listed now may come back.
func (s *fileSet) listAgain(d *directory) {
	if found, err := discover.List(d.Storage, d.Path, s.options.MaxFiles); err == nil {
		s.addListed(d, found)
	}
}

func (s *fileSet) pollNext(now time.Time) {
	sch := &s.reading.schedule
	until := now.Add(s.options.Poll / sch.pollShare(now))
	for range s.reading.files {
		if sch.nextFile >= len(s.reading.files) {
			sch.nextFile = 0
		}
		if f := s.reading.files[sch.nextFile]; f.disk != nil && f.disk.IsHere() {
			s.reading.pollFile(f)
		}
		sch.nextFile++
		if time.Now().After(until) {
			return
		}
	}
}

func (r *reading) pollFile(f *file) bool {
	if f.disk == nil {
		return false
	}
	if f.queued || time.Now().Before(f.retryAt) {
		return f.queued
	}
	news, err := f.disk.HasNews()
	if err != nil {
		r.readFailed(f, err)
		return false
	}
	if news {
		r.schedule.lastNews = time.Now()
	}
	if news || f.failing {
		r.enqueue(f)
	}
	return news
}

// wait sleeps until it is time to poll, or an event or a stream's bytes arrive.
func (s *Source) wait(ctx context.Context) error {
	now := time.Now()
	events, stream := s.reading.schedule.watcher.events, s.reading.openStream()
	if s.reading.schedule.gathering(now) {
		events = nil
	}
	if events == nil && stream == nil && s.reading.schedule.sleeper.sleep(ctx, s.timeToNextPoll(now)) {
		return nil
	}
	var buffers chan []byte
	if stream != nil {
		buffers = stream.stream.buffers
	}
	timer := time.NewTimer(s.timeToNextPoll(now))
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
		now = time.Now()
		s.reading.schedule.debounce.until = now.Add(sparsePause) // unless an event concerns us
		s.files.applyEvent(e, now)
		s.files.drainEvents(now)
	case <-s.reading.schedule.watcher.errors:
		// The queue overflowed: events were lost, so look everywhere.
		s.reading.schedule.listNow()
	case buffer, ok := <-buffers:
		if !ok {
			s.reading.endStream(stream)
			return nil
		}
		stream.stream.rest = buffer
		s.reading.enqueue(stream)
	}
	return nil
}

// timeToNextPoll returns how long there is nothing to do. One timer serves the next poll, the end of
// gathering, and the moment from which the newest step counts as written.
func (s *Source) timeToNextPoll(now time.Time) time.Duration {
	if !s.options.Follow {
		return time.Hour
	}
	wake := now.Add(time.Hour)
	if len(s.files.byPath)+len(s.files.directories)+len(s.files.awaited) > 0 {
		wake = s.reading.schedule.nextPoll
	}
	if until := s.reading.schedule.debounce.until; s.reading.schedule.gathering(now) && until.Before(wake) {
		wake = until
	}
	if list := s.reading.schedule.list.due; !list.IsZero() && list.Before(wake) {
		wake = list
	}
	if s.lastProgress.Open {
		if written := s.reading.newest.openUntil(s.options.settleTime); written.Before(wake) {
			wake = written
		}
	}
	return max(time.Millisecond, wake.Sub(now))
}

// While recent files are read again, events of the kernel stay in its queue, where equal ones become
// one. The queue is drained this often, of this many events at a time.
const (
	drainPause = sparsePause
	maxDrained = 4096
)

// gathering reports whether rows are being gathered: events wait until the recent files have
// been read.
func (sch *schedule) gathering(now time.Time) bool {
	return len(sch.recent) > 0 || sch.debounce.active(now)
}

// listingDue reports whether directories are to be listed now because the kernel reported a new
// entry in one.
func (sch *schedule) listingDue(now time.Time) bool {
	return !sch.list.due.IsZero() && !now.Before(sch.list.due)
}

// readRecent queues the files that had news when they were read last.
func (s *fileSet) readRecent(now time.Time) {
	sch := &s.reading.schedule
	if len(sch.recent) == 0 || sch.debounce.active(now) {
		return
	}
	sch.recent = slices.DeleteFunc(sch.recent, func(f *file) bool {
		f.recent = f.hadNews
		return !f.recent
	})
	for _, f := range sch.recent {
		if f.readsWhole() {
			f.hadNews = s.reading.pollFile(f)
			continue
		}
		s.reading.enqueue(f)
	}
	if len(sch.recent) > 0 {
		sch.debounce.sparse++
		sch.debounce.start(now, len(sch.recent))
	}
	if len(sch.recent) == 0 || now.Sub(sch.drained) >= drainPause {
		s.drainEvents(now)
	}
}

// drainEvents empties the queue of events. It yields after each, so that the goroutine of fsnotify
// can hand over the next.
func (s *fileSet) drainEvents(now time.Time) {
	s.reading.schedule.drained = now
	for range maxDrained {
		select {
		case e, ok := <-s.reading.schedule.watcher.events:
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

func (s *fileSet) applyEvent(e fsnotify.Event, now time.Time) {
	sch := &s.reading.schedule
	if !sch.watcher.concerns(e) {
		return
	}
	f := s.byPath[e.Name]
	switch {
	case f != nil && f.recent:
		return // it is read again anyway
	case f != nil && s.reading.pollFile(f):
		f.recent = true
		sch.recent = append(sch.recent, f)
	case f == nil && !e.Has(fsnotify.Create): // a directory was removed, or a file that is not read
		sch.list.changed = true
		if e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename) { // the kernel dropped its watch, and it can be added again
			delete(sch.watcher.watched, e.Name)
		}
		return
	case f == nil:
		sch.list.soon()
	}
	sch.debounce.start(now, len(sch.recent))
}

// pollStorages asks the storages for news. While something changes it asks for every path that was opened, and after that for
// one path of each storage in turn: an idle storage is asked once a second, however many of its paths are open.
func (s *fileSet) pollStorages(now time.Time) {
	s.reading.schedule.turn++
	for _, storage := range s.storages {
		var asks []func()
		for _, d := range s.directories {
			if d.Storage == storage { // a listing tells what becomes of all files in it
				asks = append(asks, func() { s.listAgain(d) })
			}
		}
		for _, f := range s.reading.files {
			if f.disk != nil && f.disk.Storage == storage && f.directory == nil {
				asks = append(asks, func() { s.reading.pollFile(f) })
			}
		}
		if s.reading.schedule.idle(now) && len(asks) > 0 {
			i := s.reading.schedule.turn % len(asks)
			asks = asks[i : i+1]
		}
		for _, ask := range asks {
			ask()
		}
	}
}

// newestStep knows which file has the newest step, without looking at all of a hundred thousand files
// at each poll.
type newestStep struct {
	file        *file // has samples of the newest step; nil if no file has samples
	highestName int64 // the highest step that a file name tells
	hasName     bool  // a file name tells a step
}

func (n *newestStep) addName(f *file) {
	if step, ok := decode.StepFromNumberedFile(f.name); ok && f.disk != nil && f.disk.Root != "" && (!n.hasName || step > n.highestName) {
		n.highestName, n.hasName = step, true
	}
}

func (n *newestStep) update(f *file) {
	if f.hasStep && (n.file == nil || f.newestStep > n.file.newestStep || f.newestStep == n.file.newestStep && f.index > n.file.index) {
		n.file = f
	}
}

// remove takes into account that a file is read from its start again.
func (n *newestStep) remove(f *file, files []*file) {
	if n.file != f {
		return
	}
	n.file = nil
	for _, f := range files {
		n.update(f)
	}
}

// openUntil returns until when more samples of the newest step are expected: its file has not been
// unchanged for settleTime, and no file is named for a newer step.
func (n *newestStep) openUntil(settleTime time.Duration) time.Time {
	f := n.file
	if f == nil || f.stream != nil && f.stream.ended || n.hasName && n.highestName > f.newestStep {
		return time.Time{}
	}
	return f.changed.Add(settleTime)
}

// writeTimes knows when the logs were last written, and how long a step usually takes.
type writeTimes struct {
	last  time.Time
	steps map[int64]time.Time // when the newest steps were last written
	usual time.Duration       // what stepTime returns, unless stale
	stale bool
}

// maxTimedSteps is how many steps tell the usual time between two, minStepTimes how many times
// between steps must be known.
const maxTimedSteps, minStepTimes = 32, 3

// note notes when a file with samples was last written: its own time, so that a log untouched for
// days does not look new. A time ahead of this machine's clock counts as now.
func (w *writeTimes) note(f *file) {
	if !f.hasStep {
		return
	}
	written := time.Now()
	if f.disk != nil && f.disk.Info != nil && f.disk.Modified().Before(written) {
		written = f.disk.Modified()
	}
	if f.disk == nil {
		written = f.changed
	}
	if written.After(w.last) {
		w.last = written
	}
	if w.steps == nil {
		w.steps = map[int64]time.Time{}
	}
	if written.After(w.steps[f.newestStep]) {
		w.steps[f.newestStep], w.stale = written, true
	}
	if len(w.steps) > maxTimedSteps {
		oldest := f.newestStep
		for step := range w.steps {
			oldest = min(oldest, step)
		}
		delete(w.steps, oldest)
	}
}

// stepTime returns the median time between the newest steps, 0 if too few are known. Steps that were
// written at one time, as the rows of a file that is read from its start, tell none.
func (w *writeTimes) stepTime() time.Duration {
	if !w.stale {
		return w.usual
	}
	w.stale, w.usual = false, 0
	var times []time.Duration
	steps := slices.Sorted(maps.Keys(w.steps))
	for i := 1; i < len(steps); i++ {
		if d := w.steps[steps[i]].Sub(w.steps[steps[i-1]]); d > 0 {
			times = append(times, d/time.Duration(steps[i]-steps[i-1]))
		}
	}
	if len(times) >= minStepTimes {
		slices.Sort(times)
		w.usual = times[len(times)/2]
	}
	return w.usual
}

package loaders

import (
	"errors"
	"io/fs"
	"slices"
	"syscall"
	"time"

	"vantage/loaders/fileio"
)

// maxAttempts is how often reading a file may fail before a problem is reported: on network
// filesystems handles become stale for a moment.
const maxAttempts = 4

// backOff returns how long to wait after so many failures in a row: at most 5 s.
func backOff(failures int) time.Duration {
	return min(20*time.Millisecond<<min(failures-1, 10), 5*time.Second)
}

// readFailed handles an error of opening or reading a file, and reports whether there is nothing more to
// do for the file now. What was read of a file that was removed is kept.
func (s *Source) readFailed(f *file, err error) bool {
	f.failures++
	f.failing, f.hadNews = true, false
	f.retryAt = time.Now().Add(backOff(f.failures))
	if fileio.IsLost(err) {
		return s.linkLost(f, err)
	}
	if !s.options.Follow && f.failures < maxAttempts {
		time.Sleep(backOff(f.failures))
		return false
	}
	if !s.options.Follow && f.disk.Storage != nil {
		s.lost = pathError(f.name, err) // part of a run is no run
		return true
	}
	gone := errors.Is(err, fs.ErrNotExist) && s.options.Follow
	if !f.blocked && (f.failures >= maxAttempts && !gone || errors.Is(err, fs.ErrPermission)) {
		f.blocked = true
		f.noteFile("it cannot be read: " + reasonOf(err))
	}
	s.schedule.activate(f)
	return true
}

// linkLost is readFailed for a file whose storage does not answer. It stays in the queue while following; the storage
// says in Link how the connection is.
func (s *Source) linkLost(f *file, err error) (done bool) {
	f.failures = 0
	if !s.options.Follow {
		s.lost = pathError(f.name, err)
		return true
	}
	s.enqueue(f)
	if s.offline == nil {
		s.offline = map[fileio.Storage]bool{}
	}
	s.offline[f.disk.Storage] = true
	slices.SortStableFunc(s.queue, func(a, b *file) int { // those of other storages are read
		switch {
		case s.isOffline(a) == s.isOffline(b):
			return 0
		case s.isOffline(a):
			return 1
		}
		return -1
	})
	return false
}

// recovered is called when reading a file has succeeded. If a problem says that it cannot be read, that is not true
// any more: recovered reports so, and the file is read from its start again, without the problem.
func (s *Source) recovered(f *file) bool {
	f.failures, f.failing = 0, false
	if !f.blocked {
		return false
	}
	f.blocked = false
	s.restart(f)
	return true
}

// isTransient reports whether an error of the filesystem may be gone when the file is opened again.
func isTransient(err error) bool {
	return fileio.IsLost(err) || fileio.IsReplaced(err) || errors.Is(err, syscall.ESTALE) || errors.Is(err, syscall.EIO) || errors.Is(err, syscall.ETIMEDOUT)
}

// reasonOf says why a file cannot be read and what to do, without its path.
func reasonOf(err error) string {
	var failure *fileio.Failure
	switch {
	case errors.As(err, &failure):
		return failure.Error()
	case errors.Is(err, syscall.ESTALE):
		return "the file server replaced it while it was open (stale handle): read it again, or look whether the run has moved"
	case errors.Is(err, syscall.EIO):
		return "the disk or its server reports an error: look at the mount and the kernel's log"
	case errors.Is(err, syscall.ETIMEDOUT):
		return "the file server does not answer: look at the mount"
	case errors.Is(err, fs.ErrPermission):
		return "its permissions do not let you: ask its owner for read permission"
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return err.Error()
}

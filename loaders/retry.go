package loaders

import (
	"errors"
	"io/fs"
	"syscall"
	"time"
)

// maxAttempts is how often a file that cannot be read is tried before a person hears
// of it: on network filesystems handles go stale and come back.
const maxAttempts = 4

// backOff is how long to wait after so many failures in a row, up to some seconds: what
// a server cannot do now it cannot do any better when it is asked without pause.
func backOff(fails int) time.Duration {
	return min(20*time.Millisecond<<min(fails-1, 10), 5*time.Second)
}

// readFailed deals with a file that cannot be opened or read. One that is gone is
// kept as it was read.
func (s *Source) readFailed(f *file, err error) bool {
	f.failures++
	f.failing, f.hadNews = true, false
	f.retryAt = time.Now().Add(backOff(f.failures))
	if !s.options.Follow && f.failures < maxAttempts {
		time.Sleep(backOff(f.failures))
		return false
	}
	gone := errors.Is(err, fs.ErrNotExist) && s.options.Follow
	if f.failures == maxAttempts && !gone || errors.Is(err, fs.ErrPermission) && f.failures == 1 {
		f.noteFile("it cannot be read: " + reasonOf(err))
	}
	s.schedule.activate(f)
	return true
}

// isTransient reports whether an error is of the filesystem and may pass: the file is
// opened anew.
func isTransient(err error) bool {
	return errors.Is(err, syscall.ESTALE) || errors.Is(err, syscall.EIO) || errors.Is(err, syscall.ETIMEDOUT)
}

// reasonOf says why a file cannot be read and what to do, without its path, which is said
// already.
func reasonOf(err error) string {
	switch {
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

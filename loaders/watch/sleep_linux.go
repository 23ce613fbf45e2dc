package watch

import (
	"context"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Sleeper sleeps for a few milliseconds at a time, many times a second, which makes waking up most
// of the work. A timer of the Go runtime wakes three threads: the runtime waits for files in whole
// milliseconds, and one thread watches over the others. A timerfd is a file and wakes one.
type Sleeper struct{ timer *os.File }

// NewSleeper returns a sleeper, which cannot sleep if the kernel refuses a timer.
func NewSleeper() Sleeper {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return Sleeper{}
	}
	return Sleeper{os.NewFile(uintptr(fd), "timer")}
}

// Sleep returns true after d, or earlier once ctx is done. It returns false if the sleeper cannot
// sleep or is closed.
func (s Sleeper) Sleep(ctx context.Context, d time.Duration) bool {
	if s.timer == nil || s.set(d) != nil {
		return false
	}
	defer context.AfterFunc(ctx, func() { _ = s.set(1) })()
	var times [8]byte
	_, err := s.timer.Read(times[:])
	return err == nil
}

func (s Sleeper) set(d time.Duration) error {
	conn, err := s.timer.SyscallConn()
	if err != nil {
		return err
	}
	failed := conn.Control(func(fd uintptr) {
		err = unix.TimerfdSettime(int(fd), 0, &unix.ItimerSpec{Value: unix.NsecToTimespec(int64(d))}, nil)
	})
	if failed != nil {
		return failed
	}
	return err
}

// Close ends a Sleep that runs.
func (s Sleeper) Close() {
	if s.timer != nil {
		_ = s.timer.Close()
	}
}

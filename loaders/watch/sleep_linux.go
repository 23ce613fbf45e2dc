package watch

import (
	"context"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Sleeper sleeps for so short times, and so often, that waking up is most of the work. The
// runtime's own timers wake three threads each time, since it waits for files in whole
// milliseconds and has a thread that watches over the others. A timer of the kernel is a
// file, and wakes one.
type Sleeper struct{ timer *os.File }

func NewSleeper() Sleeper {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return Sleeper{}
	}
	return Sleeper{os.NewFile(uintptr(fd), "timer")}
}

// Sleep returns after so long, or when ctx is done or the nap is closed. It reports false
// if it cannot sleep.
func (n Sleeper) Sleep(ctx context.Context, d time.Duration) bool {
	if n.timer == nil || n.set(d) != nil {
		return false
	}
	defer context.AfterFunc(ctx, func() { _ = n.set(1) })()
	var times [8]byte
	_, err := n.timer.Read(times[:])
	return err == nil
}

func (n Sleeper) set(d time.Duration) error {
	conn, err := n.timer.SyscallConn()
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

func (n Sleeper) Close() {
	if n.timer != nil {
		_ = n.timer.Close()
	}
}

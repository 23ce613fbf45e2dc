package loaders

import (
	"context"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// sleeper sleeps for a few milliseconds at a time, many times a second, which makes waking up most
// of the work. A timer of the Go runtime wakes three threads: the runtime waits for files in whole
// milliseconds, and one thread watches over the others. A timerfd is a file and wakes one.
type sleeper struct{ timer *os.File }

// newSleeper returns a sleeper, which cannot sleep if the kernel refuses a timer.
func newSleeper() sleeper {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return sleeper{}
	}
	return sleeper{os.NewFile(uintptr(fd), "timer")}
}

// sleep returns true after d, or earlier once ctx is done. It returns false if the sleeper cannot
// sleep or is closed.
func (s sleeper) sleep(ctx context.Context, d time.Duration) bool {
	if s.timer == nil || s.set(d) != nil {
		return false
	}
	defer context.AfterFunc(ctx, func() { _ = s.set(1) })()
	var times [8]byte
	_, err := s.timer.Read(times[:])
	return err == nil
}

func (s sleeper) set(d time.Duration) error {
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

// close ends a Sleep that runs.
func (s sleeper) close() {
	if s.timer != nil {
		_ = s.timer.Close()
	}
}

// reportsRemoteChanges reports whether the kernel sees all changes on the filesystem of path. On
// network filesystems it does not see those of other machines. The numbers are those of statfs(2)
// for NFS, SMB, CIFS, SMB2, FUSE, Lustre, Ceph, GPFS, 9P, AFS and BeeGFS.
func reportsRemoteChanges(path string) bool {
	var fs syscall.Statfs_t
	if err := syscall.Statfs(path, &fs); err != nil {
		return false
	}
	switch uint32(fs.Type) {
	case 0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x65735546, 0x0bd00bd0, 0x00c36400, 0x47504653, 0x01021997, 0x5346414f, 0x19830326:
		return false
	}
	return true
}

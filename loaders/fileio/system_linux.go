package fileio

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Born returns when a file was created; the zero time if its filesystem does not tell.
func (d *Disk) Born(path string) time.Time {
	defer d.During(path)()
	var x unix.Statx_t
	if err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_BTIME, &x); err != nil || x.Mask&unix.STATX_BTIME == 0 {
		return time.Time{}
	}
	return time.Unix(x.Btime.Sec, int64(x.Btime.Nsec))
}

// changeTime returns when the content or the attributes of a file changed last: no program can set it
// back, as it can the time of modification.
func changeTime(info os.FileInfo) time.Time {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(s.Ctim.Unix())
	}
	return time.Time{}
}

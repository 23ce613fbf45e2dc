package fileio

import (
	"os"
	"syscall"
	"time"
)

// changeTime returns when the content or the attributes of a file changed last: no program can set it
// back, as it can the time of modification.
func changeTime(info os.FileInfo) time.Time {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(s.Ctim.Unix())
	}
	return time.Time{}
}

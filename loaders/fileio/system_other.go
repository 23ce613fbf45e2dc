//go:build !linux

package fileio

import (
	"os"
	"time"
)

// Born returns the zero time: when a file was created is not known on this system.
func (*Disk) Born(string) time.Time { return time.Time{} }

// changeTime returns the zero time: this system does not tell.
func changeTime(os.FileInfo) time.Time { return time.Time{} }

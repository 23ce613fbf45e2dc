//go:build !linux

package fileio

import "time"

// Born returns the zero time: when a file was created is not known on this system.
func Born(string) time.Time { return time.Time{} }

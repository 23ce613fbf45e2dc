package fileio

import "os"

// Unchanged reports whether a file is the same, of the same size and time, as before.
func Unchanged(before, now os.FileInfo) bool {
	return SameFile(before, now) && before.Size() == now.Size() && sameVersion(before, now)
}

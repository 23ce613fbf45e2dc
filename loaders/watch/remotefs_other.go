//go:build !linux

package watch

// reportsRemoteChanges is not known on this system: a watch that can be set is relied on.
func reportsRemoteChanges(string) bool { return true }

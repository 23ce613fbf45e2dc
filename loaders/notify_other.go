//go:build !linux

package loaders

// notifies is not known here; a watch that works is believed.
func notifies(string) bool { return true }

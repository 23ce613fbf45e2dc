//go:build !unix

package commands

// HasShell is false where programs cannot be stopped and woken.
func HasShell() bool { return false }

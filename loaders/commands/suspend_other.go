//go:build !unix

package commands

// SuspendFunc returns nil: there is no job control.
func Suspension() func() error { return nil }

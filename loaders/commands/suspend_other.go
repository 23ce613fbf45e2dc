//go:build !unix

package commands

// Suspension is nil where programs cannot be stopped and woken.
func Suspension() func() error { return nil }

//go:build unix

package commands

import (
	"os"

	"golang.org/x/sys/unix"
)

// HasShell reports whether there is a shell that can wake the program after it has stopped:
// one that gave it a process group of its own in the shell's session. Without one, as under
// `ssh HOST vantage`, in a container or as the only command of a tmux window, the kernel
// does not let it stop, and nobody would wake it.
func HasShell() bool {
	session, err := unix.Getsid(0)
	if err != nil {
		return false
	}
	parent := os.Getppid()
	its, err := unix.Getsid(parent)
	if err != nil || its != session {
		return false
	}
	group, err := unix.Getpgid(parent)
	return err == nil && group != unix.Getpgrp()
}

//go:build unix

package commands

import (
	"fmt"
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// SuspendFunc returns what stops the program until the shell wakes it, as the terminal's
// own key does; nil if there is no shell that could: one that gave the program a process
// group of its own in the shell's session. Without one, as under `ssh HOST vantage`, in a
// container or as the only command of a tmux window, the kernel does not let it stop, and
// nobody would wake it.
func SuspendFunc() func() error {
	session, err := unix.Getsid(0)
	if err != nil {
		return nil
	}
	parent := os.Getppid()
	parentSession, err := unix.Getsid(parent)
	if err != nil || parentSession != session {
		return nil
	}
	if group, err := unix.Getpgid(parent); err != nil || group == unix.Getpgrp() {
		return nil
	}
	return suspend
}

func suspend() error {
	continued := make(chan os.Signal, 1)
	signal.Notify(continued, unix.SIGCONT)
	defer signal.Stop(continued)
	if err := unix.Kill(0, unix.SIGTSTP); err != nil {
		return fmt.Errorf("cannot stop for the shell: %w", err)
	}
	<-continued
	return nil
}

//go:build unix

package commands

import (
	"fmt"
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// suspendFunc returns a function that stops the program until the shell continues it, as
// Ctrl-Z does. It returns nil without a job-control shell, which would have given the program
// a process group of its own in the shell's session: under `ssh HOST vantage`, in a container
// or as the only command of a tmux window the kernel does not stop it, and nothing would
// continue it.
func suspendFunc() func() error {
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
		return fmt.Errorf("cannot suspend: %w", err)
	}
	<-continued
	return nil
}

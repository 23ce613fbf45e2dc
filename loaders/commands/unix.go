//go:build unix

package commands

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// whileRead returns a context that also ends when nothing reads the pipe or socket any more that the output is: a command that follows a log may
// write nothing for hours.
func (p *Program) whileRead(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	out, ok := p.Out.(interface {
		Fd() uintptr
		Stat() (os.FileInfo, error)
	})
	if !ok {
		return ctx, func() { cancel(nil) }
	}
	if info, err := out.Stat(); err == nil && info.Mode()&(os.ModeNamedPipe|os.ModeSocket) != 0 {
		fd := []unix.PollFd{{Fd: int32(out.Fd())}} // which is told of its end alone
		go func() {
			for {
				if n, err := unix.Poll(fd, -1); n > 0 || err != unix.EINTR {
					break
				}
			}
			if fd[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0 {
				cancel(unix.EPIPE)
			}
		}()
	}
	return ctx, func() { cancel(nil) }
}

// SuspendFunc returns a function that stops the program until the shell continues it, as
// Ctrl-Z does. It returns nil without a job-control shell, which would have given the program
// a process group of its own in the shell's session: under `ssh HOST vantage`, in a container
// or as the only command of a tmux window the kernel does not stop it, and nothing would
// continue it.
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
		return fmt.Errorf("cannot suspend: %w", err)
	}
	<-continued
	return nil
}

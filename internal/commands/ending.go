package commands

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"vantage/model/fault"
	"vantage/tui/tty"
)

// ending ends the program on a signal, or once its screen is closed, within two seconds: a call that waits for a disk or a link that
// does not answer cannot be called off, and is left behind.
type ending struct {
	ctx     context.Context // the first signal cancels it, with that signal as cause
	overdue chan error      // what the program ends with although it is not done
	screen  atomic.Pointer[tty.Screen]
	closed  atomic.Bool // the screen was closed: ^C then ends the program without what is left to do
}

const (
	grace     = 1500 * time.Millisecond // what is under way may come to its end so long
	lastWords = 300 * time.Millisecond  // to give the terminal back, which may not answer either, and say why
)

func newEnding() *ending {
	ctx, cancel := context.WithCancelCause(context.Background())
	e := &ending{ctx: ctx, overdue: make(chan error, 1)}
	signals := make(chan os.Signal, 2)
	// SIGQUIT and SIGABRT too: Go's own handling of them prints goroutines over a terminal that stays raw
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGABRT)
	fault.Go(func() {
		first := &signalError{Signal: <-signals}
		cancel(first)
		if first.Signal == os.Interrupt && e.closed.Load() {
			e.end(stopped(ctx))
			return
		}
		for late := time.After(grace); ; {
			select {
			case <-late:
			case s := <-signals:
				if s != os.Interrupt { // a terminal that closes sends several
					continue
				}
			}
			e.end(&lateError{first})
			return
		}
	})
	return e
}

// end has the program end with an error, or with none, if it does not end before.
func (e *ending) end(err error) {
	select {
	case e.overdue <- err:
	default:
	}
}

// soon is called when the screen is closed: what is left to do, such as to save the view, is done by then, or left.
func (e *ending) soon() {
	e.closed.Store(true)
	time.AfterFunc(grace, func() { e.end(stopped(e.ctx)) })
}

// leave gives the terminal back and says the last words, if there are any.
func (e *ending) leave(say func()) {
	said := make(chan struct{})
	fault.Go(func() {
		defer close(said)
		if screen := e.screen.Load(); screen != nil {
			screen.Leave()
		}
		say()
	})
	select {
	case <-said:
	case <-time.After(lastWords):
	}
}

// lateError is the signal that ended the program before it was done.
type lateError struct{ error }

func (e *lateError) Error() string {
	return e.error.Error() + "; unfinished work is left behind"
}

func (e *lateError) Unwrap() error { return e.error }

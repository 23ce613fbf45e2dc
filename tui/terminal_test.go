package tui_test

import (
	"bytes"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"
)

// terminal is a program in a real one.
type terminal struct {
	t             *testing.T
	cmd           *exec.Cmd
	tty           *os.File // the end at which a person sits
	slave         *os.File // the program's end
	before        *term.State
	width, height int

	mu   sync.Mutex
	sent bytes.Buffer  // by the program
	more chan struct{} // closed when more is sent
	done chan struct{} // closed when nobody holds the terminal any more
}

// startProgram runs the program in a terminal of 120×36.
func startProgram(t *testing.T, args ...string) *terminal {
	t.Helper()
	return startCommand(t, exec.Command(programPath(t), args...))
}

func startCommand(t *testing.T, cmd *exec.Cmd) *terminal {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	x := &terminal{t: t, cmd: cmd, tty: master, slave: slave, more: make(chan struct{}), done: make(chan struct{})}
	x.resize(120, 36)
	if x.before, err = term.GetState(master.Fd()); err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(append(os.Environ(), "TERM=xterm-256color", "NO_COLOR=", "LANG=C.UTF-8"), cmd.Env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go x.read()
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = slave.Close(); _ = master.Close() })
	return x
}

// read collects what the program sends until nobody holds the terminal any more.
func (x *terminal) read() {
	defer close(x.done)
	buffer := make([]byte, 1<<16)
	for {
		n, err := x.tty.Read(buffer)
		x.mu.Lock()
		x.sent.Write(buffer[:n])
		close(x.more)
		x.more = make(chan struct{})
		x.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// state returns what was sent so far, and a channel that is closed when more is.
func (x *terminal) state() (sent string, more <-chan struct{}) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.sent.String(), x.more
}

func (x *terminal) output() string {
	sent, _ := x.state()
	return sent
}

func (x *terminal) resize(w, h int) {
	x.t.Helper()
	x.width, x.height = w, h
	if err := pty.Setsize(x.tty, &pty.Winsize{Cols: uint16(w), Rows: uint16(h)}); err != nil {
		x.t.Fatal(err)
	}
}

// waitFor waits until the terminal was sent the text.
func (x *terminal) waitFor(text string) {
	x.t.Helper()
	x.waitAfter(0, text)
}

// waitAfter waits until the terminal was sent the text after the first n bytes.
func (x *terminal) waitAfter(n int, text string) {
	x.t.Helper()
	x.waitUntil(text, func(sent string) bool { return strings.Contains(sent[n:], text) })
}

// waitUntil waits until what the terminal was sent holds something. A screen is sent in parts where little changes
// ("11 steps" becomes 12 by one digit), so another size now and then has it sent whole.
func (x *terminal) waitUntil(what string, holds func(sent string) bool) {
	x.t.Helper()
	w, h := x.width, x.height
	defer func() {
		if x.height != h {
			x.resize(w, h)
		}
	}()
	turn := time.NewTicker(400 * time.Millisecond)
	defer turn.Stop()
	timeout := time.After(time.Minute)
	for {
		sent, more := x.state()
		if holds(sent) {
			return
		}
		select {
		case <-more:
		case <-turn.C:
			x.resize(w, 2*h-1-x.height)
		case <-timeout:
			x.t.Fatalf("never saw %q in %d bytes, the last of them %q", what, len(sent), sent[max(0, len(sent)-4000):])
		}
	}
}

// waitMore waits until more than n bytes were sent, at most for a second: a key that
// changes nothing is not answered.
func (x *terminal) waitMore(n int) {
	timeout := time.After(time.Second)
	for {
		sent, more := x.state()
		if len(sent) > n {
			return
		}
		select {
		case <-more:
		case <-timeout:
			return
		}
	}
}

// waitSilence waits until nothing was sent for so long, and returns how much was sent by
// then. It gives up, and ok is false, when the program has sent something twenty times.
func (x *terminal) waitSilence(long time.Duration) (n int, ok bool) {
	for range 20 {
		sent, more := x.state()
		select {
		case <-more:
		case <-time.After(long):
			return len(sent), true
		}
	}
	return len(x.output()), false
}

// send types keys, one after the other.
func (x *terminal) send(keys string) {
	x.t.Helper()
	for _, key := range keys {
		if _, err := x.tty.WriteString(string(key)); err != nil {
			x.t.Fatal(err)
		}
	}
}

// waitExit waits for the program's end and returns its exit code. What it sent last has
// been read then: what is written into the terminal after it comes out after it.
func (x *terminal) waitExit() int {
	x.t.Helper()
	limit := time.AfterFunc(time.Minute, func() { _ = x.cmd.Process.Kill() })
	defer limit.Stop()
	_ = x.cmd.Wait()
	const last = "the program has ended"
	_, _ = x.slave.WriteString(last)
	for {
		sent, more := x.state()
		if strings.Contains(sent, last) {
			break
		}
		select {
		case <-more:
			continue
		case <-x.done: // nobody reads: the terminal is gone
		case <-time.After(10 * time.Second):
		}
		break
	}
	return x.cmd.ProcessState.ExitCode()
}

// checkRestored fails unless the terminal is as it was: the screen of before, a cursor, no
// mouse, pasting and keys as usual, and the line discipline of before. A program that asked it something now would wait for the answer,
// for seconds where a terminal gives none.
func (x *terminal) checkRestored() {
	x.t.Helper()
	sent := x.output()
	if !strings.Contains(sent, "\x1b[?1049h") {
		x.t.Error("there was no screen to leave")
	}
	for _, mode := range []struct{ what, on, off string }{
		{"the alternate screen is on", "\x1b[?1049h", "\x1b[?1049l"},
		{"the cursor is hidden", "\x1b[?25l", "\x1b[?25h"},
		{"the mouse is on", "\x1b[?1002h", "\x1b[?1002l"},
		{"the mouse is on", "\x1b[?1006h", "\x1b[?1006l"},
		{"bracketed paste is on", "\x1b[?2004h", "\x1b[?2004l"},
		{"keys are told apart", "\x1b[>1u", "\x1b[<1u"},
		{"keys are told apart", "\x1b[>4;2m", "\x1b[>4m"},
	} {
		if strings.LastIndex(sent, mode.on) > strings.LastIndex(sent, mode.off) {
			x.t.Errorf("%s: %q", mode.what, sent[max(0, len(sent)-300):])
		}
	}
	if left := strings.LastIndex(sent, "\x1b[?1049l"); left >= 0 && strings.Contains(sent[left:], "\x1b]11;?") {
		x.t.Errorf("it asks for the background when it ends: %q", sent[left:])
	}
	if after, err := term.GetState(x.tty.Fd()); err != nil || !reflect.DeepEqual(after, x.before) {
		x.t.Errorf("the line discipline is %+v, it was %+v (%v)", after, x.before, err)
	}
}

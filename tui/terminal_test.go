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
	mu            sync.Mutex
	seen          bytes.Buffer
	bursts        int // of output, with a quarter of a second and more between them
	last          time.Time
	width, height int
	done          chan struct{}
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
	x := &terminal{t: t, cmd: cmd, tty: master, slave: slave, done: make(chan struct{})}
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

// read takes what the program sends, until nobody holds the terminal any more.
func (x *terminal) read() {
	defer close(x.done)
	buffer := make([]byte, 1<<16)
	for {
		n, err := x.tty.Read(buffer)
		x.mu.Lock()
		x.seen.Write(buffer[:n])
		if now := time.Now(); now.Sub(x.last) > 250*time.Millisecond {
			x.bursts, x.last = x.bursts+1, now
		}
		x.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (x *terminal) output() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.seen.String()
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

// waitAfter waits until the terminal was sent the text after so many bytes. What changes
// on a screen is sent in parts ("11 steps" becomes 12 by one digit), so the whole of it is
// asked for now and then, by another size for a moment.
func (x *terminal) waitAfter(n int, text string) {
	x.t.Helper()
	for turn := range 2000 {
		if strings.Contains(x.output()[n:], text) {
			return
		}
		if time.Sleep(10 * time.Millisecond); turn%200 == 199 {
			w, h := x.width, x.height
			x.resize(w, h-1)
			time.Sleep(50 * time.Millisecond)
			x.resize(w, h)
		}
	}
	sent := x.output()[n:]
	x.t.Fatalf("never saw %q in %d bytes, the last of them %q", text, len(sent), sent[max(0, len(sent)-4000):])
}

// waitUntilSilent waits until nothing more comes, and returns how much has come by then.
func (x *terminal) waitUntilSilent() int {
	for n := len(x.output()); ; {
		time.Sleep(100 * time.Millisecond)
		now := len(x.output())
		if now == n {
			return n
		}
		n = now
	}
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

// answered waits until something has come after so many bytes, as a key is answered by a
// repaint, and then until no more comes; a key that changes nothing is given a second.
func (x *terminal) answered(n int) int {
	for range 100 {
		if len(x.output()) > n {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return x.waitUntilSilent()
}

// quiet waits until nothing has come for so long, and reports whether that ever was.
func (x *terminal) quiet(long time.Duration) bool {
	for range 20 {
		n := len(x.output())
		if time.Sleep(long); len(x.output()) == n {
			return true
		}
	}
	return false
}

// waitExit waits for the program's end and returns its exit code. What it sent last has been
// read then: what is written into the terminal after it comes out after it.
func (x *terminal) waitExit() int {
	x.t.Helper()
	timer := time.AfterFunc(time.Minute, func() { _ = x.cmd.Process.Kill() })
	defer timer.Stop()
	_ = x.cmd.Wait()
	const last = "the program has ended"
	_, _ = x.slave.WriteString(last)
	for range 1000 {
		select {
		case <-x.done: // nobody reads: the terminal is gone
			return x.cmd.ProcessState.ExitCode()
		case <-time.After(10 * time.Millisecond):
		}
		if strings.Contains(x.output(), last) {
			break
		}
	}
	return x.cmd.ProcessState.ExitCode()
}

// checkRestored fails unless the terminal is as it was: the screen of before, a cursor, no
// mouse, pasting and keys as usual, and the line discipline of before.
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
	if after, err := term.GetState(x.tty.Fd()); err != nil || !reflect.DeepEqual(after, x.before) {
		x.t.Errorf("the line discipline is %+v, it was %+v (%v)", after, x.before, err)
	}
}

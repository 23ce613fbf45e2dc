package tui_test

import (
	"math/rand/v2"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"vantage/internal/testkit/repotest"
)

// A signal ends the screen, and the exit code tells it.
func TestSignalsGiveTheTerminalBack(t *testing.T) {
	for _, end := range endings {
		t.Run(end.signal.String(), func(t *testing.T) {
			repotest.OneIn(t, 3)
			t.Parallel()
			x := startProgram(t, "demo")
			x.waitFor("advantages")
			x.send(":mouse on\r")
			x.waitFor("\x1b[?1002h")
			if err := x.cmd.Process.Signal(end.signal); err != nil {
				t.Fatal(err)
			}
			if code := x.waitExit(); code != end.code {
				t.Errorf("exit code %d, want %d", code, end.code)
			}
			x.checkRestored()
			x.checkNoTrace()
		})
	}
}

// Closing the terminal ends the program.
func TestClosedTerminalEndsTheProgram(t *testing.T) {
	t.Parallel()
	x := startProgram(t, "demo")
	x.waitFor("advantages")
	if err := x.tty.Close(); err != nil {
		t.Fatal(err)
	}
	if x.waitExit(); x.cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL {
		t.Error("the program goes on without a terminal")
	}
}

// ^Z restores the terminal for the shell, and fg brings the screen back.
func TestSuspendAndResume(t *testing.T) {
	t.Parallel()
	shell := exec.Command("sh", "-i")
	shell.Env = []string{onPath(t), "PS1=ready> ", "ENV="}
	x := startCommand(t, shell)
	x.waitFor("ready> ")
	for range 2 {
		n := len(x.output())
		x.send("vantage demo\r")
		x.waitAfter(n, "advantages")
		x.send(":mouse on\r")
		x.waitAfter(n, "\x1b[?1002h")
		n = len(x.output())
		x.send("\x1a")
		x.waitAfter(n, "ready> ")
		x.checkRestored()
		n = len(x.output())
		x.send("fg\r")
		x.waitAfter(n, "\x1b[?1049h")
		x.waitAfter(n, "advantages")
		x.waitAfter(n, "\x1b[?1002h")
		n = len(x.output())
		x.send("p")
		x.waitAfter(n, "0.95")
		n = len(x.output())
		x.send("q")
		x.waitAfter(n, "ready> ")
		x.checkRestored()
	}
	x.send("exit\r")
	x.waitExit()
}

// Without a shell, which could continue the program, ^Z does not stop it.
func TestSuspendNeedsAShell(t *testing.T) {
	t.Parallel()
	x := startProgram(t, "demo")
	x.waitFor("advantages")
	x.send("\x1a")
	x.waitFor("no shell to resume from")
	x.send("pq")
	if code := x.waitExit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// After any sizes of the terminal the screen is drawn completely.
func TestScreenIsWholeAfterManyResizes(t *testing.T) {
	t.Parallel()
	x := startProgram(t, "demo")
	x.waitFor("advantages")
	random := rand.New(rand.NewPCG(5, 6))
	for i := range 300 {
		x.resize(40+random.IntN(361), 10+random.IntN(111))
		if i%10 == 0 {
			x.send("jSv\x1b3"[i/10%5 : i/10%5+1])
		}
	}
	x.resize(100, 30)
	last, whole := "", false
	const pause = 100 * time.Millisecond
	for until := time.Now().Add(30 * time.Second); !whole && time.Now().Before(until); { // Esc and what comes close behind it are another key
		_, _ = x.waitSilence(pause)
		x.send("\x1b")
		n, _ := x.waitSilence(pause)
		x.send("\x0c") // the whole screen again
		x.waitMore(n)
		_, _ = x.waitSilence(pause)
		last = x.output()[n:]
		whole = strings.Contains(last, "worst first") && strings.Contains(last, "quit")
	}
	if !whole {
		t.Errorf("the screen is not whole: %q", last)
	}
	x.send("q")
	if code := x.waitExit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	x.checkRestored()
}

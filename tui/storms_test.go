package tui_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"vantage/internal/testkit/repotest"
)

// endings are the signals that end a program, with the exit code of a shell.
var endings = []struct {
	signal syscall.Signal
	code   int
}{{syscall.SIGTERM, 143}, {syscall.SIGINT, 130}, {syscall.SIGHUP, 129}, {syscall.SIGQUIT, 131}, {syscall.SIGABRT, 134}}

// growingLog is a folder to which steps are added until the test ends, of so many rows each.
func growingLog(t *testing.T, rows int) string {
	t.Helper()
	dir := t.TempDir()
	write := func(step int) {
		var b bytes.Buffer
		for i := range rows {
			fmt.Fprintf(&b, `{"input":"question %d","output":"%s","gts":"1","score":%d,"step":%d}`+"\n", i/8, strings.Repeat("word ", 40), i%2, step)
		}
		_ = os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.jsonl", step)), b.Bytes(), 0o600) // the folder may be gone
	}
	for step := range 20 {
		write(step)
	}
	done := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		for step := 20; step < 2000; step++ {
			select {
			case <-done:
				return
			case <-time.After(20 * time.Millisecond):
				write(step)
			}
		}
	})
	t.Cleanup(func() { close(done); writer.Wait() })
	return dir
}

// storm resizes the terminal from 10×3 to 300×80 and presses keys, so many times.
func (x *terminal) storm(random *rand.Rand, times int) {
	for i := range times {
		x.resize(10+random.IntN(291), 3+random.IntN(78))
		if i%5 == 0 {
			_, _ = x.tty.WriteString([]string{"j", "S", "v", "\t", "3", "p", "\r", "/a\r", "\x1b", "?", "\x0c", "]", ">", "<"}[random.IntN(14)])
		}
		time.Sleep(time.Duration(random.IntN(4)) * time.Millisecond)
	}
}

// At whatever moment a signal comes, while the log grows, keys arrive and the terminal changes its size: the terminal
// is given back, the exit code tells the signal, and no trace of goroutines is on it.
func TestSignalsInAStorm(t *testing.T) {
	for n, end := range endings {
		for moment := range 3 {
			t.Run(fmt.Sprint(end.signal, moment), func(t *testing.T) {
				repotest.OneIn(t, 20)
				t.Parallel()
				random := rand.New(rand.NewPCG(uint64(n), uint64(moment)))
				x := startProgram(t, growingLog(t, 400))
				x.waitFor("\x1b[?1049h")
				if moment > 0 {
					x.storm(random, random.IntN(200))
				}
				if err := x.cmd.Process.Signal(end.signal); err != nil {
					t.Fatal(err)
				}
				second := end
				if moment == 2 { // while it ends; of two that wait the system hands over either first
					second = endings[random.IntN(len(endings))]
					_ = x.cmd.Process.Signal(second.signal)
				}
				if code := x.waitExit(); code != end.code && code != second.code {
					t.Errorf("exit code %d, want %d", code, end.code)
				}
				x.checkRestored()
				x.checkNoTrace()
			})
		}
	}
}

// checkNoTrace fails if the terminal was sent what Go prints of a program that crashes.
func (x *terminal) checkNoTrace() {
	x.t.Helper()
	for _, trace := range []string{"goroutine ", "panic:", "fatal error", "runtime."} {
		if at := strings.Index(x.output(), trace); at >= 0 {
			x.t.Errorf("the terminal was sent %q", x.output()[at:min(at+300, len(x.output()))])
		}
	}
}

// leave presses Esc and q until the program ends, wherever it is, and returns its exit code. Esc and what comes close
// behind it are another key, and how close it was depends on how busy the program is: a single time might not be enough.
func (x *terminal) leave() int {
	x.t.Helper()
	ended := make(chan int, 1)
	go func() { ended <- x.waitExit() }()
	keys := time.NewTicker(100 * time.Millisecond)
	defer keys.Stop()
	for i := 0; ; i++ {
		select {
		case code := <-ended:
			return code
		case <-keys.C:
			x.send([]string{"\x1b", "\x1b", "\x1b", "q"}[i%4])
		}
	}
}

// The program survives 200 sizes of the terminal while it reads and keys arrive, and then quits as asked.
func TestResizesWhileReading(t *testing.T) {
	t.Parallel()
	x := startProgram(t, growingLog(t, 4000))
	x.storm(rand.New(rand.NewPCG(1, 2)), 200)
	x.resize(100, 30)
	if err := x.cmd.Process.Signal(syscall.Signal(0)); err != nil {
		t.Fatal("it is gone:", err)
	}
	if code := x.leave(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	x.checkRestored()
	x.checkNoTrace()
}

// Keys that were held down for minutes delay ^C no longer than a few of them.
func TestHeldKeysDelayNoInterrupt(t *testing.T) {
	t.Parallel()
	x := startProgram(t, growingLog(t, 400))
	x.waitFor("\x1b[?1049h")
	go func() { _, _ = x.tty.WriteString(strings.Repeat("f", 4000) + "\x03") }()
	begun := time.Now()
	if code := x.waitExit(); code != 0 || time.Since(begun) > 15*time.Second {
		t.Errorf("exit code %d after %v", code, time.Since(begun))
	}
}

// A terminal that is closed at any moment ends the program, without a kill.
func TestTerminalClosedInAStorm(t *testing.T) {
	for moment := range 4 {
		t.Run(fmt.Sprint(moment), func(t *testing.T) {
			repotest.OneIn(t, 4)
			t.Parallel()
			random := rand.New(rand.NewPCG(7, uint64(moment)))
			x := startProgram(t, growingLog(t, 400))
			if moment > 0 {
				x.waitFor("\x1b[?1049h")
				x.storm(random, random.IntN(150))
			}
			if err := x.tty.Close(); err != nil {
				t.Fatal(err)
			}
			x.waitExit()
			if state := x.cmd.ProcessState.Sys().(syscall.WaitStatus); state.Signal() == syscall.SIGKILL || state.ExitStatus() == 2 {
				t.Errorf("it ended with %v", x.cmd.ProcessState)
			}
			x.checkNoTrace()
		})
	}
}

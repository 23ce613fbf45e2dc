package tui_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"vantage/loaders/demo"
	"vantage/model"
	"vantage/tui"
	"vantage/tui/tty"

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

// panicVariable is the environment variable that makes this test binary a program that panics.
const panicVariable = "VANTAGE_TEST_PANIC"

// After a panic the terminal is restored, and the trace is on its screen.
func TestPanicGivesTheTerminalBack(t *testing.T) {
	for _, where := range []string{"update", "view", "command"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0])
			cmd.Env = []string{panicVariable + "=" + where}
			x := startCommand(t, cmd)
			x.waitFor("advantages")
			x.send("!")
			if code := x.waitExit(); code != 3 {
				t.Errorf("exit code %d", code)
			}
			x.checkRestored()
			sent := x.output()
			if !strings.Contains(sent[strings.LastIndex(sent, "\x1b[?1049l"):], "a fault in "+where) {
				t.Errorf("the trace is not on the screen of before: %q", sent[max(0, len(sent)-2000):])
			}
		})
	}
}

// panickingModel is App with a panic at the key !.
type panickingModel struct {
	tea.Model

	where  string
	now    bool
	source *panickingSource
}

// panickingSource is a source that panics once now is closed.
type panickingSource struct {
	tui.Source

	now chan struct{}
}

func (s *panickingSource) Next(ctx context.Context) (*model.Chunk, error) {
	select {
	case <-s.now:
		panic("a fault in command")
	default:
		return s.Source.Next(ctx)
	}
}

// runPanicking runs App as main does, with a panic in one place.
func runPanicking(where string) {
	source := &panickingSource{demo.New(demo.Options{Seed: 1}), make(chan struct{})}
	app := tui.New(context.Background(), source, tui.Options{Title: "demo", Settings: model.DefaultSettings(), Mouse: true})
	screen, err := tty.New(panickingModel{Model: app, where: where, source: source}, os.Stdout, colorprofile.ANSI256)
	if err == nil {
		_, err = screen.Run()
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(3)
}

func (f panickingModel) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if key, ok := msg.(tea.KeyPressMsg); ok && key.String() == "!" {
		switch f.where {
		case "update":
			panic("a fault in update")
		case "command":
			close(f.source.now)
		case "view":
			f.now = true
		}
	}
	next, cmd := f.Model.Update(msg)
	f.Model = next
	return f, cmd
}

func (f panickingModel) View() tea.View {
	if f.now {
		panic("a fault in view")
	}
	return f.Model.View()
}

package tui_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"
)

// program builds the whole program once, for the tests that run it as a person
// does.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "vantage")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "vantage")
	out, err := exec.Command("go", "build", "-o", path, "vantage").CombinedOutput()
	if err != nil {
		return "", errors.New(string(out))
	}
	return path, nil
})

func built(t *testing.T) string {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestMain(m *testing.M) {
	code := m.Run()
	if path, err := program(); err == nil {
		_ = os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// The commands, as scripts: what they print, where, and with which exit code.
func TestCommands(t *testing.T) {
	bin := built(t)
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(env *testscript.Env) error {
			binary := append([]byte("\x7fELF\x02\x01\x01\x00"), bytes.Repeat([]byte{0, 0xff, 0xfe, '\n'}, 1000)...)
			if err := os.WriteFile(filepath.Join(env.WorkDir, "binary.jsonl"), binary, 0o600); err != nil {
				return err
			}
			env.Setenv("PATH", filepath.Dir(bin)+string(os.PathListSeparator)+env.Getenv("PATH"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// exits N COMMAND... runs a command and wants that exit code; its output can be
// asked for with stdout and stderr as after exec.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	bin, err := program()
	ts.Check(err)
	cmd := exec.Command(filepath.Join(filepath.Dir(bin), args[1]), args[2:]...)
	cmd.Dir = ts.Getenv("WORK")
	cmd.Env = []string{"PATH=" + ts.Getenv("PATH"), "HOME=" + ts.Getenv("WORK")}
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	_ = cmd.Run()
	_, _ = io.Copy(ts.Stdout(), &out)
	text := errOut.String()
	_, _ = io.WriteString(ts.Stderr(), text)
	ts.Check(os.WriteFile(ts.MkAbs("said"), []byte(text), 0o600))
	if got := string(rune('0' + cmd.ProcessState.ExitCode())); got != args[0] {
		ts.Fatalf("exit code %s, want %s; it said %q", got, args[0], text)
	}
	if args[0] != "0" && strings.Count(strings.TrimSpace(text), "\n") > 0 {
		ts.Fatalf("more than one sentence: %q", text)
	}
}

// terminal is the program in a real one.
type terminal struct {
	t    *testing.T
	cmd  *exec.Cmd
	tty  *os.File
	mu   sync.Mutex
	seen bytes.Buffer
	done chan struct{}
}

func start(t *testing.T, args ...string) *terminal {
	t.Helper()
	x := &terminal{t: t, cmd: exec.Command(built(t), args...), done: make(chan struct{})}
	x.cmd.Env = append(os.Environ(), "TERM=xterm-256color", "NO_COLOR=", "LANG=C.UTF-8")
	var err error
	x.tty, err = pty.StartWithSize(x.cmd, &pty.Winsize{Cols: 120, Rows: 36})
	if err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	go func() {
		defer close(x.done)
		buffer := make([]byte, 1<<16)
		for {
			n, err := x.tty.Read(buffer)
			x.mu.Lock()
			x.seen.Write(buffer[:n])
			x.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() { _ = x.cmd.Process.Kill(); _ = x.tty.Close() })
	return x
}

func (x *terminal) output() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.seen.String()
}

// waitFor waits until the terminal was sent the text.
func (x *terminal) waitFor(text string) {
	x.t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if strings.Contains(x.output(), text) {
			return
		}
	}
	x.t.Fatalf("never saw %q in %q", text, x.output())
}

// ends waits for the program's end and returns its exit code.
func (x *terminal) ends() int {
	x.t.Helper()
	timer := time.AfterFunc(10*time.Second, func() { _ = x.cmd.Process.Kill() })
	defer timer.Stop()
	_ = x.cmd.Wait()
	<-x.done
	return x.cmd.ProcessState.ExitCode()
}

const leavesAltScreen = "\x1b[?1049l"

func TestDemoInATerminal(t *testing.T) {
	x := start(t, "demo")
	x.waitFor("advantages")
	x.waitFor("24 steps")
	x.send("pm")
	x.waitFor("0.95")
	x.send("q")
	if code := x.ends(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if !strings.Contains(x.output(), leavesAltScreen) {
		t.Error("the terminal was not given back")
	}
}

func TestSignalsGiveTheTerminalBack(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT} {
		x := start(t, "demo")
		x.waitFor("advantages")
		if err := x.cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		x.ends()
		if !strings.Contains(x.output(), leavesAltScreen) {
			t.Errorf("%v: the terminal was not given back", sig)
		}
	}
}

// A log that grows is on the screen without a key, and an idle one sends nothing.
func TestLiveAndQuiet(t *testing.T) {
	dir := t.TempDir()
	write := func(step, text string) {
		if err := os.WriteFile(filepath.Join(dir, step+".jsonl"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rows := func(step string) string {
		return `{"input":"q","output":"a","gts":"1","score":1.0,"step":` + step + "}\n" +
			`{"input":"q","output":"b","gts":"1","score":0.0,"step":` + step + "}\n"
	}
	write("1", rows("1"))
	x := start(t, dir)
	x.waitFor("step 1")
	write("2", rows("2"))
	x.waitFor("2 steps")
	time.Sleep(5 * time.Second) // until the newest step counts as written
	before := len(x.output())
	time.Sleep(2 * time.Second)
	if sent := len(x.output()) - before; sent != 0 {
		t.Errorf("%d bytes sent to an idle screen", sent)
	}
	x.send("q")
	x.ends()
}

func (x *terminal) send(keys string) {
	x.t.Helper()
	for _, key := range keys {
		if _, err := x.tty.WriteString(string(key)); err != nil {
			x.t.Fatal(err)
		}
	}
}

// What a model wrote to take the terminal over is not among the bytes that the
// terminal is sent, whichever way its text is looked at.
func TestHostileTextInATerminal(t *testing.T) {
	dir := t.TempDir()
	evil := `\u001b]52;c;ZXZpbA==\u0007\u001b]8;;http://evil\u0007\u001b]0;evil\u0007\u001b[31;1mred\u001b[5n\u009b5n\u202e\u200b\u0000\u0085`
	row := func(score string) string {
		return `{"input":"q ` + evil + `","output":"<think>` + evil + `</think> seen ` + evil + `","gts":"` + evil + `","score":` + score + `,"step":1}` + "\n"
	}
	writeFile(t, filepath.Join(dir, "1.jsonl"), row("1.0")+row("0.0"))
	x := start(t, dir)
	x.waitFor("step 1")
	x.send("\r")
	x.waitFor("seen")
	for _, key := range []string{"z", "v", "d", "\t", "/red\r", "G"} {
		x.send(key)
		time.Sleep(50 * time.Millisecond)
	}
	x.send("q")
	x.ends()
	for _, sent := range []string{"\x1b]52", "\x1b]8;", "\x1b]0;evil", "\x1b[31;1m", "\x1b[5n", "\u009b", "\u202e", "\u200b", "\x00", "\u0085"} {
		if strings.Contains(x.output(), sent) {
			t.Errorf("%q was sent to the terminal", sent)
		}
	}
}

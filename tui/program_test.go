package tui_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"vantage/internal/testkit/repotest"
)

// scratch is the folder of the tests for the program and what it saves.
var scratch string

// buildProgram builds the whole program, once.
var buildProgram = sync.OnceValues(func() (string, error) { return buildAs("vantage") })

func buildAs(name string, options ...string) (string, error) {
	path := filepath.Join(scratch, name)
	out, err := exec.Command("go", append(append([]string{"build", "-o", path}, options...), "vantage")...).CombinedOutput()
	if err != nil {
		return "", errors.New(string(out))
	}
	return path, nil
}

// programPath returns the path of the program. With -short, as for the race detector, which does not see into other
// processes, the test is skipped.
func programPath(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("it runs the program as a process of its own")
	}
	path, err := buildProgram()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// onPath returns the PATH, as of an environment, on which the program is.
func onPath(t *testing.T) string {
	t.Helper()
	return "PATH=" + filepath.Dir(programPath(t)) + string(os.PathListSeparator) + os.Getenv("PATH")
}

func TestMain(m *testing.M) {
	var err error
	if scratch, err = os.MkdirTemp("", "vantage-test"); err == nil {
		err = os.Setenv("XDG_STATE_HOME", filepath.Join(scratch, "state")) // not the user's
	}
	if err != nil {
		panic(err)
	}
	code := repotest.Run(m)
	_ = os.RemoveAll(scratch)
	os.Exit(code)
}

// The scripts run the commands and check what they print, where, and with which exit code.
func TestCommands(t *testing.T) {
	t.Parallel()
	path := strings.TrimPrefix(onPath(t), "PATH=")
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(env *testscript.Env) error {
			binary := append([]byte("\x7fELF\x02\x01\x01\x00"), bytes.Repeat([]byte{0, 0xff, 0xfe, '\n'}, 1000)...)
			if err := os.WriteFile(filepath.Join(env.WorkDir, "binary.jsonl"), binary, 0o600); err != nil {
				return err
			}
			env.Setenv("PATH", path)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
		Condition: func(name string) (bool, error) {
			if name != "all" {
				return false, fmt.Errorf("there is no condition %q", name)
			}
			return repotest.Times(0, 1) == 1, nil
		},
	})
}

// exits N COMMAND... runs a command and fails unless its exit code is N; stdout and stderr
// then check its output, as after exec.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	bin, err := buildProgram()
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

func TestDemoInATerminal(t *testing.T) {
	t.Parallel()
	x := startProgram(t, "demo")
	x.waitFor("advantages")
	x.waitFor("24 steps")
	x.send("pm")
	x.waitFor("0.95")
	x.send("q")
	if code := x.waitExit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	x.checkRestored()
}

// The demo of an illness shows it on a log in a folder that is gone afterwards, whether a key or a signal ends it; of metrics alone there is
// a text in place of the screen.
func TestDemoOfAnIllnessInATerminal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ kind, shows, end string }{
		{"answer_collapse", "answer collapse since ", "key"},
		{"kl_drift", "kl drift since 31", "signal"},
		{"nothing_trains", "nothing trains since step 1", ""},
	} {
		t.Run(c.kind, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			cmd := exec.Command(programPath(t), "demo", "--ill", c.kind)
			cmd.Env = []string{"TMPDIR=" + folder}
			x := startCommand(t, cmd)
			x.waitFor(c.shows)
			switch c.end {
			case "key":
				x.send("q")
			case "signal":
				if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
					t.Fatal(err)
				}
			}
			if code := x.waitExit(); code != 0 && c.end != "signal" {
				t.Errorf("exit code %d", code)
			}
			if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
				t.Errorf("it left %v, %v", left, err)
			}
		})
	}
}

// If the terminal does not tell its background, COLORFGBG does: the light blue of the dark
// theme cannot be read on white. Without it all text is seen on both.
func TestThemeFollowsCOLORFGBG(t *testing.T) {
	dark, light, either := "38;5;117m", "38;5;25m", "38;5;31m" // the colour of keys
	for colours, want := range map[string]string{"": either, "15;0": dark, "0;15": light, "0;default;15": light} {
		t.Run(colours, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(programPath(t), "demo")
			cmd.Env = []string{"COLORFGBG=" + colours}
			x := startCommand(t, cmd)
			x.waitFor("advantages")
			x.send("q")
			x.waitExit()
			if !strings.Contains(x.output(), want) {
				t.Error("the theme is the wrong one")
			}
		})
	}
}

// New rows appear without a key, and an idle screen is sent nothing.
func TestGrowingLogIsShownAndIdleSendsNothing(t *testing.T) {
	t.Parallel()
	dir, elsewhere := t.TempDir(), t.TempDir()
	old := time.Now().Add(-time.Hour) // a step counts as written
	write := func(step string) {
		writeStep(t, elsewhere, step, false)
		from := filepath.Join(elsewhere, step+".jsonl")
		if err := os.Chtimes(from, old, old); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(from, filepath.Join(dir, step+".jsonl")); err != nil {
			t.Fatal(err)
		}
	}
	write("1")
	x := startProgram(t, dir)
	x.waitFor("step 1")
	write("2")
	x.waitFor("2 steps")
	if _, ok := x.waitSilence(1200 * time.Millisecond); !ok {
		t.Error("an idle screen is sent something every second")
	}
	x.send("q")
	x.waitExit()
}

// Escape sequences in a text are never sent to the terminal, however the text is shown.
func TestHostileTextInATerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	evil := `\u001b]52;c;ZXZpbA==\u0007\u001b]8;;http://evil\u0007\u001b]0;evil\u0007\u001b[31;1mred\u001b[5n\u009b5n\u202e\u200b\u0000\u0085`
	row := func(score string) string {
		return `{"input":"q ` + evil + `","output":"<think>` + evil + `</think> seen ` + evil + `","gts":"` + evil + `","score":` + score + `,"step":1}` + "\n"
	}
	writeFile(t, filepath.Join(dir, "1.jsonl"), row("1.0")+row("0.0"))
	x := startProgram(t, dir)
	x.waitFor("step 1")
	x.send("\r")
	x.waitFor("seen")
	for _, key := range []struct{ keys, shows string }{
		{"T", "▸"}, {"T", "▾"}, {"I", "as logged"}, {"d", "diff"}, {"\t", "\x1b"}, {"/red\r", " of "},
	} {
		n := len(x.output())
		x.send(key.keys)
		x.waitAfter(n, key.shows)
	}
	x.send("Gq")
	x.waitExit()
	for _, sent := range []string{"\x1b]52", "\x1b]8;", "\x1b]0;evil", "\x1b[31;1m", "\x1b[5n", "\u009b", "\u202e", "\u200b", "\x00", "\u0085"} {
		if strings.Contains(x.output(), sent) {
			t.Errorf("%q was sent to the terminal", sent)
		}
	}
}

package tui_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vantage/internal/testkit/repotest"
)

// startAlone starts the program without a path in a directory with two runs.
func startAlone(t *testing.T, args ...string) (x *terminal, state string) {
	t.Helper()
	dir, state := t.TempDir(), t.TempDir()
	writeStep(t, makeDir(t, dir, "one"), "1", false)
	writeStep(t, makeDir(t, dir, "two"), "7", false)
	cmd := exec.Command(programPath(t), args...)
	cmd.Dir, cmd.Env = dir, []string{"XDG_STATE_HOME=" + state}
	return startCommand(t, cmd), state
}

func makeDir(t *testing.T, elements ...string) string {
	t.Helper()
	dir := filepath.Join(elements...)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Without a path the logs are listed; Enter opens one, quitting it quits, and it is a recent run then.
func TestStartOpensWhatIsChosen(t *testing.T) {
	t.Parallel()
	x, state := startAlone(t)
	x.waitFor("unknown")
	x.waitFor("Enter opens")
	if _, ok := x.waitSilence(1200 * time.Millisecond); !ok {
		t.Error("an idle list is sent something")
	}
	x.send("one")
	x.waitFor("1 of 2")
	x.send("\r")
	x.waitFor("advantages")
	x.send("q")
	if code := x.waitExit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	x.checkRestored()
	saved, err := filepath.Glob(filepath.Join(state, "vantage", "runs", "*.json"))
	if err != nil || len(saved) != 1 {
		t.Errorf("%v, %v", saved, err)
	}
}

// Two marked runs open for comparison.
func TestStartComparesTwo(t *testing.T) {
	t.Parallel()
	x, _ := startAlone(t)
	x.waitFor("unknown")
	x.waitFor("Enter opens")
	x.send(" \x1b[B")
	x.waitFor("compares")
	x.send("\r")
	x.waitFor("advantages")
	x.send("c")
	x.waitFor("compare")
	x.send("q")
	x.waitExit()
	x.checkRestored()
}

// q leaves the list with exit code 0, ^C too.
func TestStartQuits(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"q", "\x03"} {
		x, state := startAlone(t)
		x.waitFor("Enter opens")
		x.send(key)
		if code := x.waitExit(); code != 0 {
			t.Errorf("%q: exit code %d", key, code)
		}
		x.checkRestored()
		if saved, _ := filepath.Glob(filepath.Join(state, "vantage", "runs", "*")); len(saved) > 0 {
			t.Errorf("%q: saved %v", key, saved)
		}
	}
}

// What comes through a pipe is not passed over in silence.
func TestStartWithAPipe(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("sh", "-c", "echo '{}' | "+programPath(t))
	cmd.Dir = t.TempDir()
	x := startCommand(t, cmd)
	x.waitFor("give - as the path")
	if code := x.waitExit(); code != 2 {
		t.Errorf("exit code %d", code)
	}
}

// A theme that is none is an error before anything is drawn.
func TestStartChecksTheTheme(t *testing.T) {
	repotest.Slow(t)
	t.Parallel()
	x, _ := startAlone(t, "--theme", "nosuch")
	x.waitFor("unknown theme")
	if code := x.waitExit(); code != 2 {
		t.Errorf("exit code %d", code)
	}
	if strings.Contains(x.output(), "Enter opens") {
		t.Error("the list was drawn")
	}
}

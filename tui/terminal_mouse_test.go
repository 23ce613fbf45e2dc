package tui_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vantage/tui/cells"
)

// screenText returns the screen as the program copies it into a file.
func (x *terminal) screenText(state string) []string {
	x.t.Helper()
	file := filepath.Join(state, "vantage", "screen-1.txt")
	for range 50 {
		n := len(x.output())
		x.send("ys")
		x.waitMore(n)
		_, _ = x.waitSilence(100 * time.Millisecond)
		if text, err := os.ReadFile(file); err == nil && len(text) > 0 {
			_ = os.Remove(file)
			x.send("\x0c") // which ends the notice
			_, _ = x.waitSilence(100 * time.Millisecond)
			return strings.Split(string(text), "\n")
		}
	}
	x.t.Fatal("the screen was not copied")
	return nil
}

// screenWith returns the screen once it holds a text: a busy machine may answer the mouse late.
func (x *terminal) screenWith(state, text string) []string {
	x.t.Helper()
	var screen []string
	for range 20 {
		screen = x.screenText(state)
		if strings.Contains(strings.Join(screen, "\n"), text) {
			return screen
		}
	}
	x.t.Fatalf("%q is not on the screen:\n%s", text, strings.Join(screen, "\n"))
	return nil
}

// place returns where a text is on the screen, from 1.
func place(t *testing.T, screen []string, text string) (x, y int) {
	t.Helper()
	for y, line := range screen {
		if before, _, found := strings.Cut(line, text); found {
			return cells.Width(before) + 1, y + 1
		}
	}
	t.Fatalf("%q is not on the screen:\n%s", text, strings.Join(screen, "\n"))
	return 0, 0
}

// mouse sends what a terminal reports: a button, from which cell to which.
func (x *terminal) mouse(button int, column, row, toColumn, toRow int) {
	x.t.Helper()
	report := fmt.Sprintf("\x1b[<%d;%d;%dM", button, column, row)
	if column != toColumn || row != toRow {
		report += fmt.Sprintf("\x1b[<%d;%d;%dM", button+32, toColumn, toRow)
	}
	if button < 64 {
		report += fmt.Sprintf("\x1b[<%d;%d;%dm", button, toColumn, toRow)
	}
	if _, err := x.tty.WriteString(report); err != nil {
		x.t.Fatal(err)
	}
	_, _ = x.waitSilence(200 * time.Millisecond)
}

// In a terminal that reports the mouse, clicks and the wheel do what they do; the terminal is asked for
// motion only while a button is down, and gets nothing while nothing happens.
func TestMouseInATerminal(t *testing.T) {
	t.Parallel()
	state, dir := t.TempDir(), t.TempDir()
	for _, step := range []string{"1", "2", "3"} {
		writeStep(t, dir, step, false)
	}
	cmd := exec.Command(programPath(t), dir, "--mouse")
	cmd.Env = []string{"XDG_STATE_HOME=" + state}
	x := startCommand(t, cmd)
	x.waitFor("pass@1")
	x.waitFor("\x1b[?1002h")
	if strings.Contains(x.output(), "\x1b[?1003h") {
		t.Error("the terminal is asked for every motion")
	}
	screen := x.screenWith(state, "fate ")
	_, row := place(t, screen, "fate ")
	column, _ := place(t, screen[row-1:row], "reward")
	x.mouse(0, column, row, column, row)
	screen = x.screenWith(state, "by reward")
	column, row = place(t, screen, "╭ 3 steps")
	x.mouse(64, column+3, row+2, column+3, row+2)
	x.screenWith(state, "F follows the newest") // which it did before the wheel
	// the last step is taken for complete after some seconds, and later on a busy machine
	if n, silent := x.waitSilence(6 * time.Second); !silent {
		t.Errorf("%q is sent while nothing happens", x.output()[max(0, n-1000):])
	}
	column, row = place(t, screen, "q quit")
	x.mouse(0, column, row, column, row)
	if code := x.waitExit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	x.checkRestored()
}

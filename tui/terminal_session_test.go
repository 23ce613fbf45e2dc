package tui_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The session is restored after a key or the closed terminal ended the program; nothing is
// written into the folder of the log, and a file of another program is left as it is.
func TestSessionIsRestoredInTheProgram(t *testing.T) {
	t.Parallel()
	state, dir := t.TempDir(), t.TempDir()
	open := func(args ...string) *terminal {
		cmd := exec.Command(programPath(t), append([]string{dir}, args...)...)
		cmd.Env = []string{"XDG_STATE_HOME=" + state}
		return startCommand(t, cmd)
	}
	writeStep(t, dir, "1", false)
	writeStep(t, dir, "2", false)
	x := open()
	x.waitFor("pass@1")
	x.send("ppf") // framework and ratios
	x.waitFor("TRL itself has no such filter")
	x.send("q")
	x.waitExit()

	x = open()
	x.waitFor("restored from the last session: TRL grpo")
	x.waitFor("0.90")
	x.send("p")
	x.waitFor("85")
	if err := x.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	x.waitExit()

	x = open("--keep-pos-ratio", "0.55")
	x.waitFor("f TRL")
	x.waitFor("0.55")
	x.send("q")
	x.waitExit()
	files, err := filepath.Glob(filepath.Join(state, "vantage", "runs", "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	if beside, err := os.ReadDir(dir); err != nil || len(beside) != 2 {
		t.Errorf("beside the log: %v, %v", beside, err)
	}

	saved, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, files[0], strings.Replace(string(saved), `"view"`, `"marks": [{"step": 2, "group": "g1", "note": "who graded this?"}], "view"`, 1))
	const mark = "step 2, group g1: who graded this?"
	for _, want := range []int{1, 0} { // what an earlier release kept is printed once
		x = open()
		x.waitFor("restored from the last session")
		x.send("q")
		x.waitExit()
		if got := strings.Count(x.output(), mark); got != want {
			t.Errorf("the note is printed %d times, want %d", got, want)
		}
	}
	if notes, err := os.ReadFile(strings.TrimSuffix(files[0], ".json") + ".notes.txt"); err != nil || !strings.Contains(string(notes), mark) {
		t.Errorf("%q, %v", notes, err)
	}

	writeFile(t, files[0], "not ours")
	x = open()
	x.waitFor("is not overwritten")
	x.send("pq")
	x.waitExit()
	if data, err := os.ReadFile(files[0]); err != nil || string(data) != "not ours" {
		t.Errorf("%q, %v", data, err)
	}
	if !strings.Contains(x.output(), "vantage: "+files[0]) {
		t.Error("nothing was said of it at the end")
	}
}

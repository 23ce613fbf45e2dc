package tui_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"vantage/internal/testkit/filetest"
)

// plantVariable is the environment variable that makes a build of the program panic somewhere.
const plantVariable = "VANTAGE_TEST_PANIC"

var buildPlanted = sync.OnceValues(func() (string, error) {
	return buildAs("vantage-planted", "-ldflags", "-X vantage/model/fault.planted="+plantVariable)
})

// planted returns a command that panics at a place, and the state directory that it gets.
func planted(t *testing.T, place string, args ...string) (cmd *exec.Cmd, state string) {
	t.Helper()
	if testing.Short() {
		t.Skip("it runs the program as a process of its own")
	}
	path, err := buildPlanted()
	if err != nil {
		t.Fatal(err)
	}
	state = t.TempDir()
	cmd = exec.Command(path, args...)
	cmd.Env = append(os.Environ(), plantVariable+"="+place, "XDG_STATE_HOME="+state)
	return cmd, state
}

// fourSteps writes a file of eight samples for each of four steps, of which two groups train.
func fourSteps(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for step := 1; step <= 4; step++ {
		var rows strings.Builder
		for i := range 8 {
			fmt.Fprintf(&rows, `{"input":"question %d","output":"answer %d","score":%d,"step":%d}`+"\n", i/4, i, i%2, step)
		}
		filetest.Write(t, filepath.Join(dir, fmt.Sprintf("%d.jsonl", step)), rows.String())
	}
	return dir
}

var faultFile = regexp.MustCompile(`/\S*/vantage/faults/fault-\S+\.txt`)

// checkFault fails unless a text has one sentence about a fault, and the file that it names holds the stack with a function.
func checkFault(t *testing.T, text, sentence, function string) {
	t.Helper()
	if n := strings.Count(text, "a fault of vantage"); n != 1 {
		t.Fatalf("%d sentences about a fault, want 1: %q", n, text)
	}
	if !strings.Contains(text, sentence) || !strings.Contains(text, "please report them") {
		t.Errorf("want %q in %q", sentence, text)
	}
	for _, trace := range []string{"goroutine ", "panic:", "runtime.", "panic("} {
		if strings.Contains(text, trace) {
			t.Errorf("a trace is shown: %q", text)
		}
	}
	stack, err := os.ReadFile(faultFile.FindString(text))
	if err != nil || !bytes.Contains(stack, []byte(function)) || !bytes.Contains(stack, []byte("planted in ")) {
		t.Errorf("the file holds %q (%v), want a stack with %s", stack, err, function)
	}
}

// A panic on the screen gives the terminal back and ends the program with a sentence, whatever the program did.
func TestPanicGivesTheTerminalBack(t *testing.T) {
	t.Parallel()
	for place, want := range map[string]struct{ doing, function string }{
		"update:p":  {"answering a key or a message on the screen", "tty.(*Screen).update"},
		"view:p":    {"drawing the screen", "tty.(*Screen).View"},
		"command:p": {"computing for the screen", ".guarded."},
	} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			cmd, _ := planted(t, place, fourSteps(t))
			x := startCommand(t, cmd)
			x.waitFor("advantages")
			x.send("p")
			if code := x.waitExit(); code != 1 {
				t.Errorf("exit code %d, want 1", code)
			}
			x.checkRestored()
			sent := x.output()
			_, after, _ := strings.Cut(sent[strings.LastIndex(sent, "\x1b[?1049l"):], "vantage: ")
			checkFault(t, after, "a fault of vantage while "+want.doing+" for ", want.function)
			if line, rest, _ := strings.Cut(after, "\r\n"); !strings.HasSuffix(line, "report them") || rest != "the program has ended" {
				t.Errorf("more than a line: %q", after)
			}
		})
	}
}

// A panic in computing, also in a goroutine of several, ends a command and the screen with a sentence.
func TestPanicInAComputationIsASentence(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ place, function string }{{"parallel", "model.InParallel"}, {"pipeline", "analysis.newPipeline"}} {
		t.Run(c.place, func(t *testing.T) {
			t.Parallel()
			cmd, _ := planted(t, c.place, "sweep", fourSteps(t))
			if c.place == "pipeline" {
				cmd.Args[1] = "report"
				cmd.Args = append(cmd.Args, "--brief")
			}
			checkFailed(t, cmd, "a fault of vantage while running the command for ", c.function)
		})
	}
	t.Run("screen", func(t *testing.T) {
		t.Parallel()
		cmd, _ := planted(t, "analysis", fourSteps(t))
		x := startCommand(t, cmd)
		if code := x.waitExit(); code != 1 {
			t.Errorf("exit code %d, want 1", code)
		}
		x.checkRestored()
		checkFault(t, x.output(), "a fault of vantage while computing for the screen for ", "analysis.newPlan")
	})
	t.Run("before the screen", func(t *testing.T) {
		t.Parallel()
		cmd, _ := planted(t, "waiting", fourSteps(t))
		x := startCommand(t, cmd)
		if code := x.waitExit(); code != 1 {
			t.Errorf("exit code %d, want 1", code)
		}
		checkFault(t, x.output(), "a fault of vantage while running the command", "commands.(*explorer).waitForDisk")
	})
}

func checkFailed(t *testing.T, cmd *exec.Cmd, sentence, function string) {
	t.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err == nil || cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("exit code %d, want 1", cmd.ProcessState.ExitCode())
	}
	if strings.Count(stderr.String(), "\n") != 1 {
		t.Errorf("want a line: %q", stderr.String())
	}
	checkFault(t, stderr.String(), sentence, function)
}

// A panic in reading a file is a problem of that file. The others are read.
func TestPanicInReadingAFile(t *testing.T) {
	t.Parallel()
	t.Run("one of four", func(t *testing.T) {
		t.Parallel()
		cmd, _ := planted(t, "reading:2.jsonl", "report", fourSteps(t))
		out, err := cmd.CombinedOutput()
		if err != nil || !bytes.Contains(out, []byte("24 samples")) {
			t.Errorf("%s (%v), want the 24 samples of three files", out, err)
		}
		checkFault(t, string(out), "2.jsonl: it could not be read: a fault of vantage (planted in reading)", "loaders.(*fileSet).readFile")
	})
	t.Run("by workers", func(t *testing.T) {
		t.Parallel()
		dir := fourSteps(t)
		row := `{"input":"question","output":"` + strings.Repeat("long answer ", 80) + `","score":1,"step":5}` + "\n"
		filetest.Write(t, filepath.Join(dir, "5.jsonl"), strings.Repeat(row, 4000))
		cmd, _ := planted(t, "worker", "report", dir)
		out, err := cmd.CombinedOutput()
		if err != nil || !bytes.Contains(out, []byte("complete: 5 rows, one per step")) {
			t.Errorf("%s (%v), want the steps of four files, and what was read before of the fifth", out, err)
		}
		checkFault(t, string(out), "5.jsonl: the rest of it could not be read: a fault of vantage (planted in worker)", "loaders.(*worker).decode")
	})
	t.Run("the only one", func(t *testing.T) {
		t.Parallel()
		cmd, _ := planted(t, "reading", "summary", filepath.Join(fourSteps(t), "1.jsonl"))
		checkFailed(t, cmd, "could not be read: a fault of vantage", "loaders.(*fileSet).readFile")
	})
}

// Where the details cannot be saved, the sentence says so, and nothing else is written.
func TestPanicWithoutAStateDirectory(t *testing.T) {
	t.Parallel()
	cmd, state := planted(t, "parallel", "sweep", fourSteps(t))
	filetest.Write(t, filepath.Join(state, "vantage"), "a file in its place")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	_ = cmd.Run()
	if got := stderr.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "its details could not be saved: mkdir ") || cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("exit code %d, %q", cmd.ProcessState.ExitCode(), got)
	}
}

// Of many panics the newest ten are kept.
func TestFaultsAreBounded(t *testing.T) {
	t.Parallel()
	dir := fourSteps(t)
	last, state := planted(t, "parallel", "sweep", dir)
	for range 12 {
		cmd := exec.Command(last.Path, last.Args[1:]...)
		cmd.Env = last.Env
		_ = cmd.Run()
	}
	var stderr bytes.Buffer
	last.Stderr = &stderr
	_ = last.Run()
	kept, err := filepath.Glob(filepath.Join(state, "vantage", "faults", "*"))
	if err != nil || len(kept) != 10 || kept[9] != faultFile.FindString(stderr.String()) {
		t.Errorf("%d files are kept, of which the last is not that of %q (%v)", len(kept), stderr.String(), err)
	}
}

// With few addresses a command answers, or refuses with a sentence: Go's runtime would end it with a dump.
func TestFewAddressesAreRefused(t *testing.T) {
	t.Parallel()
	dir := fourSteps(t)
	for _, limit := range []int{800_000, 850_000, 900_000, 1_000_000} { // KB, of which Go takes 0.7 GB before the program begins
		cmd := exec.Command("sh", "-c", `ulimit -v "$1" && exec "$2" summary "$3"`, "sh", strconv.Itoa(limit), programPath(t), dir)
		var out, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &stderr
		err := cmd.Run()
		refused := cmd.ProcessState.ExitCode() == 1 && strings.Count(stderr.String(), "\n") == 1 && strings.Contains(stderr.String(), "of addresses (ulimit -v)") && out.Len() == 0
		answered := err == nil && stderr.Len() == 0 && strings.Contains(out.String(), "32 samples")
		if !refused && !answered {
			t.Errorf("ulimit -v %d: %v, %q", limit, err, stderr.String())
		}
	}
}

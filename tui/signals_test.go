package tui_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vantage/internal/testkit/repotest"
)

// startPiped starts the program with its output in a pipe, and kills it after two minutes.
func startPiped(t *testing.T, args ...string) (cmd *exec.Cmd, lines *bufio.Reader, stderr *bytes.Buffer) {
	t.Helper()
	cmd, stderr = exec.Command(programPath(t), args...), &bytes.Buffer{}
	cmd.Stderr = stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	limit := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
	t.Cleanup(func() { limit.Stop(); _ = cmd.Process.Kill() })
	return cmd, bufio.NewReader(out), stderr
}

// writeStep writes the log of a step of one group: two right, or one right and one wrong.
func writeStep(t *testing.T, dir, name string, right bool) {
	t.Helper()
	other := "0.0"
	if right {
		other = "1.0"
	}
	row := `{"input":"q","output":"a","gts":"1","step":` + name + `,"score":`
	writeFile(t, filepath.Join(dir, name+".jsonl"), row+"1.0}\n"+row+other+"}\n")
}

// A watch prints a line when a rule fails and when it holds again. A signal ends it without
// a message, with the exit code of the newest step.
func TestWatchReportsEachChange(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		signal os.Signal
		ends   bool // with a step that has signal
		code   int
	}{{os.Interrupt, true, 0}, {syscall.SIGTERM, false, 3}} {
		dir := writeOldSteps(t) // the second has no signal
		cmd, lines, stderr := startPiped(t, "check", "--watch", dir, "--fail-on", "signal=0")
		expectLine(t, lines, "FAIL  signal=0: 0 at step 2\n")
		if c.ends {
			writeStep(t, dir, "3", false)
			writeStep(t, dir, "4", false) // a newer step: the one before is complete
			expectLine(t, lines, "ok    signal=0: 1 at step 3\n")
		}
		if err := cmd.Process.Signal(c.signal); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if cmd.ProcessState.ExitCode() != c.code || stderr.String() != "vantage: computed as verl grpo with scale group (assumed: the trainer's default)\n" {
			t.Errorf("%v: exit code %d, want %d; it said %q", c.signal, cmd.ProcessState.ExitCode(), c.code, stderr)
		}
	}
}

func expectLine(t *testing.T, lines *bufio.Reader, want string) {
	t.Helper()
	if got, err := lines.ReadString('\n'); got != want {
		t.Fatalf("got %q (%v), want %q", got, err, want)
	}
}

// A signal stops every command that reads, even if nothing comes.
func TestSignalsStopReading(t *testing.T) {
	for _, command := range []string{"summary", "why", "report", "export", "sweep", "plan", "prompts", "check", "match", "compare"} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			silent := filepath.Join(t.TempDir(), "silent")
			if err := syscall.Mkfifo(silent, 0o600); err != nil {
				t.Skipf("no named pipes here: %v", err)
			}
			args := []string{command, silent}
			if command == "compare" {
				args = append(args, silent)
			}
			cmd, lines, stderr := startPiped(t, args...)
			h, err := os.OpenFile(silent, os.O_WRONLY, 0) // as soon as there is a reader
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = h.Close() }()
			checkStops(t, cmd, lines, stderr, os.Interrupt, 130)
		})
	}
}

// A signal stops writing while the reader of the output waits, and the output shows that it
// is incomplete: it has no last line, or does not parse.
func TestSignalsStopWriting(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log, small := filepath.Join(dir, "log.jsonl"), filepath.Join(dir, "small.jsonl")
	writeFile(t, log, manySteps(2000))
	writeFile(t, small, manySteps(20))
	for _, args := range [][]string{ // each writes more than a pipe holds
		{"report", log},
		{"report", log, "--format", "md"},
		{"report", log, "--format", "csv"},
		{"report", log, "--format", "json"},
		{"report", log, "--per", "group"},
		{"report", log, "--per", "group", "--format", "json"},
		{"export", log},
		{"export", log, "--format", "csv"},
		{"sweep", small, "--format", "csv", "--keep-pos-ratio", "0:1:0.01", "--keep-neg-ratio", "0:1:0.02"},
		{"sweep", small, "--format", "json", "--keep-pos-ratio", "0:1:0.02", "--keep-neg-ratio", "0:1:0.02"},
		{"sweep", small, "--format", "svg", "--keep-pos-ratio", "0:1:0.05", "--keep-neg-ratio", "0:1:0.05"},
		{"compare", log, log, "--format", "csv"},
		{"compare", log, log, "--format", "json"},
	} {
		t.Run(strings.Join(append(args[:1:1], args[2:]...), " "), func(t *testing.T) {
			repotest.OneIn(t, 7)
			t.Parallel()
			cmd, lines, stderr := startPiped(t, args...)
			if _, err := lines.Peek(1); err != nil {
				t.Fatal(err, stderr)
			}
			got := checkStops(t, cmd, lines, stderr, syscall.SIGTERM, 143)
			if len(got) < 1<<12 {
				t.Errorf("only %d bytes", len(got))
			}
			if bytes.Contains(got, []byte("complete")) || bytes.Contains(got, []byte("</svg>")) {
				t.Errorf("it seems whole: …%s", got[max(0, len(got)-100):])
			}
		})
	}
}

// checkStops sends a signal, checks the exit code and the message, and returns the output.
func checkStops(t *testing.T, cmd *exec.Cmd, lines *bufio.Reader, stderr *bytes.Buffer, signal os.Signal, code int) []byte {
	t.Helper()
	if err := cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	state, err := cmd.Process.Wait()
	if err != nil {
		t.Fatal(err)
	}
	got, _ := io.ReadAll(lines)
	_ = cmd.Wait() // stderr has been read to its end
	if state.ExitCode() != code || !strings.Contains(stderr.String(), "is incomplete") || strings.Count(stderr.String(), "\n") != 1 {
		t.Errorf("exit code %d, want %d; it said %q", state.ExitCode(), code, stderr)
	}
	return got
}

// manySteps returns a log of steps with a group of two each, each with its own prompt.
func manySteps(n int) string {
	var b strings.Builder
	for i := range n {
		for score := range 2 {
			fmt.Fprintf(&b, `{"step":%d,"prompt":"the question that comes at number %d","answer":"a","reward":%d,"advantage":%d.5}`+"\n", i, i, score, score-1)
		}
	}
	return b.String()
}

// A closed pipe ends every command in every format without a message, whether or not SIGPIPE
// is ignored.
func TestClosedPipe(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "log.jsonl"), manySteps(20))
	for _, command := range []string{
		"report log.jsonl", "report log.jsonl --format md", "report log.jsonl --format csv", "report log.jsonl --format json", "log.jsonl",
		"report log.jsonl --per group", "report log.jsonl --per run",
		"export log.jsonl", "export log.jsonl --format csv",
		"sweep log.jsonl", "sweep log.jsonl --format csv", "sweep log.jsonl --format json", "sweep log.jsonl --format svg", "plan log.jsonl --sizes-only", "plan log.jsonl --sizes-only --format json", "plan log.jsonl --sizes-only --format csv", "plan log.jsonl", "plan log.jsonl --format json", "prompts log.jsonl", "grep log.jsonl a",
		"compare log.jsonl log.jsonl", "compare log.jsonl log.jsonl --format md", "compare log.jsonl log.jsonl --format csv", "compare log.jsonl log.jsonl --format json",
		"check log.jsonl", "check log.jsonl --format json", "check log.jsonl --format junit", "check log.jsonl --format github",
		"match log.jsonl", "match log.jsonl --format json", "list estimators", "list estimators grpo", "list estimators --format json", "list filters", "list filters verl", "list filters --format json", "list losses", "list losses verl", "list losses --format json", "list overlong", "list overlong --format json", "list off-policy-rules", "list off-policy-rules --format json", "list formats", "list formats --format json", "list illnesses", "list illnesses --format json",
		"report --emit easyr1", "report log.jsonl --brief", "why log.jsonl", "config", "version", "version --format json",
	} {
		t.Run(command, func(t *testing.T) {
			repotest.OneIn(t, 14)
			t.Parallel()
			for _, trap := range []string{"", "trap '' PIPE; "} {
				cmd := exec.Command("sh", "-c", trap+"exec vantage "+command)
				cmd.Dir, cmd.Env = dir, append(os.Environ(), onPath(t), "XDG_CONFIG_HOME="+dir)
				var stderr bytes.Buffer
				cmd.Stderr = &stderr
				reader, writer, err := os.Pipe()
				if err != nil {
					t.Fatal(err)
				}
				_ = reader.Close() // nobody ever reads
				cmd.Stdout = writer
				_ = cmd.Run()
				_ = writer.Close()
				status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
				if quiet := status.Signaled() && status.Signal() == syscall.SIGPIPE || status.ExitStatus() == 141; !quiet || stderr.Len() > 0 {
					t.Errorf("%sexec: %v, it said %q", trap, cmd.ProcessState, &stderr)
				}
			}
		})
	}
}

// A tail prints a line for each step when it is complete. A signal ends it with exit code 0.
func TestTailPrintsCompleteSteps(t *testing.T) {
	t.Parallel()
	dir := writeOldSteps(t)
	cmd, lines, stderr := startPiped(t, "tail", dir)
	expectLine(t, lines, "      2          0/2        0/1        1        1  1 all correct\n")
	writeStep(t, dir, "3", false)
	writeStep(t, dir, "4", false)
	expectLine(t, lines, "      3          2/2        1/1    0.500        1  1 alive\n")
	expectLine(t, lines, "      4          2/2        1/1    0.500        1  1 alive\n") // it has as many samples as each before it
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	expectLine(t, lines, "end: interrupted; 3 steps\n")
	_ = cmd.Wait()
	if cmd.ProcessState.ExitCode() != 0 || stderr.Len() > 0 {
		t.Errorf("exit code %d; it said %q", cmd.ProcessState.ExitCode(), stderr)
	}
}

// A tail ends when no row comes for as long as it is told: exit code 0.
func TestTailEndsWhenIdle(t *testing.T) {
	t.Parallel()
	cmd, lines, stderr := startPiped(t, "tail", writeOldSteps(t), "--idle-timeout", "2s")
	expectLine(t, lines, "      2          0/2        0/1        1        1  1 all correct\n")
	expectLine(t, lines, "end: idle, no row for 2 s; 1 step\n")
	_ = cmd.Wait()
	if cmd.ProcessState.ExitCode() != 0 || stderr.Len() > 0 {
		t.Errorf("exit code %d; it said %q", cmd.ProcessState.ExitCode(), stderr)
	}
}

// writeOldSteps writes two steps of an hour ago, the second all right, which are complete whenever they are read.
func writeOldSteps(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	old := time.Now().Add(-time.Hour)
	for name, right := range map[string]bool{"1": false, "2": true} {
		writeStep(t, dir, name, right)
		if err := os.Chtimes(filepath.Join(dir, name+".jsonl"), old, old); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

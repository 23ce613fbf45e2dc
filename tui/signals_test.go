package tui_test

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// piped starts the program with its output in a pipe, and gives it half a minute.
func piped(t *testing.T, args ...string) (cmd *exec.Cmd, lines *bufio.Reader, said *bytes.Buffer) {
	t.Helper()
	cmd, said = exec.Command(built(t), args...), &bytes.Buffer{}
	cmd.Stderr = said
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	limit := time.AfterFunc(30*time.Second, func() { _ = cmd.Process.Kill() })
	t.Cleanup(func() { limit.Stop(); _ = cmd.Process.Kill() })
	return cmd, bufio.NewReader(out), said
}

// step is the log of a step of one group: two right, or one right and one wrong.
func step(t *testing.T, dir, name string, right bool) {
	t.Helper()
	other := "0.0"
	if right {
		other = "1.0"
	}
	row := `{"input":"q","output":"a","gts":"1","step":` + name + `,"score":`
	writeFile(t, filepath.Join(dir, name+".jsonl"), row+"1.0}\n"+row+other+"}\n")
}

// A watch tells when a rule begins to fail and when it is kept again, a line each, and
// ends with the signal that ends its job: quietly, with what holds at the newest step.
func TestWatch(t *testing.T) {
	for _, c := range []struct {
		signal os.Signal
		ends   bool // with a step that has signal
		code   int
	}{{os.Interrupt, true, 0}, {syscall.SIGTERM, false, 1}} {
		dir := t.TempDir()
		step(t, dir, "1", false)
		step(t, dir, "2", true) // no signal
		step(t, dir, "3", true)
		cmd, lines, said := piped(t, "check", "--watch", dir, "--fail-on", "signal=0")
		expect(t, lines, "FAIL  signal=0: 0 at step 2\n")
		if c.ends {
			step(t, dir, "4", false)
			step(t, dir, "5", false) // a newer step: the one before is complete
			expect(t, lines, "ok    signal=0: 1 at step 4\n")
		}
		if err := cmd.Process.Signal(c.signal); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if cmd.ProcessState.ExitCode() != c.code || said.Len() > 0 {
			t.Errorf("%v: exit code %d, want %d; it said %q", c.signal, cmd.ProcessState.ExitCode(), c.code, said)
		}
	}
}

func expect(t *testing.T, lines *bufio.Reader, want string) {
	t.Helper()
	if got, err := lines.ReadString('\n'); got != want {
		t.Fatalf("got %q (%v), want %q", got, err, want)
	}
}

// A signal stops what is being read or written, even where the reader of the output
// waits; the exit code and a sentence say that the output is not whole.
func TestSignalsStop(t *testing.T) {
	dir := t.TempDir()
	log, silent := filepath.Join(dir, "log.jsonl"), filepath.Join(dir, "silent")
	writeFile(t, log, strings.Repeat(`{"step":1,"group":"a","reward":1}`+"\n"+`{"step":1,"group":"a","reward":0}`+"\n", 20_000))
	if err := syscall.Mkfifo(silent, 0o600); err != nil {
		t.Skipf("no named pipes here: %v", err)
	}
	for _, c := range []struct {
		signal os.Signal
		code   int
		args   []string
		begun  func(*bufio.Reader) error
	}{
		{os.Interrupt, 130, []string{"export", log}, firstByte}, // more than a pipe holds
		{syscall.SIGTERM, 143, []string{"export", log, "--format", "csv"}, firstByte},
		{os.Interrupt, 130, []string{"report", silent}, func(*bufio.Reader) error { // nothing ever comes
			h, err := os.OpenFile(silent, os.O_WRONLY, 0) // as soon as there is a reader
			t.Cleanup(func() { _ = h.Close() })
			return err
		}},
	} {
		cmd, lines, said := piped(t, c.args...)
		if err := c.begun(lines); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Process.Signal(c.signal); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		code := cmd.ProcessState.ExitCode()
		if code != c.code || !strings.Contains(said.String(), "is not whole") || strings.Count(said.String(), "\n") != 1 {
			t.Errorf("%v: exit code %d, want %d; it said %q", c.args, code, c.code, said)
		}
	}
}

func firstByte(lines *bufio.Reader) error {
	_, err := lines.ReadByte()
	return err
}

// A reader that has had enough ends the program quietly, whether or not SIGPIPE kills.
func TestClosedPipe(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "log.jsonl")
	writeFile(t, log, strings.Repeat(`{"step":1,"group":"a","reward":1}`+"\n"+`{"step":1,"group":"a","reward":0}`+"\n", 20_000))
	for _, command := range []string{"export log.jsonl", "export log.jsonl --format csv"} {
		for _, trap := range []string{"", "trap '' PIPE; "} {
			cmd := exec.Command("sh", "-c", trap+"(vantage "+command+"; echo $? >code) | head -c 1 >/dev/null")
			cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+filepath.Dir(built(t))+string(os.PathListSeparator)+os.Getenv("PATH"))
			if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
				t.Errorf("%s: %v, %q", command, err, out)
			}
			if code, _ := os.ReadFile(filepath.Join(dir, "code")); strings.TrimSpace(string(code)) != "141" {
				t.Errorf("%s%s: exit code %s, want 141", trap, command, code)
			}
		}
	}
}

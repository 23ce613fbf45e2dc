//go:build linux

package tui_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vantage/internal/testkit/fusetest"
	"vantage/internal/testkit/repotest"
)

// hanging are the ways in which a disk stops answering, by name.
var hanging = []struct {
	name  string
	calls []fusetest.Call // none: all
}{
	{"everything", nil},
	{"stat", []fusetest.Call{fusetest.Stat, fusetest.Lookup}},
	{"lists", []fusetest.Call{fusetest.OpenDir, fusetest.ReadDir}},
	{"open", []fusetest.Call{fusetest.Open}},
	{"reads", []fusetest.Call{fusetest.Read}},
}

// patience is how long a test waits on a busy machine.
const patience = 20 * time.Second

// smallLog is a run of three steps.
func smallLog() []byte {
	return logOf(3)
}

func logOf(steps int) []byte {
	var b bytes.Buffer
	for i := range 8 * steps {
		_, _ = fmt.Fprintf(&b, `{"step":%d,"group_id":"g%d","reward":%d,"prompt":"p","completion":"c"}`+"\n", i/8+1, i/4, i%2)
	}
	return b.Bytes()
}

// hangingDisk returns a disk with a run, a folder of two, and files for options; and what the words DISK and LOG in a command stand for: LOG
// is on another disk.
func hangingDisk(t *testing.T) (*fusetest.Disk, *strings.Replacer) {
	t.Helper()
	disk, log := fusetest.New(t), filepath.Join(t.TempDir(), "steps.jsonl")
	for _, name := range []string{"one/steps.jsonl", "two/a/steps.jsonl", "two/b/steps.jsonl"} {
		disk.Write(name, smallLog())
	}
	disk.Write("config.yaml", []byte("algorithm:\n  adv_estimator: grpo\n"))
	disk.Write("rules.yaml", []byte("- killed>5%\n"))
	if err := os.WriteFile(log, smallLog(), 0o600); err != nil {
		t.Fatal(err)
	}
	return disk, strings.NewReplacer("DISK", disk.Folder, "LOG", log)
}

// asks reports whether a command makes calls of this kind on the disk.
func asks(command, calls string) bool {
	switch {
	case strings.Contains(command, " -o "):
		return calls == "everything" || calls == "stat"
	case strings.Contains(command, "LOG"), strings.Contains(command, "s3:"):
		return calls != "lists"
	}
	return true
}

// keysOn returns an environment in which the keys of buckets, which are at a store that nobody keeps, are on a disk.
func keysOn(disk *fusetest.Disk) []string {
	disk.Write("keys", []byte("[default]\naws_access_key_id = a\naws_secret_access_key = b\n"))
	keys := filepath.Join(disk.Folder, "keys")
	return append(os.Environ(), "AWS_SHARED_CREDENTIALS_FILE="+keys, "AWS_CONFIG_FILE="+keys, "AWS_ENDPOINT_URL=http://127.0.0.1:1", "AWS_ACCESS_KEY_ID=", "AWS_PROFILE=", "AWS_CA_BUNDLE=")
}

// A signal ends each command within two seconds whatever call of the disk hangs, with its sentence and exit code. Each command is tried
// with each call, and the signals take turns.
func TestSignalEndsCommandsOnAHangingDisk(t *testing.T) {
	t.Parallel()
	commands := []string{
		"summary DISK/one", "report DISK/two", "export DISK/one", "check DISK/one", "match DISK/one", "report LOG --config DISK/config.yaml", "check LOG --rules DISK/rules.yaml",
		"report LOG -o DISK/report.csv", "summary s3://bucket/run",
	}
	program := programPath(t)
	for i, command := range commands {
		for k, way := range hanging {
			for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
				if (i+k+int(signal))%repotest.Times(6, 2) != 0 || !asks(command, way.name) {
					continue
				}
				t.Run(fmt.Sprint(command, " ", way.name, " ", signal), func(t *testing.T) {
					t.Parallel()
					disk, words := hangingDisk(t)
					disk.Hold(way.calls...)
					cmd := exec.Command(program, strings.Fields(words.Replace(command))...)
					cmd.Env = keysOn(disk)
					var out, errOut bytes.Buffer
					cmd.Stdout, cmd.Stderr = &out, &errOut
					if err := cmd.Start(); err != nil {
						t.Fatal(err)
					}
					ended := make(chan error, 1)
					go func() { ended <- cmd.Wait() }()
					for start := time.Now(); disk.Held() == 0; time.Sleep(5 * time.Millisecond) {
						if time.Since(start) > patience {
							t.Fatal("the disk is never asked")
						}
					}
					_ = cmd.Process.Signal(signal)
					select {
					case <-ended:
					case <-time.After(patience):
						_ = cmd.Process.Kill()
						t.Fatal("it does not end")
					}
					if code := cmd.ProcessState.ExitCode(); code != 128+int(signal) {
						t.Errorf("exit code %d: %s", code, errOut.String())
					}
					if said := errOut.String(); strings.Count(said, "\n") != 1 || !strings.Contains(said, "stopped ("+signal.String()+")") {
						t.Errorf("it says %q", said)
					}
				})
			}
		}
	}
}

// The screen ends too, by a key or a signal, whether the disk hung before it was opened or while it follows a log, and gives the terminal
// back.
func TestScreenEndsOnAHangingDisk(t *testing.T) {
	t.Parallel()
	programPath(t)
	for i, way := range hanging {
		for k, end := range []string{"q", "\x03", "terminate"} {
			for _, started := range []bool{true, false} {
				if (i+k)%repotest.Times(5, 1) != 0 || end == "q" && !started {
					continue // a key is read by the screen, which is not there yet
				}
				t.Run(fmt.Sprintf("%s %q %v", way.name, end, started), func(t *testing.T) {
					t.Parallel()
					disk := fusetest.New(t)
					disk.Write("steps.jsonl", smallLog())
					var x *terminal
					if started {
						x = startProgram(t, disk.Folder)
						x.waitFor("3 steps")
						disk.Hold(way.calls...)
						time.Sleep(300 * time.Millisecond) // so that what polls hangs
					} else {
						disk.Hold(way.calls...)
						x = startProgram(t, disk.Folder)
						for start := time.Now(); disk.Held() == 0 && time.Since(start) < patience; time.Sleep(5 * time.Millisecond) {
						}
					}
					want := 0
					if end == "terminate" {
						want = 128 + int(syscall.SIGTERM)
						_ = x.cmd.Process.Signal(syscall.SIGTERM)
					} else {
						_, _ = x.tty.WriteString(end)
					}
					if end == "\x03" && !started {
						want = 128 + int(syscall.SIGINT)
					}
					code := x.waitExit()
					if code != want {
						t.Errorf("exit code %d", code)
					}
					if started {
						x.checkRestored()
					}
				})
			}
		}
	}
}

// A command says once that a disk does not answer, and when that answers again its output is as if it always had.
func TestCommandsSayThatADiskHangs(t *testing.T) {
	t.Parallel()
	commands := []string{
		"report --format=csv DISK/one", "summary DISK/one", "export DISK/one", "check DISK/one", "report --format=csv DISK/two",
		"report LOG --format=csv --config DISK/config.yaml", "check LOG --rules DISK/rules.yaml", "summary s3://bucket/run",
	}
	program := programPath(t)
	for i, command := range commands {
		for k, way := range hanging {
			if (i+k)%repotest.Times(20, 1) != 0 || !asks(command, way.name) {
				continue
			}
			t.Run(command+" "+way.name, func(t *testing.T) {
				t.Parallel()
				disk, words := hangingDisk(t)
				args := strings.Fields(words.Replace(command))
				var want, out bytes.Buffer
				before := exec.Command(program, args...)
				before.Env, before.Stdout = keysOn(disk), &want
				_ = before.Run()
				disk.Hold(way.calls...)
				cmd := exec.Command(program, args...)
				cmd.Env, cmd.Stdout = before.Env, &out
				errOut, err := cmd.StderrPipe()
				if err == nil {
					err = cmd.Start()
				}
				if err != nil {
					t.Fatal(err)
				}
				late := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
				defer late.Stop()
				said := bufio.NewScanner(errOut)
				for said.Scan() && !saysAfterFive(func(s string) bool { return strings.Contains(said.Text(), "has not answered for "+s) }) {
				}
				if !strings.Contains(said.Text(), disk.Folder) {
					t.Errorf("it says %q", said.Text())
				}
				time.Sleep(time.Second) // it would be said again
				disk.Release()
				for said.Scan() {
					if strings.Contains(said.Text(), "answered") {
						t.Errorf("it says once more %q", said.Text())
					}
				}
				if _ = cmd.Wait(); out.String() != want.String() || (out.Len() == 0) != strings.Contains(command, "s3:") {
					t.Errorf("the output is %q, not %q", out.String(), want.String())
				}
			})
		}
	}
}

// saysAfterFive reports whether a text holds for 5 seconds, or for those after which a busy machine says it.
func saysAfterFive(holds func(string) bool) bool {
	for seconds := 5; time.Duration(seconds)*time.Second < patience; seconds++ {
		if holds(fmt.Sprint(seconds, " s")) {
			return true
		}
	}
	return false
}

// The screen says it too, whether the disk hung before it answered for the first time or while a log is followed, and goes on when it
// answers.
func TestScreenSaysThatADiskHangs(t *testing.T) {
	t.Parallel()
	for i, way := range hanging {
		for k, started := range []bool{true, false} {
			if (2*i+k)%repotest.Times(5, 1) != 0 {
				continue
			}
			t.Run(fmt.Sprint(way.name, " ", started), func(t *testing.T) {
				t.Parallel()
				disk := fusetest.New(t)
				disk.Write("steps.jsonl", smallLog())
				hold := func() { disk.Hold(way.calls...) }
				if !started {
					hold()
				}
				x := startProgram(t, disk.Folder)
				if started {
					x.waitShown("steps 1 – 3")
					hold()
					disk.Write("steps.jsonl", logOf(4)) // there is something to read
				}
				x.waitUntil("disk not answering for 5 s", func(sent string) bool {
					return saysAfterFive(func(s string) bool { return shows(sent, "disk not answering for "+s) })
				})
				n := len(x.output())
				disk.Write("steps.jsonl", logOf(5))
				disk.Release()
				x.waitUntil("steps 1 – 5", func(sent string) bool { return shows(sent[n:], "steps 1 – 5") })
				x.send("q")
				if code := x.waitExit(); code != 0 {
					t.Errorf("exit code %d", code)
				}
			})
		}
	}
}

// A home that hangs keeps no log on another disk.
func TestHomeHangs(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "steps.jsonl")
	if err := os.WriteFile(log, smallLog(), 0o600); err != nil {
		t.Fatal(err)
	}
	home := fusetest.New(t)
	home.Hold()
	cmd := exec.Command(programPath(t), log)
	cmd.Env = append(os.Environ(), "HOME="+home.Folder, "XDG_STATE_HOME="+home.Folder, "XDG_CONFIG_HOME="+home.Folder)
	x := startCommand(t, cmd)
	x.waitShown("the disk of your home directory does not answer")
	x.waitShown("steps 1 – 3")
	x.send("q")
	if code := x.waitExit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

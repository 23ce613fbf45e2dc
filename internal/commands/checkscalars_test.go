package commands

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"vantage/internal/testkit/filetest"
)

// printedFall is what a trainer prints of steps [from, to) of a run whose reward falls from 0.75 to 0 at step 60.
func printedFall(from, to int) string {
	var b strings.Builder
	for step := from; step < to; step++ {
		reward := 0.75
		if step >= 60 {
			reward = 0
		}
		fmt.Fprintf(&b, "step:%d - critic/score/mean:%v - actor/grad_norm:0.5\n", step, reward)
	}
	return b.String()
}

// check judges what ails a run of which there are averages alone, and says that rules on steps have nothing to judge.
func TestCheckOfAverages(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "train.log")
	filetest.Write(t, path, printedFall(0, 120))
	out := runCommand(t, "check", path)
	for _, want := range []string{"FAIL  alarm>0", "reward collapse since step 60", "none  killed>5%", "averages of steps, and no samples", "10 rules, 1 failed"} {
		if !strings.Contains(out, want) {
			t.Errorf("without %q:\n%s", want, out)
		}
	}
	if out := runCommand(t, "check", path, "--fail-on", "truncation>0"); !strings.Contains(out, "0 failed") {
		t.Error(out)
	}
}

// Lines with lists of log-probs are samples, and no document of columns.
func TestCheckOfSamplesWithLists(t *testing.T) {
	t.Parallel()
	path, log := filepath.Join(t.TempDir(), "log.jsonl"), ""
	for i := range 32 {
		log += fmt.Sprintf(`{"step":%d,"prompt":"p%d","reward":%d,"rollout_log_probs":[-0.1,-0.2,-0.3]}`+"\n", i/8, i/4, i%2)
	}
	filetest.Write(t, path, log)
	if out := runCommand(t, "check", path); strings.Contains(out, "no samples") || !strings.Contains(out, "ok    signal=0") {
		t.Error(out)
	}
}

// lockedBuffer is written by a command and read by a test.
type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func (b *lockedBuffer) text() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.String()
}

// check --watch follows what a trainer prints: an alarm is told soon after the lines that show it.
func TestCheckWatchesAverages(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "train.log")
	filetest.Write(t, path, printedFall(0, 60))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out := &lockedBuffer{}
	cmd := (&program{out: out, errOut: out}).check()
	cmd.SetArgs([]string{path, "--watch"})
	done := make(chan error, 1)
	go func() { done <- cmd.ExecuteContext(ctx) }()
	time.Sleep(scalarsPoll / 2)
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString(printedFall(60, 120)); err != nil || file.Close() != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(30 * time.Second); !strings.Contains(out.text(), "reward_collapse"); time.Sleep(scalarsPoll / 10) {
		if time.Now().After(deadline) {
			t.Fatalf("no alarm: %s", out.text())
		}
	}
	stop()
	if err := <-done; !errors.Is(err, errRuleFailed) {
		t.Errorf("it ends with %v, though a rule fails", err)
	}
}

//go:build linux

package tui_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vantage/internal/testkit/sshtest"
)

// However the program ends, it leaves no ssh behind, also of a node that does not answer any more.
func TestNoSSHIsLeft(t *testing.T) {
	server := sshtest.Start(t)
	dir := t.TempDir()
	var text strings.Builder
	for i := range 8 {
		fmt.Fprintf(&text, `{"input":"prompt %d","output":"answer %d","gts":"4","score":%d.0,"step":1}`+"\n", i/4, i, i%3%2)
	}
	if err := os.WriteFile(filepath.Join(dir, "1.jsonl"), []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, end := range map[string]func(x *terminal){
		"q":       func(x *terminal) { x.send("q") },
		"SIGINT":  func(x *terminal) { _ = x.cmd.Process.Signal(os.Interrupt) },
		"SIGTERM": func(x *terminal) { _ = x.cmd.Process.Signal(syscall.SIGTERM) },
		"SIGHUP":  func(x *terminal) { _ = x.cmd.Process.Signal(syscall.SIGHUP) },
	} {
		x := startProgram(t, "node7:"+dir)
		x.waitFor("1 step")
		ssh := sshBelow(x.cmd.Process.Pid)
		if ssh == 0 {
			t.Fatal("there is no ssh")
		}
		server.SetSilent(true)
		end(x)
		x.waitExit()
		left := true
		for until := time.Now().Add(30 * time.Second); left && time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
			left = isSSH(ssh)
		}
		if left {
			t.Errorf("%s: ssh is left", name)
		}
		server.SetSilent(false)
	}
}

// sshBelow returns the ssh that a process has started, 0 if there is none.
func sshBelow(pid int) int {
	found, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range found {
		var child, parent int
		var name, state string
		stat, _ := os.ReadFile(path)
		_, _ = fmt.Sscanf(string(stat), "%d %s %s %d", &child, &name, &state, &parent)
		if parent == pid && isSSH(child) {
			return child
		}
	}
	return 0
}

// isSSH reports whether a process is an ssh that has not ended.
func isSSH(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && bytes.Contains(stat, []byte("(ssh)")) && !bytes.Contains(stat, []byte(") Z "))
}

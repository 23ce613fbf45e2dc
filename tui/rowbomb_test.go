package tui_test

import (
	"bytes"
	"compress/gzip"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"vantage/internal/testkit/filetest"
)

// A small file that unpacks to millions of rows, all of one group, takes what its columns need: about 30 bytes a row, twice that while they
// grow, and the program itself.
func TestRowBombTakesWhatColumnsNeed(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the system counts in other units")
	}
	path := programPath(t)
	const rows = 1_000_000
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	text := strings.Repeat(`{"input":"p","output":"a","score":1.0,"step":1}`+"\n", 10_000)
	for range rows / 10_000 {
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(t.TempDir(), "1.jsonl.gz")
	filetest.Write(t, log, packed.Bytes())
	cmd := exec.Command(path, "summary", log)
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("1.00M samples")) {
		t.Fatalf("%s (%v)", out, err)
	}
	used, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if kb := used.Maxrss; !ok || kb > rows*100/1024+60<<10 {
		t.Errorf("%d MB for %d rows", kb>>10, rows)
	}
}

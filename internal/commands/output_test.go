package commands

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vantage/internal/testkit/filetest"
)

func writeText(text string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
}

func mustRead(t *testing.T, path string) string {
	t.Helper()
	return string(filetest.Read(t, path))
}

// A plain file is replaced when the new one is complete, and keeps its mode; no other file is left.
func TestWriteFileReplacesPlainFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "chart.svg")
	for _, text := range []string{"first", "second"} {
		if err := writeFile(nil, path, writeText(text)); err != nil || mustRead(t, path) != text {
			t.Fatalf("%q (%v)", mustRead(t, path), err)
		}
		if err := os.Chmod(path, 0o640); err != nil {
			t.Fatal(err)
		}
	}
	failed := errors.New("the disk is full")
	if err := writeFile(nil, path, func(io.Writer) error { return failed }); !errors.Is(err, failed) || !strings.Contains(err.Error(), path) {
		t.Errorf("the error is %v", err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o640 || mustRead(t, path) != "second" {
		t.Errorf("mode %v, text %q (%v)", info.Mode(), mustRead(t, path), err)
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 1 {
		t.Errorf("the directory holds %v (%v)", names, err)
	}
}

// What is no plain file remains what it is.
func TestWriteFileReplacesNothingElse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	target, link, dangling, pipe := filepath.Join(dir, "target"), filepath.Join(dir, "link"), filepath.Join(dir, "dangling"), filepath.Join(dir, "pipe")
	err := errors.Join(os.WriteFile(target, []byte("old"), 0o600), os.Symlink("target", link), os.Symlink("later", dangling), syscall.Mkfifo(pipe, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	for path, target := range map[string]string{link: target, dangling: filepath.Join(dir, "later")} {
		if err := writeFile(nil, path, writeText("new")); err != nil || mustRead(t, target) != "new" {
			t.Errorf("%s: %v", path, err)
		}
		if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("%s is no link any more (%v)", path, err)
		}
	}
	if err := writeFile(nil, pipe, writeText("new")); err == nil || !strings.Contains(err.Error(), "start its reader first") {
		t.Errorf("a pipe without a reader: %v", err)
	}
	reader, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if err := writeFile(nil, pipe, writeText("new")); err != nil {
		t.Error(err)
	}
	_ = reader.SetReadDeadline(time.Now().Add(10 * time.Second))
	if text, err := io.ReadAll(reader); string(text) != "new" {
		t.Errorf("read %q from the pipe (%v)", text, err)
	}
	if err := writeFile(nil, dir, writeText("new")); err == nil || !strings.Contains(err.Error(), "directory") {
		t.Errorf("a directory: %v", err)
	}
}

// Where no file can be made, the sentence names the folder, and not the temporary file that nobody asked for.
func TestUnwritableFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(io.Writer) error { return nil }
	missing := filepath.Join(dir, "nowhere", "x.html")
	if err := writeFile(nil, missing, write); err == nil || err.Error() != "cannot write "+missing+": there is no folder "+filepath.Dir(missing)+": make it, or name another file" {
		t.Error(err)
	}
	if _, err := os.Stat("/sys/kernel"); err != nil {
		t.Skip("no folder here in which nobody can make files")
	}
	if err := writeFile(nil, "/sys/kernel/x.html", write); err == nil || !strings.HasPrefix(err.Error(), "cannot write /sys/kernel/x.html: no file can be made in /sys/kernel: ") {
		t.Error(err)
	}
}

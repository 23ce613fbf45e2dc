package commands

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"vantage/internal/testkit/filetest"
)

// Anything but a small file is an error in one sentence, without waiting.
func TestReadSmallFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range map[string]string{"fits": "12345", "large": "123456", "empty": ""} {
		filetest.Write(t, at(name), text)
	}
	if err := syscall.Mkfifo(at("pipe"), 0o600); err != nil {
		t.Skipf("no named pipes here: %v", err)
	}
	for name, want := range map[string]string{
		"large": "larger than 5 bytes: it is not a poem",
		".":     "is a directory: name a file in it",
		"none":  "none does not exist: check the path",
		"pipe":  "no data from the pipe",
	} {
		if text, err := readSmallFile(nil, "--poem", at(name), 5, "poem"); err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "--poem") {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	for name, want := range map[string]string{"fits": "12345", "empty": ""} {
		if text, err := readSmallFile(nil, "--poem", at(name), 5, "poem"); err != nil || string(text) != want {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}

// --config <(command) passes a pipe.
func TestReadSmallFileFromPipe(t *testing.T) {
	t.Parallel()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reader.Close() }()
	go func() {
		_, _ = writer.WriteString("a: 1\n")
		_ = writer.Close()
	}()
	if text, err := readSmallFile(nil, "--config", fmt.Sprintf("/dev/fd/%d", reader.Fd()), 100, "poem"); err != nil || string(text) != "a: 1\n" {
		t.Errorf("%q, %v", text, err)
	}
}

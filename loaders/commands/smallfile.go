package commands

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// pipeTimeout is how long reading a small file from a pipe may take.
const pipeTimeout = 10 * time.Second

// parseFile reads the file of an option, no larger than maxBytes, and parses it. what says
// what the file should be.
func parseFile[T any](option, path string, maxBytes int, what string, parse func([]byte) (T, error)) (parsed T, err error) {
	text, err := readSmallFile(option, path, maxBytes, what)
	if err != nil {
		return parsed, err
	}
	if parsed, err = parse(text); err != nil {
		return parsed, fmt.Errorf("%s %s: %w", option, path, err)
	}
	return parsed, nil
}

// readSmallFile reads the file of an option. A file larger than maxBytes is an error that
// says it is no what. A pipe, as of --config <(…), is read too, but an open one without
// data is an error instead of a silent wait.
func readSmallFile(option, path string, maxBytes int, what string) ([]byte, error) {
	h, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: %s does not exist: check the path", option, path)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", option, err)
	}
	defer func() { _ = h.Close() }()
	info, err := h.Stat()
	if err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s: %s is a directory: name a file in it", option, path)
	}
	_ = h.SetReadDeadline(time.Now().Add(pipeTimeout)) // fails for regular files, which do not block
	text, err := io.ReadAll(io.LimitReader(h, int64(maxBytes)+1))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded), err == nil && len(text) == 0 && info.Mode()&fs.ModeNamedPipe != 0:
		return nil, fmt.Errorf("%s: no data from the pipe %s: name a file, or start its writer first", option, path)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", option, err)
	case len(text) > maxBytes:
		return nil, fmt.Errorf("%s %s is larger than %d bytes: it is not a %s", option, path, maxBytes, what)
	}
	return text, nil
}

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

// pipeTimeout is how long a pipe that someone holds open may take with the little that is
// read from it.
const pipeTimeout = 10 * time.Second

// readSmallFile reads the whole of a file that the option names, if it is no larger than
// most bytes; what it should be is said of a larger one. A pipe is read as the shell
// hands one over, --config <(…), but never waited for: nobody could tell why nothing
// happens.
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
	_ = h.SetReadDeadline(time.Now().Add(pipeTimeout)) // files have none and need none
	text, err := io.ReadAll(io.LimitReader(h, int64(maxBytes)+1))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded), err == nil && len(text) == 0 && info.Mode()&fs.ModeNamedPipe != 0:
		return nil, fmt.Errorf("%s: nothing comes out of the pipe %s: name a file, or start what writes into it first", option, path)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", option, err)
	case len(text) > maxBytes:
		return nil, fmt.Errorf("%s %s is larger than %d bytes: it is no %s", option, path, maxBytes, what)
	}
	return text, nil
}

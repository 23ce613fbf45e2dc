package userfiles

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Files is the program's state directory, which the first Save creates.
type Files struct {
	dir  string
	logs []string // that are open: see Protect
}

// Open returns $XDG_STATE_HOME/vantage or ~/.local/state/vantage.
func Open() (*Files, error) {
	state := os.Getenv("XDG_STATE_HOME")
	if state == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, fmt.Errorf("no home directory to save files in: %w", err)
		}
		state = filepath.Join(home, ".local", "state")
	}
	return &Files{dir: filepath.Join(state, "vantage")}, nil
}

// CacheDir is where bytes of other machines are kept, below the state directory.
func (d *Files) CacheDir() string { return filepath.Join(d.dir, "cache") }

// maxFiles is how many files with one base name there may be.
const maxFiles = 1000

// Save writes data to a new file with a number in its name, such as groups-3.tsv. It
// overwrites no file.
func (d *Files) Save(name string, data []byte) (path string, err error) {
	if err := os.MkdirAll(d.dir, 0o700); err != nil {
		return "", err
	}
	ext := filepath.Ext(name)
	base := strings.TrimSuffix(filepath.Base(name), ext)
	for n := 1; n <= maxFiles; n++ {
		path = filepath.Join(d.dir, fmt.Sprintf("%s-%d%s", base, n, ext))
		h, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if os.IsExist(err) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = h.Write(data)
		if err = errors.Join(err, h.Close()); err != nil {
			return "", errors.Join(err, os.Remove(path)) // half a file is worse than none
		}
		return path, nil
	}
	return "", fmt.Errorf("%s already has %d files named %s", d.dir, maxFiles, base)
}

// readPlain returns up to limit bytes of a file. Anything but a plain file is an error: a pipe or a device
// may never end, or block.
func readPlain(path string, limit int64) ([]byte, error) {
	h, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = h.Close() }()
	if info, err := h.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, &fs.PathError{Op: "read", Path: path, Err: errors.New("it is not a regular file")})
	}
	return io.ReadAll(io.LimitReader(h, limit))
}

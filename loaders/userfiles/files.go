// Package userfiles reads and writes the user's own files: the configuration of the screen,
// copies and exports under the state directory, and a session file per run. It writes
// nothing next to a log. main passes it to the screen.
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
	"time"

	"github.com/goccy/go-yaml"

	"vantage/loaders"
)

// Files is the program's state directory, which the first Save creates.
type Files struct {
	dir  string
	logs []string // that are open: see Protect
}

// Open returns $XDG_STATE_HOME/vantage or ~/.local/state/vantage.
func Open() (*Files, error) {
	dir, err := ownDir("XDG_STATE_HOME", ".local/state")
	if err != nil {
		return nil, fmt.Errorf("no home directory to save files in: %w", err)
	}
	return &Files{dir: dir}, nil
}

// ownDir returns the folder of the program in that which a variable names, or below the home directory.
func ownDir(variable, belowHome string) (string, error) {
	dir := os.Getenv(variable)
	if !filepath.IsAbs(dir) { // as the XDG Base Directory Specification wants it: it would be a folder wherever the program runs
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(home) {
			return "", fmt.Errorf("HOME is %q, which is not a path from the root", home)
		}
		dir = filepath.Join(home, belowHome)
	}
	return filepath.Join(dir, "vantage"), nil
}

// CacheDir is where bytes of other machines are kept, below the state directory.
func (d *Files) CacheDir() string { return filepath.Join(d.dir, "cache") }

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
		if err := create(path, 0o600, data); !os.IsExist(err) {
			return path, err
		}
	}
	return "", fmt.Errorf("%s already has %d files named %s", d.dir, maxFiles, base)
}

// maxFaults is how many panics are kept.
const maxFaults = 10

// SaveFault writes the details of a panic to a new file, and removes the oldest if there are too many.
func (d *Files) SaveFault(text []byte) (path string, err error) {
	dir := filepath.Join(d.dir, "faults")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	path = filepath.Join(dir, fmt.Sprintf("fault-%s-%d.txt", time.Now().UTC().Format("20060102T150405.000000"), os.Getpid()))
	if err := create(path, 0o600, text); err != nil {
		return "", err
	}
	kept, _ := os.ReadDir(dir) // in the order of their times
	for _, old := range kept[:max(0, len(kept)-maxFaults)] {
		_ = os.Remove(filepath.Join(dir, old.Name()))
	}
	return path, nil
}

func create(path string, mode fs.FileMode, data []byte) error {
	h, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = h.Write(data)
	if err = errors.Join(err, h.Close()); err != nil {
		return errors.Join(err, os.Remove(path)) // half a file is worse than none
	}
	return nil
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

// Protect returns d, whose SaveAs writes no file into a directory of logs, or beside a log.
func (d *Files) Protect(logs []string) *Files {
	protected := *d
	protected.logs = append(append([]string(nil), d.logs...), logs...)
	return &protected
}

// SaveAs writes data to a new file of the person's choice and returns its full path. The path may begin with
// ~. It overwrites no file, makes no directory, and writes nothing where a trainer writes or a log would be
// looked for: the error says so in a sentence.
func (d *Files) SaveAs(path string, data []byte) (string, error) {
	full, err := fullPath(path)
	if err != nil {
		return "", err
	}
	dir := filepath.Dir(full)
	if dir, err = filepath.EvalSymlinks(dir); errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("there is no folder %s: make it, or give another", filepath.Dir(full))
	} else if err != nil {
		return "", err
	}
	full = filepath.Join(dir, filepath.Base(full))
	if info, err := os.Lstat(full); err == nil && info.IsDir() {
		return "", fmt.Errorf("%s is a folder: give the name of a file in it", full)
	} else if err == nil {
		return "", fmt.Errorf("%s exists, and nothing is overwritten: give another name", full)
	}
	if log := LogNextTo(d.logs, dir); log != "" {
		return "", fmt.Errorf("%s would be among the files of the log %s: give another folder, such as ~/%s", filepath.Base(full), log,
			filepath.Base(full))
	}
	return full, create(full, 0o666, data)
}

// fullPath returns a path from the root, with the home directory for a leading ~.
func fullPath(path string) (string, error) {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || rest[0] == '/') {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("there is no home directory: %w", err)
		}
		path = home + rest
	}
	return filepath.Abs(path)
}

// LogNextTo returns the log that a file in dir, a path without symbolic links, would be a part of or lie beside, ""
// if there is none.
func LogNextTo(logs []string, dir string) string {
	for _, log := range logs {
		if log == "-" || loaders.IsElsewhere(log) {
			continue // not on this machine
		}
		full, err := filepath.Abs(log)
		if err != nil {
			continue
		}
		if resolved, err := filepath.EvalSymlinks(full); err == nil {
			full = resolved
		}
		inside := dir == filepath.Dir(full)
		if info, err := os.Stat(full); err == nil && info.IsDir() {
			inside = dir == full || strings.HasPrefix(dir, strings.TrimSuffix(full, "/")+"/")
		}
		if inside {
			return log
		}
	}
	return ""
}

// Config is the user's configuration of the screen.
type Config struct {
	Theme string            `yaml:"theme"` // name; "" for the terminal's background
	ASCII bool              `yaml:"ascii"` // plain characters only
	Mouse bool              `yaml:"mouse"`
	Keys  map[string]string `yaml:"keys"` // key to the key whose action it takes
}

// SampleConfig is a commented configuration with every option, which `vantage config` prints.
const SampleConfig = `# Configuration of the screen. Every line is optional.

# theme: dark        # see --theme; default: by the background of the terminal
# ascii: true        # plain characters only
# mouse: true        # clicks and the wheel from the start; hold Shift to select text

# A key takes the action of another one: here x quits, and n goes to the next warning.
# keys:
#   x: q
#   n: w
`

const maxConfig = 1 << 16

// ConfigPath returns the path of the configuration: $XDG_CONFIG_HOME/vantage/config.yaml or
// ~/.config/vantage/config.yaml.
func ConfigPath() (string, error) {
	dir, err := ownDir("XDG_CONFIG_HOME", ".config")
	return filepath.Join(dir, "config.yaml"), err
}

// LoadConfig reads the configuration; without a file it is empty. Callers show an error and
// continue.
func LoadConfig() (Config, error) {
	path, err := ConfigPath()
	if err != nil {
		return Config{}, nil
	}
	text, err := readPlain(path, maxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		return Config{}, nil
	}
	if err != nil {
		return Config{}, fmt.Errorf("cannot read the configuration: %w", err)
	}
	c, err := parseConfig(text)
	if err != nil {
		return Config{}, fmt.Errorf("%s is ignored: %w", path, err)
	}
	return c, nil
}

// parseConfig parses a configuration. An unknown option is an error, as it is probably
// misspelt.
func parseConfig(text []byte) (c Config, err error) {
	if err := yaml.UnmarshalWithOptions(text, &c, yaml.Strict()); err != nil && !errors.Is(err, io.EOF) {
		first, _, _ := strings.Cut(err.Error(), "\n") // the other lines quote the source
		return Config{}, errors.New(first)
	}
	return c, nil
}

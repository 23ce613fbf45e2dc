package userfiles

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml"
)

// Config is how a person likes the screen.
type Config struct {
	Theme string            `yaml:"theme"` // by name; "" asks the terminal
	ASCII bool              `yaml:"ascii"` // plain characters only
	Mouse bool              `yaml:"mouse"`
	Keys  map[string]string `yaml:"keys"` // what a key does instead: that of another key
}

// SampleConfig is a configuration with every choice and what it means, as `vantage config`
// prints it.
const SampleConfig = `# How vantage looks and listens. Every line is a choice; what is left out is as usual.

# theme: dark        # see --theme; without it the terminal is asked
# ascii: true        # plain characters only
# mouse: true        # wheel and clicks from the start; hold Shift to select text

# A key does what another one does: here x quits, and n goes to the next warning.
# keys:
#   x: q
#   n: w
`

// maxConfig bounds the file.
const maxConfig = 1 << 16

// ConfigPath is where the configuration is looked for: $XDG_CONFIG_HOME/vantage or
// ~/.config/vantage.
func ConfigPath() (string, error) {
	dir := os.Getenv("XDG_CONFIG_HOME")
	if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(home, ".config")
	}
	return filepath.Join(dir, "vantage", "config.yaml"), nil
}

// LoadConfig reads the configuration; none is an empty one. What cannot be read is an error
// to tell the person, never a reason to stop.
func LoadConfig() (Config, error) {
	path, err := ConfigPath()
	if err != nil {
		return Config{}, nil
	}
	h, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Config{}, nil
	}
	if err != nil {
		return Config{}, fmt.Errorf("the configuration cannot be read: %w", err)
	}
	defer func() { _ = h.Close() }()
	text, err := io.ReadAll(io.LimitReader(h, maxConfig))
	if err != nil {
		return Config{}, fmt.Errorf("the configuration cannot be read: %w", err)
	}
	c, err := parseConfig(text)
	if err != nil {
		return Config{}, fmt.Errorf("%s is passed over: %w", path, err)
	}
	return c, nil
}

// parseConfig reads a configuration. A name that is no choice is an error: it would do
// nothing, and nobody would know.
func parseConfig(text []byte) (c Config, err error) {
	if err := yaml.UnmarshalWithOptions(text, &c, yaml.Strict()); err != nil && !errors.Is(err, io.EOF) {
		first, _, _ := strings.Cut(err.Error(), "\n") // the others draw the place
		return Config{}, errors.New(first)
	}
	return c, nil
}

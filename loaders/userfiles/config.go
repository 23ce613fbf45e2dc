package userfiles

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml"
)

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
# mouse: true        # clicks, drags and the wheel from the start; hold Shift to select text

# A key takes the action of another one: here x quits, and n goes to the next warning.
# keys:
#   x: q
#   n: w
`

// maxConfig is the most bytes that are read of the file.
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

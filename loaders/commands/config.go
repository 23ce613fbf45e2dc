package commands

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"vantage/model/trainer"
)

// The bounds of a configuration: a trainer's has some hundred keys.
const (
	maxConfig      = 1 << 20
	maxConfigKeys  = 10_000
	maxConfigDepth = 32
)

// readConfig reads a trainer's configuration, YAML or JSON.
func readConfig(path string) (*trainer.Reading, error) {
	h, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("--config: %w", err)
	}
	defer func() { _ = h.Close() }()
	text, err := io.ReadAll(io.LimitReader(h, maxConfig+1))
	if err != nil {
		return nil, fmt.Errorf("--config: %w", err)
	}
	if len(text) > maxConfig {
		return nil, fmt.Errorf("--config %s is larger than %d bytes: it is no trainer's configuration", path, maxConfig)
	}
	options, err := parseConfig(text)
	if err != nil {
		return nil, fmt.Errorf("--config %s: %w", path, err)
	}
	r, err := trainer.Read(options)
	if err != nil {
		return nil, fmt.Errorf("--config %s: %w", path, err)
	}
	return r, nil
}

// parseConfig makes options of a document, in an order that does not change.
func parseConfig(text []byte) (options []trainer.Option, err error) {
	defer func() { // a parser of others' text may fail in its own ways
		if r := recover(); r != nil {
			err = fmt.Errorf("it cannot be parsed: %v", r)
		}
	}()
	var tree yaml.MapSlice
	if err := yaml.UnmarshalWithOptions(text, &tree, yaml.UseOrderedMap()); err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n") // the others draw the place
		return nil, fmt.Errorf("it is no YAML: %s", first)
	}
	if err := flatten(&options, "", tree, 0); err != nil {
		return nil, err
	}
	return slices.Clip(options), nil
}

// flatten appends the plain values of a tree under their paths.
func flatten(to *[]trainer.Option, path string, tree yaml.MapSlice, depth int) error {
	if depth > maxConfigDepth {
		return fmt.Errorf("it nests more than %d deep", maxConfigDepth)
	}
	for _, item := range tree {
		key := fmt.Sprint(item.Key)
		if path != "" {
			key = path + "." + key
		}
		if inner, ok := item.Value.(yaml.MapSlice); ok {
			if err := flatten(to, key, inner, depth+1); err != nil {
				return err
			}
			continue
		}
		if len(*to) >= maxConfigKeys {
			return fmt.Errorf("it has more than %d keys", maxConfigKeys)
		}
		switch v := item.Value.(type) {
		case nil:
		case string, bool, int, int64, uint64, float64:
			*to = append(*to, trainer.Option{Key: key, Value: fmt.Sprint(v)})
		default: // lists and dates say nothing of advantages
			*to = append(*to, trainer.Option{Key: key})
		}
	}
	return nil
}

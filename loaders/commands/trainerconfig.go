package commands

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"

	"vantage/model/trainer"
)

// Limits of a configuration: a trainer's has some hundred keys.
const (
	maxConfig      = 1 << 20
	maxConfigKeys  = 10_000
	maxConfigDepth = 32
	maxListValues  = 16 // of a list that is shown
)

// parseTrainerConfig parses a trainer's configuration: YAML, JSON, or a file with the
// arguments of its command line.
func parseTrainerConfig(text []byte) (*trainer.Config, error) {
	options, err := parseConfig(text)
	if err != nil {
		return nil, err
	}
	return trainer.ReadConfig(options)
}

// parseConfig returns the options of a configuration, in a deterministic order.
func parseConfig(text []byte) ([]trainer.Option, error) {
	tree, err := parseTree(text)
	if err == nil {
		var options []trainer.Option
		err = flatten(&options, "", tree, 0)
		return slices.Clip(options), err
	}
	if utf8.Valid(text) {
		if options := parseArguments(text); len(options) > 0 && !json.Valid(text) {
			return options, nil
		}
	}
	return nil, err
}

// parseTree parses a mapping of YAML, in its order, or an object of JSON, with sorted keys.
// JSON is YAML too, but its parser is robust against hostile input.
func parseTree(text []byte) (tree yaml.MapSlice, err error) {
	var object map[string]any
	if json.Unmarshal(text, &object) == nil {
		return sortedMap(object), nil
	}
	if err := checkYAMLBounds(text); err != nil {
		return nil, err
	}
	defer func() { // the YAML parser may panic
		if r := recover(); r != nil {
			err = fmt.Errorf("cannot be parsed: %v", r)
		}
	}()
	if err := yaml.UnmarshalWithOptions(text, &tree, yaml.UseOrderedMap()); err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n") // the other lines quote the source
		return nil, fmt.Errorf("invalid YAML: %s", first)
	}
	return tree, nil
}

// sortedMap returns a JSON object in the order of its keys.
func sortedMap(object map[string]any) yaml.MapSlice {
	var tree yaml.MapSlice
	for _, key := range slices.Sorted(maps.Keys(object)) {
		value := object[key]
		if inner, ok := value.(map[string]any); ok {
			value = sortedMap(inner)
		}
		tree = append(tree, yaml.MapItem{Key: key, Value: value})
	}
	return tree
}

// flatten appends the values of a tree under their paths. Lists become text, which only
// warnings show.
func flatten(to *[]trainer.Option, path string, tree yaml.MapSlice, depth int) error {
	if depth > maxConfigDepth {
		return fmt.Errorf("nested more than %d levels deep", maxConfigDepth)
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
			return fmt.Errorf("more than %d keys", maxConfigKeys)
		}
		switch v := item.Value.(type) {
		case nil: // the default stays
		case string, bool, int, int64, uint64, float64:
			*to = append(*to, trainer.Option{Key: key, Value: fmt.Sprint(v)})
		default: // lists and dates
			*to = append(*to, trainer.Option{Key: key, Value: listText(v)})
		}
	}
	return nil
}

// listText returns a short list of plain values as text, "a list" for any other.
func listText(value any) string {
	list, ok := value.([]any)
	if !ok || len(list) > maxListValues {
		return "a list"
	}
	words := make([]string, len(list))
	for i, v := range list {
		switch v.(type) {
		case string, bool, int, int64, uint64, float64:
			words[i] = fmt.Sprint(v)
		default:
			return "a list"
		}
	}
	return "[" + strings.Join(words, ", ") + "]"
}

package commands

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"

	"vantage/model/check"
	"vantage/model/fault"
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
	defer fault.Catch(func(f *fault.Fault) { err = fmt.Errorf("cannot be parsed: %v", f.Cause) }) // the YAML parser may panic
	if err := yaml.UnmarshalWithOptions(text, &tree, yaml.UseOrderedMap()); err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n") // the other lines quote the source
		return nil, fmt.Errorf("invalid YAML: %s", first)
	}
	return tree, nil
}

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

// Limits of YAML: hostile text beyond them would cost the parser seconds, gigabytes or the
// stack. Configurations are far below.
const (
	maxYAMLLine  = 8 << 10
	maxYAMLDepth = 64 // of brackets, and of lists in one line
)

func checkYAMLBounds(text []byte) error {
	if !utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0 {
		return errors.New("not a text file")
	}
	depth, n := 0, 0
	for line := range bytes.Lines(text) {
		if n++; len(line) > maxYAMLLine {
			return fmt.Errorf("line %d has more than %d bytes", n, maxYAMLLine)
		}
		lead := line[:len(line)-len(bytes.TrimLeft(line, " -?"))]
		if bytes.Count(lead, []byte("-"))+bytes.Count(lead, []byte("?")) > maxYAMLDepth {
			return fmt.Errorf("line %d begins more than %d lists", n, maxYAMLDepth)
		}
		for _, c := range line {
			switch c {
			case '{', '[':
				depth++
			case '}', ']':
				depth = max(0, depth-1)
			}
			if depth > maxYAMLDepth {
				return fmt.Errorf("line %d nests more than %d brackets", n, maxYAMLDepth)
			}
		}
	}
	return nil
}

// parseArguments takes options out of a launch script or argument file: --key value,
// --key=value, and Hydra's key=value. Of the shell's syntax it knows quotes, comments and a
// backslash at the end of a line.
func parseArguments(text []byte) []trainer.Option {
	var all []trainer.Option
	words := shellWords(string(text))
	for i := 0; i < len(words); i++ {
		flag := strings.HasPrefix(words[i], "--")
		key, value, hasValue := strings.Cut(strings.TrimLeft(words[i], "-+"), "=")
		if !isOptionName(key) || !flag && (!hasValue || strings.HasPrefix(words[i], "-")) {
			continue
		}
		if !hasValue && i+1 < len(words) && !strings.HasPrefix(words[i+1], "--") {
			i++
			value, hasValue = words[i], true
		}
		if !hasValue {
			value = "true"
		}
		if len(all) < maxConfigKeys {
			all = append(all, trainer.Option{Key: key, Value: value})
		}
	}
	return all
}

func isOptionName(word string) bool {
	return word != "" && strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") == ""
}

// shellWords splits text at unquoted blanks and semicolons.
func shellWords(text string) []string {
	var words []string
	var word strings.Builder
	var quote rune
	inWord := false
	endWord := func() {
		if inWord {
			words = append(words, word.String())
		}
		word.Reset()
		inWord = false
	}
	inComment := false
	for _, r := range strings.ReplaceAll(text, "\\\n", " ") {
		switch {
		case inComment:
			inComment = r != '\n'
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case strings.ContainsRune(" \t\r\n;", r):
			endWord()
		case r == '#' && !inWord:
			inComment = true
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	endWord()
	return words
}

const maxRuleFile = 1 << 16

var errNoRules = errors.New("expected a list of rules such as `- killed>5%`, at the top or under `rules:`")

// parseRules parses YAML: a list of strings, or a mapping with only the key rules and such a
// list. An empty list is an error, since everything would pass.
func parseRules(text []byte) (rules []check.Rule, err error) {
	defer fault.Catch(func(*fault.Fault) { rules, err = nil, errNoRules }) // the YAML parser may panic
	if checkYAMLBounds(text) != nil {
		return nil, errNoRules
	}
	var document any
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, errNoRules
	}
	if mapping, ok := document.(map[string]any); ok && len(mapping) == 1 {
		document = mapping["rules"]
	}
	items, _ := document.([]any)
	if len(items) == 0 {
		return nil, errNoRules
	}
	texts := make([]string, len(items))
	for i, item := range items {
		text, ok := item.(string)
		if !ok {
			return nil, fmt.Errorf("%v is not a rule: %w", item, errNoRules)
		}
		texts[i] = text
	}
	return check.ParseAll(texts)
}

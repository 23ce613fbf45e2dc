package commands

import (
	"errors"
	"fmt"

	"github.com/goccy/go-yaml"

	"vantage/model/check"
)

// maxRuleFile is the maximum size of a rule file.
const maxRuleFile = 1 << 16

// readRuleFile reads a YAML file of rules.
func readRuleFile(path string) ([]check.Rule, error) {
	text, err := readSmallFile("--rules", path, maxRuleFile, "list of rules")
	if err != nil {
		return nil, err
	}
	texts, err := parseRules(text)
	if err != nil {
		return nil, fmt.Errorf("--rules %s: %w", path, err)
	}
	rules, err := check.ParseAll(texts)
	if err != nil {
		return nil, fmt.Errorf("--rules %s: %w", path, err)
	}
	return rules, nil
}

var errNoRules = errors.New("expected a list of rules such as `- killed>5%`, at the top or under `rules:`")

// parseRules parses YAML: a list of strings, or a mapping with only the key rules and such a
// list. An empty list is an error, since everything would pass.
func parseRules(text []byte) (rules []string, err error) {
	defer func() { // the YAML parser may panic
		if recover() != nil {
			rules, err = nil, errNoRules
		}
	}()
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
	for _, item := range items {
		rule, ok := item.(string)
		if !ok {
			return nil, fmt.Errorf("%v is not a rule: %w", item, errNoRules)
		}
		rules = append(rules, rule)
	}
	if len(rules) == 0 {
		return nil, errNoRules
	}
	return rules, nil
}

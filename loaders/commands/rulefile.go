package commands

import (
	"errors"
	"fmt"

	"github.com/goccy/go-yaml"

	"vantage/model/check"
)

// maxRuleFile bounds a file of rules: nobody writes thousands.
const maxRuleFile = 1 << 16

// readRuleFile reads a file of rules.
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

var errNoRules = errors.New("expected a list of rules as in `- killed>5%`, by itself or under `rules:`")

// parseRules takes the rules out of YAML: a list of texts, or a mapping whose only key,
// rules, has one. An empty list is a mistake, since it would let everything pass.
func parseRules(text []byte) (rules []string, err error) {
	defer func() { // a parser of others' text may fail in its own ways
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
			return nil, fmt.Errorf("%v is no rule: %w", item, errNoRules)
		}
		rules = append(rules, rule)
	}
	if len(rules) == 0 {
		return nil, errNoRules
	}
	return rules, nil
}

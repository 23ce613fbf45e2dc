package commands

import (
	"errors"
	"fmt"

	"github.com/goccy/go-yaml"

	"vantage/model/check"
)

// maxRuleFile is the maximum size of a rule file.
const maxRuleFile = 1 << 16

var errNoRules = errors.New("expected a list of rules such as `- killed>5%`, at the top or under `rules:`")

// parseRules parses YAML: a list of strings, or a mapping with only the key rules and such a
// list. An empty list is an error, since everything would pass.
func parseRules(text []byte) (rules []check.Rule, err error) {
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

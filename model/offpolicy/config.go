package offpolicy

import (
	"cmp"
	"strings"

	"vantage/estimators"
	rules "vantage/estimators/offpolicy"
)

// ByConfig is the rule that a configuration names, given as keys and texts of values; Asked is empty if it names none.
func ByConfig(config []Value) (found Asked, err error) {
	most := 0
	for _, r := range rules.All() {
		by, isOn := named(r, config)
		if !isOn {
			found.Off = cmp.Or(found.Off, by)
			continue
		}
		given := optionsIn(r, config)
		weight := 1 + len(given.List()) // of rules that share options, the one that has all of them
		if !r.Versions {
			weight += 1000 // before limits of staleness
		}
		if weight <= most {
			continue
		}
		values, err := r.Values(given)
		if err != nil {
			return Asked{}, err
		}
		most, found.Rule, found.Values, found.Options, found.By = weight, r, values, given, "by "+by
	}
	return found, nil
}

// Value is a value of a configuration: its keys joined by dots, and its text.
type Value struct{ Key, Text string }

// named reports whether a configuration turns a rule on, and by which key; by is also the key that turns one off that is on by default.
func named(r *rules.Rule, config []Value) (by string, on bool) {
	for _, v := range config {
		isKey, isBelow := endsIn(v.Key, r.Key), endsIn(v.Key, r.Key+".*")
		switch text := strings.ToLower(v.Text); {
		case !isKey && !isBelow:
		case isNothing(text):
			if isKey && r.OnByDefault {
				by = v.Key + "=" + v.Text
			}
		case isBelow || r.Value == "" || strings.EqualFold(r.Value, text):
			return v.Key, true
		}
	}
	if by == "" && r.OnByDefault {
		return namesOption(r, config)
	}
	return by, false
}

// namesOption reports whether a configuration has an option of a rule that is on by default.
func namesOption(r *rules.Rule, config []Value) (by string, on bool) {
	for _, option := range r.Options {
		for _, v := range config {
			if option.Key != r.Key && endsIn(v.Key, option.Key) && !isNothing(strings.ToLower(v.Text)) {
				return v.Key, true
			}
		}
	}
	return "", false
}

func isNothing(text string) bool {
	switch text {
	case "", "null", "none", "~", "false", "off", "0":
		return true
	}
	return false
}

// endsIn reports whether a path ends in a key, or in a key of a section that ends in ".*".
func endsIn(path, key string) bool {
	if section, isSection := strings.CutSuffix(key, ".*"); isSection {
		at := strings.LastIndexByte(path, '.')
		return at > 0 && endsIn(path[:at], section)
	}
	return path == key || strings.HasSuffix(path, "."+key)
}

// optionsIn are the values of a configuration that are options of a rule.
func optionsIn(r *rules.Rule, config []Value) (given estimators.Options) {
	for _, option := range r.Options {
		for _, key := range append([]string{option.Key}, option.Aliases...) {
			for _, v := range config {
				if endsIn(v.Key, key) && v.Text != "" && strings.ToLower(v.Text) != "null" {
					given = given.With(option.Key, v.Text)
				}
			}
		}
	}
	return given
}

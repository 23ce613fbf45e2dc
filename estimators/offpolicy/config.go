package offpolicy

import (
	"cmp"
	"slices"
	"strings"

	"vantage/estimators"
)

// Configured is the rule that a trainer's configuration names; the zero value if it names none.
type Configured struct {
	Rule    *Rule
	Values  estimators.Values
	Options estimators.Options // that the values were read from, by the rule's keys
	By      string             // the key that names the rule
	Keys    []string           // of the configuration that were read, By the first
	Off     string             // the option that turns off a rule that is on by default; "" if none does
}

// Value is a value of a configuration: its keys joined by dots, and its text.
type Value struct{ Key, Text string }

// ByConfig finds the rule that a configuration names. Of several it is the one that has most of the options, and a limit on versions only
// if it names no other.
func ByConfig(config []Value) (found Configured, err error) {
	most := 0
	for _, r := range All() {
		by, isOn := r.named(config)
		if !isOn {
			found.Off = cmp.Or(found.Off, by)
			continue
		}
		given, keys := r.optionsIn(config)
		weight := 1 + len(given.List())
		if !r.Versions {
			weight += 1000
		}
		if weight <= most {
			continue
		}
		values, err := r.Values(given)
		if err != nil {
			return Configured{}, err
		}
		keys = append([]string{by}, slices.DeleteFunc(keys, func(key string) bool { return key == by })...)
		most, found.Rule, found.Values, found.Options, found.By, found.Keys = weight, r, values, given, by, keys
	}
	return found, nil
}

// Configuration returns the keys and values by which a trainer's configuration names the rule with options: those of the options, of what
// selects the rule, and of its bound, also at its default.
func (r *Rule) Configuration(given estimators.Options) (lines []Value, err error) {
	values, err := r.Values(given)
	if err != nil {
		return nil, err
	}
	given, _ = given.Resolve("", r.Options) // which Values would have refused
	if _, isOption := estimators.FindOption(r.Options, r.Key); r.Value != "" && !isOption {
		lines = append(lines, Value{r.Key, r.Value})
	}
	for _, option := range r.Options {
		isGiven := given.Of([]estimators.Option{option}) != ""
		isTold := option.Key == r.Key || slices.Contains(r.Swept.Keys, option.Key)
		if text := values.Text(option.Key); isGiven || isTold && text != "none" {
			lines = append(lines, Value{option.Key, text})
		}
	}
	return lines, nil
}

// named reports whether a configuration turns a rule on, and by which key; by is also the key that turns one off that is on by default.
func (r *Rule) named(config []Value) (by string, on bool) {
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
		return r.namesOption(config)
	}
	return by, false
}

// namesOption reports whether a configuration has an option of a rule that is on by default.
func (r *Rule) namesOption(config []Value) (by string, on bool) {
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

// optionsIn are the values of a configuration that are options of the rule, and the keys that they have there.
func (r *Rule) optionsIn(config []Value) (given estimators.Options, keys []string) {
	for _, option := range r.Options {
		for _, key := range append([]string{option.Key}, option.Aliases...) {
			for _, v := range config {
				if endsIn(v.Key, key) && v.Text != "" && strings.ToLower(v.Text) != "null" {
					given, keys = given.With(option.Key, v.Text), append(keys, v.Key)
				}
			}
		}
	}
	return given, keys
}

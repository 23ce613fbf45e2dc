package offpolicy

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"vantage/estimators"
)

// The kinds of options that only these rules have, and short ways to write the usual ones.

// prefixed writes the keys of a list of options below a section of the trainer's configuration.
func prefixed(section string, list ...estimators.Option) []estimators.Option {
	for i := range list {
		list[i].Key = section + "." + list[i].Key
	}
	return list
}

func anyNumber() estimators.Kind { return estimators.Number(math.Inf(-1), math.Inf(1)) }

// bound is an option that takes a number.
func bound(key, byDefault, meaning string, aliases ...string) estimators.Option {
	return estimators.Option{Key: key, Aliases: aliases, Kind: anyNumber(), Default: byDefault, Meaning: meaning}
}

// boundOrNone is an option that takes a number or none.
func boundOrNone(key, byDefault, meaning string, aliases ...string) estimators.Option {
	return estimators.Option{Key: key, Aliases: aliases, Kind: estimators.OrNone(anyNumber()), Default: byDefault, Meaning: meaning}
}

// choice is an option that takes one of some words, the default first.
func choice(key, meaning string, words ...string) estimators.Option {
	return estimators.Option{Key: key, Kind: estimators.OneOf(words...), Default: words[0], Meaning: meaning}
}

// selector is the option that selects the rule itself, and so takes one value.
func selector(key, value string, aliases ...string) estimators.Option {
	return estimators.Option{Key: key, Aliases: aliases, Kind: estimators.OneOf(value), Default: value, Meaning: "selects this rule"}
}

func toggle(key string, on bool, meaning string) estimators.Option {
	return estimators.Option{Key: key, Kind: estimators.Switch(), Default: strconv.FormatBool(on), Meaning: meaning}
}

// text is an option whose value the rule itself reads.
func text(key, byDefault, kind, meaning string, aliases ...string) estimators.Option {
	parse := func(text string) (string, bool) {
		text = strings.Trim(strings.TrimSpace(text), `"'`)
		return text, text != "" && !strings.Contains(text, "\n")
	}
	values := estimators.OrNone(estimators.Custom(kind, parse))
	return estimators.Option{Key: key, Aliases: aliases, Kind: values, Default: byDefault, Meaning: meaning}
}

// object is an option whose value is JSON.
func object(key, byDefault, kind, meaning string) estimators.Option {
	parse := func(text string) (string, bool) {
		var compact bytes.Buffer
		err := json.Compact(&compact, []byte(text))
		return compact.String(), err == nil
	}
	return estimators.Option{Key: key, Kind: estimators.Custom(kind, parse), Default: byDefault, Meaning: meaning}
}

// interval is an option of two numbers, or of the upper one alone, for which the lower is 0.
func interval(key, byDefault, meaning string) estimators.Option {
	parse := func(text string) (string, bool) {
		words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,[]()", r) })
		if len(words) == 1 {
			words = []string{"0", words[0]}
		}
		for _, word := range words {
			x, err := strconv.ParseFloat(word, 64)
			if err != nil || x-x != 0 {
				return "", false
			}
		}
		return strings.Join(words, " "), len(words) == 2
	}
	kind := estimators.Custom("two numbers, LOW HIGH, or HIGH alone", parse)
	return estimators.Option{Key: key, Kind: kind, Default: byDefault, Meaning: meaning}
}

// lowHigh reads "LOW_HIGH", or "HIGH" with the lower bound that this stands for.
func lowHigh(spec string, lower func(high float64) float64) (low, high float64, ok bool) {
	first, second, two := strings.Cut(strings.TrimSpace(spec), "_")
	if !two {
		second = first
	}
	high, err := strconv.ParseFloat(strings.TrimSpace(second), 64)
	if err != nil {
		return 0, 0, false
	}
	if !two {
		return lower(high), high, true
	}
	low, err = strconv.ParseFloat(strings.TrimSpace(first), 64)
	return low, high, err == nil
}

// words are the parts of a list with commas that are not empty.
func words(list string) []string {
	var all []string
	for part := range strings.SplitSeq(list, ",") {
		if part = strings.TrimSpace(part); part != "" {
			all = append(all, part)
		}
	}
	return all
}

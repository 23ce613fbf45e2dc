package estimators

import (
	"math"
	"strconv"
	"strings"
)

// Count takes whole numbers from low on.
func Count(low int) Kind {
	return Kind{"a whole number from " + strconv.Itoa(low) + " on", func(text string) (string, bool) {
		x, ok := parseFinite(strings.ReplaceAll(text, "_", ""))
		return strconv.FormatFloat(x, 'f', -1, 64), ok && x == math.Trunc(x) && x >= float64(low) && x < 1<<53
	}}
}

// OrNone takes what k takes, and none; null is the same. [Values.Number] of none is 0.
func OrNone(k Kind) Kind {
	return Kind{k.text + ", or none", func(text string) (string, bool) {
		if isNone(text) {
			return "none", true
		}
		return k.parse(text)
	}}
}

// NumberOrNone takes finite numbers from low to high, both included, and none.
func NumberOrNone(low, high float64) Kind { return OrNone(Number(low, high)) }

// Name takes one word, such as the name of a column; what says which: "the name of a column".
func Name(what string) Kind {
	return Kind{what, func(text string) (string, bool) {
		text = strings.TrimSpace(text)
		return text, text != "" && !strings.ContainsAny(text, "\n=")
	}}
}

// Names takes one name or more, with commas between them: "solver, judge". Brackets and quotes, as lists
// have them in TOML and YAML, do not count.
func Names() Kind {
	return Kind{"names with commas between them", func(text string) (string, bool) {
		names := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(` ,[]"'`, r) })
		return strings.Join(names, ","), len(names) > 0
	}}
}

// NumberOr returns the value of a [NumberOrNone], and otherwise for none.
func (v Values) NumberOr(key string, otherwise float64) float64 {
	if x, ok := parseFinite(v.Text(key)); ok {
		return x
	}
	return otherwise
}

// Optional returns the value of a [NumberOrNone], nil for none.
func (v Values) Optional(key string) *float64 {
	if x, ok := parseFinite(v.Text(key)); ok {
		return &x
	}
	return nil
}

// Whole returns the value of a [Count].
func (v Values) Whole(key string) int { return int(v.Number(key)) }

// Names returns the value of [Names].
func (v Values) Names(key string) []string { return strings.Split(v.Text(key), ",") }

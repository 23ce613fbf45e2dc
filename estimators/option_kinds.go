package estimators

import (
	"strings"
)

// NumberOrNone takes finite numbers from low to high, both included, and none.
func NumberOrNone(low, high float64) Kind {
	number := Number(low, high)
	return Kind{number.text + ", or none", func(text string) (string, bool) {
		if isNone(text) {
			return "none", true
		}
		return number.parse(text)
	}}
}

// Name takes one word, such as the name of a column; what says which: "the name of a column".
func Name(what string) Kind {
	return Kind{what, func(text string) (string, bool) {
		text = strings.TrimSpace(text)
		return text, text != "" && !strings.ContainsAny(text, "\n=")
	}}
}

// NumberOr returns the value of a [NumberOrNone], and otherwise for none.
func (v Values) NumberOr(key string, otherwise float64) float64 {
	if x, ok := parseFinite(v.Text(key)); ok {
		return x
	}
	return otherwise
}

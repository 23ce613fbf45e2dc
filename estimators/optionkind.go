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
		return formatNumber(x), ok && x == math.Trunc(x) && x >= float64(low) && x < 1<<53
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

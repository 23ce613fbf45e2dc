package compare

import (
	"cmp"
	"strings"
)

// What runs are called that have no name of their own.
const (
	firstRun  = "first run"
	secondRun = "second run"
)

// Names returns names for two runs of some titles, which may be paths: short and different, without the folders that both
// are in. Runs of one title are the first and the second.
func Names(first, second string) [2]string {
	for {
		a, rest, more := strings.Cut(first, "/")
		b, otherRest, alsoMore := strings.Cut(second, "/")
		if !more || !alsoMore || a != b {
			break
		}
		first, second = rest, otherRest
	}
	first, second = strings.TrimSuffix(first, "/"), strings.TrimSuffix(second, "/")
	if first == second {
		return [2]string{firstRun, secondRun}
	}
	return [2]string{cmp.Or(first, firstRun), cmp.Or(second, secondRun)}
}

package match

import "math"

// affineTolerance is how far an advantage may be from a line through the others of its group, relative to
// the largest of them: logs of three decimals pass.
const affineTolerance = 5e-3

// isAffine reports whether the advantages of a group lie on a rising line over its rewards, as those of
// nearly all estimators do that read one reward. Values that are not finite lie on every line.
func isAffine(rewards, advantages []float64) bool {
	low, high, largest := -1, -1, 0.0
	for i, r := range rewards {
		if !areFinite(r, advantages[i]) {
			continue
		}
		largest = max(largest, math.Abs(advantages[i]))
		if low < 0 || r < rewards[low] {
			low = i
		}
		if high < 0 || r > rewards[high] {
			high = i
		}
	}
	if low < 0 {
		return true
	}
	slope := 0.0
	if width := rewards[high] - rewards[low]; width > 0 {
		slope = (advantages[high] - advantages[low]) / width
	}
	for i, r := range rewards {
		onLine := advantages[low] + slope*(r-rewards[low])
		if areFinite(r, advantages[i]) && math.Abs(advantages[i]-onLine) > affineTolerance*largest {
			return false
		}
	}
	return slope >= 0
}

func areFinite(x, y float64) bool { return x-x == 0 && y-y == 0 }

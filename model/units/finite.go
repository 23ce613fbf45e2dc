package units

import "strings"

// IsFinite reports whether a number is neither NaN nor infinite.
func IsFinite[T float32 | float64](x T) bool { return x-x == 0 }

// SignedOrMissing is [Signed] for a table: [Missing] of what is not finite, and without the space before what rounds to 0, since sums that
// cancel leave the last bits of either sign.
func SignedOrMissing(x float64) string {
	if !IsFinite(x) {
		return Missing
	}
	return strings.TrimSpace(Signed(x))
}

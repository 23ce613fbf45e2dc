package match

import (
	"context"
	"math"

	"vantage/model"
	"vantage/model/analysis"
)

// The decimals for which rounding is tried: with fewer nearly everything agrees, with more
// the tolerance suffices even in groups of small advantages.
const (
	minDecimals = 3
	maxDecimals = 7
)

// loggedDecimals returns how many decimals the logged advantages have, 0 if fewer than
// minDecimals or more than maxDecimals.
func loggedDecimals(grouped []*analysis.GroupedStep) int {
	for d := range maxDecimals + 1 {
		if haveDecimals(grouped, d) {
			if d < minDecimals {
				return 0
			}
			return d
		}
	}
	return 0
}

// haveDecimals reports whether no logged advantage has more than d decimals.
func haveDecimals(grouped []*analysis.GroupedStep, d int) bool {
	unit := math.Pow10(d)
	for _, s := range grouped {
		for _, x := range s.LoggedAdvantages {
			if scaled := x * unit; math.Abs(scaled-math.Round(scaled)) > 1e-9*max(1, math.Abs(scaled)) {
				return false
			}
		}
	}
	return true
}

// roundingTolerance is half a unit of the last of d decimals, and a little more for the comparison's own
// arithmetic; 0 for none.
func roundingTolerance(d int) float64 {
	if d == 0 {
		return 0
	}
	return 0.5 * math.Pow10(-d) * (1 + 1e-6)
}

// retryRounded tries again with the tolerance of the decimals that the log has.
func (r *Report) retryRounded(ctx context.Context, snap model.Snapshot, grouped []*analysis.GroupedStep) error {
	d := loggedDecimals(grouped)
	if d == 0 {
		return nil
	}
	retry := r.again(r.Compared)
	if err := retry.tryAll(ctx, snap, grouped, variant{tolerance: roundingTolerance(d)}); err != nil {
		return err
	}
	if retry.HasMatch() {
		r.Decimals, r.Matches, r.Others = d, retry.Matches, retry.Others
	}
	return nil
}

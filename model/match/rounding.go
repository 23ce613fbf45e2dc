package match

import (
	"context"
	"math"

	"vantage/model"
)

// The number of decimals that tell something: with fewer, what rounds to them is
// almost anything; with more, the tolerance is enough.
const (
	minDecimals = 3
	maxDecimals   = 5
)

// loggedDecimals returns how many decimals the logged advantages were written with, 0
// if fewer or more than tell something.
func loggedDecimals(prepared []*model.Laid) int {
	for d := range maxDecimals + 1 {
		if haveDecimals(prepared, d) {
			if d < minDecimals {
				return 0
			}
			return d
		}
	}
	return 0
}

// haveDecimals reports whether all logged advantages have at most d decimals.
func haveDecimals(prepared []*model.Laid, d int) bool {
	unit := math.Pow10(d)
	for _, l := range prepared {
		for _, x := range l.Given {
			if scaled := x * unit; math.Abs(scaled-math.Round(scaled)) > 1e-9*max(1, math.Abs(scaled)) {
				return false
			}
		}
	}
	return true
}

// retryRounded tries again with a tolerance of half a unit of the last decimal, and a
// little for the arithmetic of the comparison.
func (r *Report) retryRounded(ctx context.Context, snap model.Snapshot, prepared []*model.Laid) error {
	d := loggedDecimals(prepared)
	if d == 0 {
		return nil
	}
	again := &Report{Compared: r.Compared}
	if err := again.tryAll(ctx, snap, prepared, 0.5*math.Pow10(-d)*(1+1e-6)); err != nil {
		return err
	}
	if again.HasMatch() {
		r.Decimals, r.Matches, r.Others = d, again.Matches, again.Others
	}
	return nil
}

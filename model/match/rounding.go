package match

import (
	"context"
	"math"

	"vantage/model"
)

// The number of decimals that tell something: with fewer, what rounds to them is
// almost anything; with more, the tolerance is enough.
const (
	fewestDecimals = 3
	mostDecimals   = 5
)

// decimals returns how many decimals the logged advantages were written with, 0
// if fewer or more than tell something.
func decimals(laid []*model.Laid) int {
	for d := range mostDecimals + 1 {
		if written(laid, d) {
			if d < fewestDecimals {
				return 0
			}
			return d
		}
	}
	return 0
}

// written reports whether all logged advantages have at most d decimals.
func written(laid []*model.Laid, d int) bool {
	unit := math.Pow10(d)
	for _, l := range laid {
		for _, x := range l.Given {
			if scaled := x * unit; math.Abs(scaled-math.Round(scaled)) > 1e-9*max(1, math.Abs(scaled)) {
				return false
			}
		}
	}
	return true
}

// rounded tries again with a tolerance of half a unit of the last decimal, and a
// little for the arithmetic of the comparison.
func (r *Report) rounded(ctx context.Context, snap model.Snapshot, laid []*model.Laid) error {
	d := decimals(laid)
	if d == 0 {
		return nil
	}
	again := &Report{Compared: r.Compared}
	if err := again.all(ctx, snap, laid, 0.5*math.Pow10(-d)*(1+1e-6)); err != nil {
		return err
	}
	if again.Match() {
		r.Decimals, r.Matches, r.Others = d, again.Matches, again.Others
	}
	return nil
}

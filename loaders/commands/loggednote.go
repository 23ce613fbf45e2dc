package commands

import (
	"context"
	"fmt"

	"vantage/model"
	"vantage/model/match"
)

// noteLoggedEstimator says beside the output whose advantages the log holds, where nobody chose an
// estimator and the usual one gives others. The screen starts with the one that fits; a
// command does not: what it prints must not depend on what the log happens to hold.
func (p *Program) noteLoggedEstimator(ctx context.Context, snap model.Snapshot, set model.Settings, format string) {
	if p.EstimatorChosen() {
		return
	}
	r, err := match.Run(ctx, snap, set, match.DefaultLimit)
	if err != nil || !r.HasMatch() { // no advantages, or of nobody's that is known: `match` says more
		return
	}
	for _, m := range r.Matches {
		if c := m.Candidate; c.Framework == set.Framework && c.Estimator == set.Estimator && c.Scale == set.Scale {
			return
		}
	}
	best := r.Matches[0].Candidate
	p.note(format, fmt.Sprintf("the advantages in the log are those of %s, these are of %s %s: --framework %s --estimator %s --scale %s computes the log's",
		best, set.Framework, set.Estimator, best.Framework, best.Estimator, best.Scale))
}

package commands

import (
	"context"
	"fmt"

	"vantage/model"
	"vantage/model/match"
)

// noteLoggedEstimator notes which estimator reproduces the logged advantages, if the user
// chose none and the default does not. The screen starts with that estimator; a command
// does not, so that its output depends on arguments only.
func (p *Program) noteLoggedEstimator(ctx context.Context, snap model.Snapshot, set model.Settings, format string) {
	if p.EstimatorChosen() {
		return
	}
	r, err := match.Run(ctx, snap, set, match.DefaultLimit)
	if err != nil || !r.HasMatch() { // `match` says why
		return
	}
	for _, m := range r.Matches {
		if c := m.Candidate; c.Framework == set.Framework && c.Estimator == set.Estimator && c.Scale == set.Scale {
			return
		}
	}
	best := r.Matches[0].Candidate
	p.note(format, fmt.Sprintf("the logged advantages are those of %s, but these are of %s %s: --framework %s --estimator %s --scale %s computes the logged ones",
		best, set.Framework, set.Estimator, best.Framework, best.Estimator, best.Scale))
}

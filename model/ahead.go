package model

import (
	"context"
	"slices"
)

// Ahead computes the step of an analysis, step i of the snapshot, under other settings too. It
// returns what stands for the analysis in [Snapshot.AnalyzeAfter], which then has them ready
// beside those that the analysis has already. Settings that are refused are passed over, and
// those that are its own: a ratio at the end of its range, or one that the estimator does not
// take. It fails if ctx ends.
//
// A step of ten million samples takes longer than a person waits without noticing, unless
// what is asked for next has been made while the last answer was read.
func (s Snapshot) Ahead(ctx context.Context, i int, a *Analysis, others ...Settings) (*Analysis, error) {
	known := *a
	known.ready = slices.Clip(a.ready)
	for _, set := range others {
		if set.Effective() == a.Settings {
			continue
		}
		other, err := s.AnalyzeAfter(ctx, i, set, &known)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil && other.ground == a.ground && !slices.Contains(known.ready, other) {
			known.ready, known.cleanings = append(known.ready, other), other.cleanings
		}
	}
	return &known, nil
}

// readyFor returns the analysis of step i under a plan, this one or one that was computed ahead;
// nil if there is none.
func (a *Analysis) readyFor(s Snapshot, i int, p plan) *Analysis {
	if a == nil || a.ground.key != s.groundKey(i, p) {
		return nil
	}
	if a.under(s, p) {
		return a
	}
	for _, other := range a.ready {
		if other.under(s, p) {
			return other
		}
	}
	return nil
}

// under reports whether a plan for the same step gives the same analysis. What is said of the
// grouping comes from all steps, of which there may be more now.
func (a *Analysis) under(s Snapshot, p plan) bool {
	return a.Settings == p.set && a.Grouping == p.grouping && a.lengthUnit == s.Run.LengthUnit
}

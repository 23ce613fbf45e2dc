package model

import "vantage/estimators"

// Laid is one step in group order, laid out once to be computed under one
// estimator after the other.
type Laid struct {
	Step    int64
	Order   []int32   // row in input order of each sample
	Offsets []int     // group g is [Offsets[g]:Offsets[g+1]]
	Rewards []float64 // as logged, or as Settings.Reward and Settings.Weights make them
	Lengths []int32   // of the responses, -1 where unknown
	Given   []float64 // advantages as logged, NaN where not

	snap     Snapshot
	step     Step
	weights  Weights
	grouping Grouping
	columns  *arranged
}

// Lay lays step i out. Of the settings it takes grouping and reward. It fails if
// the samples cannot be grouped, or if the log has no such reward.
func (s Snapshot) Lay(i int, set Settings) (*Laid, error) {
	grouping, err := s.Grouping(set)
	if err != nil {
		return nil, err
	}
	a, err := s.arrange(i, grouping, set)
	if err != nil {
		return nil, err
	}
	return &Laid{
		Step: s.Steps[i].Number, Order: a.order, Offsets: a.offsets, Rewards: a.logged, Lengths: a.lengths, Given: a.given,
		snap: s, step: s.Steps[i], weights: set.Weights, grouping: grouping, columns: a,
	}, nil
}

// Under returns the advantages of the step under an estimator, unfiltered; nil if
// the step lacks what it needs.
func (l *Laid) Under(e *estimators.Estimator, scale estimators.Scale) []float64 {
	rewards := make([]float64, len(l.Rewards))
	e.CleanInto(rewards, l.Rewards)
	batch := l.columns.feed(l.snap, l.step, e, l.weights, rewards)
	if e.MissingIn(batch) != "" {
		return nil
	}
	dst := make([]float64, len(l.Order))
	// what the trainer would refuse it did not: the log is there
	_ = e.Advantage(dst, batch, scale)
	return dst
}

// Group names group g of the step.
func (l *Laid) Group(g int) string {
	return l.snap.groupName(l.grouping, l.step, int(l.Order[l.Offsets[g]]), g)
}

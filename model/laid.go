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

	snap Snapshot
	step Step
	base Analysis
}

// Lay lays step i out. Of the settings it takes grouping and reward. It fails if
// the samples cannot be grouped, or if the log has no such reward.
func (s Snapshot) Lay(i int, set Settings) (*Laid, error) {
	grouping, err := s.Grouping(set)
	if err != nil {
		return nil, err
	}
	l := &Laid{snap: s, step: s.Steps[i], base: Analysis{Settings: set, Grouping: grouping}}
	if err := l.base.gather(s, i); err != nil {
		return nil, err
	}
	a := &l.base
	l.Step, l.Order, l.Offsets, l.Rewards, l.Lengths, l.Given = a.Step, a.Order, a.Offsets, a.Logged, a.Lengths, a.Given
	return l, nil
}

// Under returns the advantages of the step under an estimator, unfiltered; nil if
// the step lacks what it needs.
func (l *Laid) Under(e *estimators.Estimator, scale estimators.Scale) []float64 {
	a := l.base
	a.feed(l.snap, l.step, e)
	if e.Lacks(a.batch) != "" {
		return nil
	}
	dst := make([]float64, a.Rows)
	// what the trainer would refuse it did not: the log is there
	_ = e.Advantage(dst, a.batch, scale)
	return dst
}

// Group names group g of the step.
func (l *Laid) Group(g int) string {
	return l.snap.groupName(l.base.Grouping, l.step, int(l.Order[l.Offsets[g]]), g)
}

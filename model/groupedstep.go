package model

import (
	"math"

	"vantage/estimators"
)

// GroupedStep is a step sorted by group: the samples of a group are adjacent, in batch order.
type GroupedStep struct {
	Step             int64
	Order            []int32   // row in input order of each sample
	Offsets          []int     // group g is [Offsets[g]:Offsets[g+1]]
	LoggedRewards    []float64 // as logged, or as Settings.Reward or Settings.Weights make them
	LoggedAdvantages []float64 // NaN where the log has none
	Lengths          []int32   // of the responses, -1 where unknown

	snap     Snapshot
	step     Step
	weights  Weights
	grouping Grouping
}

// GroupStep sorts step i by group. Of the settings it reads grouping and reward. It fails if the
// samples cannot be grouped, or if the log has no such reward.
func (s Snapshot) GroupStep(i int, set Settings) (*GroupedStep, error) {
	grouping, err := s.Grouping(set)
	if err != nil {
		return nil, err
	}
	return s.groupStep(i, grouping, set)
}

func (s Snapshot) groupStep(i int, by Grouping, set Settings) (*GroupedStep, error) {
	step := s.Steps[i]
	order, offsets, err := by.layout(step, s.Open(i))
	if err != nil {
		return nil, err
	}
	rewards, err := s.rewards(step, order, set)
	if err != nil {
		return nil, err
	}
	g := &GroupedStep{
		Step: step.Number, Order: order, Offsets: offsets, LoggedRewards: rewards,
		LoggedAdvantages: make([]float64, len(order)), Lengths: make([]int32, len(order)),
		snap: s, step: step, weights: set.Weights, grouping: by,
	}
	for i, row := range order {
		g.Lengths[i] = step.Lengths[row]
		g.LoggedAdvantages[i] = math.NaN()
		if step.Logged != nil {
			g.LoggedAdvantages[i] = step.Logged[row]
		}
	}
	return g, nil
}

// Advantages returns the unfiltered advantages of the step under an estimator; nil if the step
// lacks what it needs.
func (g *GroupedStep) Advantages(e *estimators.Estimator, scale estimators.Scale) []float64 {
	b := g.batch(e)
	if e.MissingIn(b) != "" {
		return nil
	}
	advantages := make([]float64, len(g.Order))
	// A refusal is ignored: the trainer did write the log.
	_ = e.Advantage(advantages, b, scale)
	return advantages
}

// GroupName names group at.
func (g *GroupedStep) GroupName(at int) string {
	return g.snap.groupName(g.grouping, g.step, g.firstRow(at), at)
}

// firstRow is the input row of the first sample of group at.
func (g *GroupedStep) firstRow(at int) int { return int(g.Order[g.Offsets[at]]) }

package analysis

import (
	"math"

	"vantage/estimators"
	"vantage/model"
)

// Columns are the samples of a step sorted by group: those of a group are adjacent, in batch order.
type Columns struct {
	InputRow         []int32   // row in input order of each sample
	Offsets          []int     // group g is [Offsets[g]:Offsets[g+1]]
	LoggedRewards    []float64 // as logged, or as Settings.Reward or Settings.Weights make them
	LoggedAdvantages []float64 // NaN where the log has none
	Lengths          []int32   // of the responses, -1 where unknown
}

// GroupedStep is a step sorted by group.
type GroupedStep struct {
	Step int64
	Columns

	snap     model.Snapshot
	step     model.Step
	weights  model.Weights
	grouping model.Grouping
}

// GroupStep sorts step i by group. Of the settings it reads grouping and reward. It fails if the
// samples cannot be grouped, or if the log has no such reward.
func GroupStep(snap model.Snapshot, i int, set model.Settings) (*GroupedStep, error) {
	grouping, err := snap.Grouping(set)
	if err != nil {
		return nil, err
	}
	return groupStep(snap, i, grouping, set)
}

func groupStep(snap model.Snapshot, i int, by model.Grouping, set model.Settings) (*GroupedStep, error) {
	step := snap.Steps[i]
	order, offsets, err := by.Layout(step, snap.Open(i))
	if err != nil {
		return nil, err
	}
	rewards, err := snap.Rewards(step, order, set)
	if err != nil {
		return nil, err
	}
	g := &GroupedStep{
		Step: step.Number, Columns: Columns{
			InputRow: order, Offsets: offsets, LoggedRewards: rewards,
			LoggedAdvantages: make([]float64, len(order)), Lengths: make([]int32, len(order)),
		},
		snap: snap, step: step, weights: set.Weights, grouping: by,
	}
	for i, row := range order {
		g.Lengths[i] = step.Lengths[row]
		g.LoggedAdvantages[i] = math.NaN()
		if step.LoggedAdvantages != nil {
			g.LoggedAdvantages[i] = step.LoggedAdvantages[row]
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
	advantages := make([]float64, len(g.InputRow))
	// A refusal is ignored: the trainer did write the log.
	_ = e.Advantage(advantages, b, scale)
	return advantages
}

// GroupName names group at.
func (g *GroupedStep) GroupName(at int) string {
	return g.snap.GroupName(g.grouping, g.step, g.firstRow(at), at)
}

// firstRow is the input row of the first sample of group at.
func (g *GroupedStep) firstRow(at int) int { return int(g.InputRow[g.Offsets[at]]) }

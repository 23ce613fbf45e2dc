package analysis

import (
	"context"
	"iter"
	"math"

	"vantage/estimators"
	"vantage/model"
)

// Columns are the samples of a step sorted by group, in batch order within each.
type Columns struct {
	InputRow         []int32        // row of the step, in input order
	Offsets          []int          // group g is [Offsets[g]:Offsets[g+1]]
	LoggedRewards    []float64      // as logged, or by Settings.Reward or Settings.Weights
	Rewards          []float64      // these after Settings.Overlong, which is what trains: the same slice without it
	LoggedAdvantages []float64      // NaN where the log has none
	Lengths          []int32        // of the responses; -1 where unknown
	Status           []model.Status // as the trainer writes it; nil if it says nothing of any sample
}

// GroupedStep is a step sorted by group.
type GroupedStep struct {
	Step int64
	Columns

	verdicts []float64 // whether each sample is correct, 0 or 1; nil if the log does not say
	snap     *model.Snapshot
	step     model.Step
	weights  model.Weights
	rule     model.GroupRule
	rollouts *rollouts
	parts    map[*model.Whole]bool // groups of which the log holds only some samples
	without  []bool                // samples that count in no mean and no advantage: the rollout failed, or was cut off and dropped; nil if all do
}

// GroupStep sorts step i by group. It reads grouping and reward of the settings. It fails if samples
// cannot be grouped, or if the log has no such reward.
func GroupStep(snap model.Snapshot, i int, set model.Settings) (*GroupedStep, error) {
	grouping, err := snap.Grouping(set)
	if err != nil {
		return nil, err
	}
	g, err := groupStep(&snap, i, grouping.GroupRule, set, nil)
	if err != nil {
		return nil, err
	}
	penalty, err := g.penalize(set)
	g.Rewards = penalty.rewards
	return &g, err
}

// group is the first stage of an analysis.
func (a *Analysis) group(_ context.Context, set model.Settings) (err error) {
	a.grouped, err = groupStep(&a.plan.snap, a.index, a.plan.grouping.GroupRule, set, a.memory)
	return err
}

// groupStep reads the reward of the settings, and what becomes of truncated samples.
func groupStep(snap *model.Snapshot, i int, rule model.GroupRule, set model.Settings, memory *memory) (GroupedStep, error) {
	step := &snap.Steps[i]
	order, offsets, err := snap.Layout(rule, i)
	if err != nil {
		return GroupedStep{}, err
	}
	rewards, err := snap.Rewards(*step, order, set)
	if err != nil {
		return GroupedStep{}, err
	}
	g := GroupedStep{
		Step: step.Number,
		Columns: Columns{
			InputRow: order, Offsets: offsets, LoggedRewards: rewards, Rewards: rewards,
			LoggedAdvantages: model.Pick(step.LoggedAdvantages, order), Lengths: model.InOrder(snap, step.Lengths, order),
			Status: step.StatusesOf(order),
		},
		verdicts: snap.Verdicts(*step, order), snap: snap, step: *step, weights: set.Weights, rule: rule,
		rollouts: newRollouts(step.FirstOutputs, order, offsets), parts: step.Parts(),
	}
	if g.LoggedAdvantages == nil {
		g.LoggedAdvantages = memory.none(len(order))
	}
	g.treatTruncated(set)
	return g, nil
}

// treatTruncated gives truncated samples the status that the trainer of the settings gives them, and finds those that count in no mean.
func (g *GroupedStep) treatTruncated(set model.Settings) {
	for i, status := range g.Status {
		isDropped := status == model.StatusCutOff && set.Truncated == "drop"
		switch {
		case isDropped:
			g.Status[i] = model.StatusDropped
		case status == model.StatusCutOff && set.Truncated == "mask":
			g.Status[i] = model.StatusMasked
		}
		if isDropped || status == model.StatusErrored && math.IsNaN(g.LoggedAdvantages[i]) {
			if g.without == nil {
				g.without = make([]bool, len(g.InputRow))
			}
			g.without[i] = true
		}
	}
}

// Advantages returns the unfiltered advantages under an estimator, nil if the step lacks what it needs.
func (g *GroupedStep) Advantages(e *estimators.Estimator, scale estimators.Scale) []float64 {
	return g.Filtered(e, scale, 1, 1, false)
}

// Filtered is Advantages after the sample filter of these keep ratios, and recomputed for the kept samples if
// asked for.
func (g *GroupedStep) Filtered(e *estimators.Estimator, scale estimators.Scale, keepPos, keepNeg float64, recompute bool) []float64 {
	rollouts := g.countedBy(e)
	b := g.batch(&g.snap.Run, e, rollouts, g.Rewards, nil)
	if e.MissingIn(b) != "" {
		return nil
	}
	unfiltered := make([]float64, len(b.Rewards))
	// A refusal does not matter: the log shows that the trainer raised nothing.
	_ = e.Advantage(unfiltered, b, scale)
	if keepPos >= 1 && keepNeg >= 1 && !recompute {
		return toOutputs(rollouts, unfiltered)
	}
	processed, kept := make([]float64, len(unfiltered)), make([]bool, len(unfiltered))
	estimators.Keep(kept, processed, unfiltered, b.Offsets, keepPos, keepNeg)
	if recompute {
		estimators.Recompute(processed, e, b, scale, unfiltered, kept)
	}
	return toOutputs(rollouts, processed)
}

// Groups yields where each group begins and ends.
func (g *GroupedStep) Groups() iter.Seq2[int, int] {
	return func(yield func(lo, hi int) bool) {
		for k := 1; k < len(g.Offsets) && yield(g.Offsets[k-1], g.Offsets[k]); k++ {
		}
	}
}

// GroupName is the name of group k.
func (g *GroupedStep) GroupName(k int) string {
	return g.snap.GroupName(g.rule, &g.step, g.InputRow, g.Offsets, k)
}

// Run is the number of the run of group k: see model.Snapshot.RunOf.
func (g *GroupedStep) Run(k int) int { return g.snap.RunOf(&g.step, g.firstRow(k)) }

// FullSize is how many consecutive rows are a group in the run of group k, 0 if it is not divided.
func (g *GroupedStep) FullSize(k int) int { return g.rule.FullSize(g.Run(k)) }

func (g *GroupedStep) firstRow(k int) int { return int(g.InputRow[g.Offsets[k]]) }

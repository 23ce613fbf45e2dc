package analysis

import (
	"errors"
	"math"

	"vantage/estimators"
	"vantage/model"
)

// Columns are the samples of a step sorted by group, in batch order within each.
type Columns struct {
	InputRow         []int32   // row of the step, in input order
	Offsets          []int     // group g is [Offsets[g]:Offsets[g+1]]
	LoggedRewards    []float64 // as logged, or by Settings.Reward or Settings.Weights
	Rewards          []float64 // these after Settings.Overlong, which is what trains: the same slice without it
	LoggedAdvantages []float64 // NaN where the log has none
	Lengths          []int32   // of the responses; -1 where unknown
}

// GroupedStep is a step sorted by group.
type GroupedStep struct {
	Step int64
	Columns

	Shaped      int    // how many of Rewards a length penalty lowers
	WhyUnshaped string // why the length penalty of the settings lowers none; "" if it could

	snap     model.Snapshot
	step     model.Step
	weights  model.Weights
	rule     model.GroupRule
	rollouts *rollouts
}

// GroupStep sorts step i by group. It reads grouping and reward of the settings. It fails if samples
// cannot be grouped, or if the log has no such reward.
func GroupStep(snap model.Snapshot, i int, set model.Settings) (*GroupedStep, error) {
	grouping, err := snap.Grouping(set)
	if err != nil {
		return nil, err
	}
	return groupStep(snap, i, grouping.GroupRule, set)
}

func groupStep(snap model.Snapshot, i int, rule model.GroupRule, set model.Settings) (*GroupedStep, error) {
	step := snap.Steps[i]
	order, offsets, err := snap.Layout(rule, i)
	if err != nil {
		return nil, err
	}
	rewards, err := snap.Rewards(step, order, set)
	if err != nil {
		return nil, err
	}
	g := &GroupedStep{
		Step: step.Number, Columns: Columns{
			InputRow: order, Offsets: offsets, LoggedRewards: rewards, Rewards: rewards,
			LoggedAdvantages: make([]float64, len(order)), Lengths: make([]int32, len(order)),
		},
		snap: snap, step: step, weights: set.Weights, rule: rule,
		rollouts: newRollouts(step.FirstOutputs, order, offsets),
	}
	for i, row := range order {
		g.Lengths[i] = step.Lengths[row]
		g.LoggedAdvantages[i] = math.NaN()
		if step.LoggedAdvantages != nil {
			g.LoggedAdvantages[i] = step.LoggedAdvantages[row]
		}
	}
	return g, g.shape(set)
}

// shape adds the length penalty of the settings to the rewards.
func (g *GroupedStep) shape(set model.Settings) error {
	shaping, values, err := set.FindOverlong()
	if err != nil || shaping == nil {
		return err
	}
	g.Rewards = make([]float64, len(g.LoggedRewards))
	g.Shaped, err = shaping.Shape(g.Rewards, g.LoggedRewards, knownLengths(g.Lengths), values)
	var refusal *estimators.Refusal
	switch {
	case !errors.As(err, &refusal):
		return err
	case refusal.Kind == estimators.KindMissing:
		g.WhyUnshaped = shaping.Framework + "/" + shaping.Name + " needs " + refusal.Text
	default:
		g.WhyUnshaped = shaping.Framework + " would stop: " + refusal.Error()
	}
	return nil
}

// Advantages returns the unfiltered advantages under an estimator, nil if the step lacks what it needs.
func (g *GroupedStep) Advantages(e *estimators.Estimator, scale estimators.Scale) []float64 {
	rollouts := g.rollouts.countedBy(e)
	b := g.batch(&g.snap.Run, e, rollouts)
	if e.MissingIn(b) != "" {
		return nil
	}
	advantages := make([]float64, len(b.Rewards))
	// A refusal does not matter: the log shows that the trainer raised nothing.
	_ = e.Advantage(advantages, b, scale)
	return toOutputs(rollouts, advantages)
}

// Filtered is Advantages after the sample filter of these keep ratios, and recomputed for the kept samples if
// asked for.
func (g *GroupedStep) Filtered(e *estimators.Estimator, scale estimators.Scale, keepPos, keepNeg float64, recompute bool) []float64 {
	rollouts := g.rollouts.countedBy(e)
	b := g.batch(&g.snap.Run, e, rollouts)
	if e.MissingIn(b) != "" {
		return nil
	}
	original, processed := make([]float64, len(b.Rewards)), make([]float64, len(b.Rewards))
	_ = e.Advantage(original, b, scale) // as in Advantages
	kept := make([]bool, len(original))
	estimators.Keep(kept, processed, original, b.Offsets, keepPos, keepNeg)
	if recompute {
		estimators.Recompute(processed, e, b, scale, original, kept)
	}
	return toOutputs(rollouts, processed)
}

// GroupName is the name of group k.
func (g *GroupedStep) GroupName(k int) string {
	return g.snap.GroupName(g.rule, g.step, g.InputRow, g.Offsets, k)
}

// Run is the number of the run of group k: see model.Snapshot.RunOf.
func (g *GroupedStep) Run(k int) int { return g.snap.RunOf(g.step, g.firstRow(k)) }

// FullSize is how many consecutive rows are a group in the run of group k, 0 if it is not divided.
func (g *GroupedStep) FullSize(k int) int { return g.rule.FullSize(g.Run(k)) }

// firstRow is the input row of the first sample of group k.
func (g *GroupedStep) firstRow(k int) int { return int(g.InputRow[g.Offsets[k]]) }

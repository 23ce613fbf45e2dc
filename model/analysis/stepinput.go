package analysis

import (
	"context"
	"math"
	"slices"

	"vantage/estimators"
	"vantage/model"
)

// stepInput is the part of an analysis that depends only on the step, its grouping and the chosen
// reward. It is computed once and reused for other estimators and filters.
type stepInput struct {
	*GroupedStep
	countedRollouts *rollouts // nil unless the estimator counts them
	key             inputKey
	blocks          []block
	groups          []Group // without what the settings make of them
	tokenWeights    []int32 // of the responses: the length, or 1 where unknown

	hasLengths       bool    // some length is known
	length           moments // of all responses
	uncutLength      moments // of those shorter than the longest, which were probably cut off
	invalid, missing int     // rewards that are not finite, and those of them that the log lacks
	solveMetrics     []Metric
	noSolved         string // see Summary.NoSolved
}

// inputKey is what a stepInput of a store depends on.
type inputKey struct {
	step       int64
	revision   int
	open       bool
	rule       model.GroupRule
	reward     string
	weights    model.Weights
	thresholds string // see rewardScales
	overlong   string
	options    estimators.Options // of that penalty
	eachOutput bool               // rollouts of several outputs do not count as one
}

func (p plan) inputKey(i int) inputKey {
	step := p.snap.Steps[i]
	return inputKey{
		step.Number, step.Revision, p.snap.Open(i), p.grouping.GroupRule, p.settings.Reward, p.settings.Weights, p.thresholds,
		p.settings.Overlong, p.shapingOptions(),
		step.FirstOutputs != nil && getsEachOutput(p.estimator),
	}
}

// shapingOptions are the options that the length penalty reads.
func (p plan) shapingOptions() estimators.Options {
	shaping, _, err := p.settings.FindOverlong()
	if err != nil || shaping == nil {
		return ""
	}
	return p.settings.StageOptions.Of(shaping.Options)
}

// stepInput returns that of step i: that of previous if it is the same.
func (p plan) stepInput(ctx context.Context, i int, previous *Analysis) (*stepInput, error) {
	key := p.inputKey(i)
	if previous != nil && previous.input.key == key {
		return previous.input, nil
	}
	step, err := groupStep(p.snap, i, p.grouping.GroupRule, p.settings)
	if err != nil {
		return nil, err
	}
	in := &stepInput{GroupedStep: step, countedRollouts: step.rollouts.countedBy(p.estimator), key: key, groups: make([]Group, len(step.Offsets)-1)}
	in.blocks = blocksOf(in.Offsets)
	logged, trained := lastOf(in.countedRollouts, in.LoggedRewards), lastOf(in.countedRollouts, in.Rewards)
	eachBlock(ctx, in.blocks, func(_ int, b block) {
		for g := b.from; g < b.to; g++ {
			in.groups[g] = in.describe(g, logged, trained, &p.rewardScales)
		}
	})
	in.summarize()
	if in.solveMetrics == nil && len(in.groups) > 0 {
		in.noSolved = p.rewardScales.of(&in.groups[0]).WhyNone()
	}
	return in, nil
}

// describe returns group k with what its rewards tell by the scale of its run. logged are those of the
// step that the estimator counts, trained the same after the length penalty.
func (in *stepInput) describe(k int, logged, trained []float64, scales *rewardScales) Group {
	g := Group{Step: in.Step, Name: in.GroupName(k), Preview: in.snap.Preview(in.step, in.firstRow(k)), Start: in.Offsets[k], End: in.Offsets[k+1]}
	g.Run = in.Run(k)
	g.HasSolved = scales.of(&g).Discrete
	from, to := in.rollouts.ofGroup(k, in.Offsets)
	lo, hi := in.countedRollouts.ofGroup(k, in.Offsets)
	sum, n, squares := 0.0, 0, 0.0
	rewards := trained[lo:hi]
	g.Rollouts, g.Counted = to-from, hi-lo
	for _, r := range rewards {
		if isFinite(r) {
			sum += r
			n++
		}
	}
	g.Invalid, g.RewardMean = g.Counted-n, sum/float64(n)
	for _, r := range rewards {
		if isFinite(r) {
			squares += (r - g.RewardMean) * (r - g.RewardMean)
		}
	}
	for _, r := range logged[lo:hi] {
		g.Solved += count01(scales.of(&g).IsSolved(r))
	}
	g.RewardStd = math.Sqrt(squares / float64(n-1))
	return g
}

// summarize computes the fields about all samples.
func (in *stepInput) summarize() {
	in.tokenWeights = in.Lengths
	unknown := 0
	for _, l := range in.Lengths {
		unknown += count01(l < 0)
	}
	in.hasLengths = unknown < len(in.Lengths)
	if unknown > 0 {
		in.tokenWeights = slices.Clone(in.Lengths)
		for i, l := range in.tokenWeights {
			if l < 0 {
				in.tokenWeights[i] = 1
			}
		}
	}
	longest := int32(0)
	for _, l := range in.tokenWeights {
		longest = max(longest, l)
	}
	for _, l := range in.tokenWeights {
		in.length.add(float64(l), 1)
		if l < longest {
			in.uncutLength.add(float64(l), 1)
		}
	}
	for _, r := range in.LoggedRewards {
		in.invalid += count01(!isFinite(r))
		in.missing += count01(estimators.IsMissing(r))
	}
	in.solveMetrics = solveRates(in.groups)
}

// EachGroups calls visit with the groups of each step, ascending, with what their rewards tell and
// without what an estimator or a filter makes of them. An open step is left out, unless it is the only
// one. It fails as [Analyze] does.
func EachGroups(ctx context.Context, snap model.Snapshot, set model.Settings, visit func([]Group)) error {
	p, err := newPlan(snap, set, nil)
	if err != nil {
		return err
	}
	for i := range snap.Steps {
		if snap.Open(i) && len(snap.Steps) > 1 {
			continue
		}
		in, err := p.stepInput(ctx, i, nil)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		visit(in.groups)
	}
	return nil
}

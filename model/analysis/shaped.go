package analysis

import (
	"cmp"
	"context"
	"math"
	"slices"

	"vantage/estimators"
	"vantage/model"
	"vantage/model/units"
)

// shaped are the rewards that train, and what they tell of each group, whatever computes advantages of them.
type shaped struct {
	penalized

	countedRollouts *rollouts // what the estimator counts; nil if that is each sample
	blocks          []block
	groups          []Group // without what later stages make of them
	tokenWeights    []int32 // of the responses: the length, or 1 where unknown

	hasLengths       bool    // some length is known
	length           moments // of all responses
	uncutLength      moments // of those shorter than the longest, which were probably cut off
	invalid, missing int     // rewards that are not finite, and those of them that the log lacks
	solveMetrics     []Metric
	noSolved         string // see StepFigures.NoSolved
}

// penalized are rewards after the length penalty of the settings.
type penalized struct {
	rewards []float64 // those that are logged, if there is no penalty
	lowered int       // how many
	whyNot  string    // why the penalty lowers none; "" if it could
}

// penalize subtracts the length penalty of the settings from the rewards.
func (g *GroupedStep) penalize(set model.Settings) (p penalized, err error) {
	p.rewards = g.LoggedRewards
	shaping, values, err := set.FindOverlong()
	if err != nil || shaping == nil {
		return p, err
	}
	p.rewards = make([]float64, len(g.LoggedRewards))
	if p.lowered, err = shaping.Shape(p.rewards, g.LoggedRewards, knownLengths(g.Lengths), values); err != nil {
		p.whyNot, err = whyNotApplied(&shaping.Entry, err, "")
	}
	return p, err
}

// shape is the stage after the rewards: it subtracts the length penalty, and describes each group.
func (a *Analysis) shape(ctx context.Context, set model.Settings) (err error) {
	g, in := &a.grouped, &a.shaped
	*in = shaped{
		countedRollouts: g.countedBy(a.plan.estimator), blocks: blocksOf(g.Offsets), groups: a.memory.emptyGroups(len(g.Offsets) - 1),
	}
	if in.penalized, err = g.penalize(set); err != nil {
		return err
	}
	counted := countedRewards{
		logged: lastOf(in.countedRollouts, g.LoggedRewards), trained: lastOf(in.countedRollouts, in.rewards),
		verdicts: lastOf(in.countedRollouts, g.verdicts),
	}
	eachBlock(ctx, in.blocks, func(_ int, b block) {
		for k := b.from; k < b.to; k++ {
			lo, hi := in.countedRollouts.ofGroup(k, g.Offsets)
			g.describe(&in.groups[k], k, counted.of(lo, hi), &a.plan.rewardScales)
		}
	})
	if a.memory == nil {
		g.name(in.groups)
	}
	in.measureLengths(g.Lengths, g.Status)
	in.countInvalid(g.LoggedRewards, g.Status)
	if in.solveMetrics = solveRates(in.groups); in.solveMetrics == nil && len(in.groups) > 0 {
		in.noSolved = a.plan.rewardScales.of(&in.groups[0]).WhyNone()
	}
	return nil
}

// countedRewards are the rewards that an estimator counts, and what the log says of whether they are correct, nil if it does not.
type countedRewards struct{ logged, trained, verdicts []float64 }

func (c countedRewards) of(lo, hi int) countedRewards {
	c.logged, c.trained = c.logged[lo:hi], c.trained[lo:hi]
	if c.verdicts != nil {
		c.verdicts = c.verdicts[lo:hi]
	}
	return c
}

// describe says of group k, of which nothing is known, what its rewards, those that are counted, tell by the scale of its run.
func (g *GroupedStep) describe(group *Group, k int, counted countedRewards, scales *rewardScales) {
	group.Step, group.Run, group.Start, group.End, group.Counted = g.Step, g.Run(k), g.Offsets[k], g.Offsets[k+1], len(counted.trained)
	from, to := g.rollouts.ofGroup(k, g.Offsets)
	group.Rollouts = to - from
	scale := scales.of(group)
	group.HasSolved, group.Solved = scale.Known, scale.CountSolved(counted.logged, counted.verdicts)
	finite, sum := finiteSum(counted.trained)
	n := len(finite)
	mean, squares := sum/float64(n), 0.0
	for _, r := range finite {
		squares += (r - mean) * (r - mean)
	}
	group.Invalid, group.RewardMean, group.RewardStd = group.Counted-n, mean, math.Sqrt(squares/float64(n-1))
	if g.parts != nil {
		g.describePart(group)
	}
}

// wordsOf are the name of a group and the preview of its prompt.
func (g *GroupedStep) wordsOf(k int) (name, preview string) {
	return g.GroupName(k), g.snap.Preview(&g.step, g.firstRow(k))
}

// name gives the groups their names and previews.
func (g *GroupedStep) name(groups []Group) {
	for k := range groups {
		groups[k].Name, groups[k].Preview = g.wordsOf(k)
	}
}

// Named returns group k with its name and its preview, which groups of a step that nobody keeps lack.
func (a *Analysis) Named(k int) Group {
	group := a.Table[k]
	if a.memory != nil {
		group.Name, group.Preview = a.grouped.wordsOf(k)
	}
	return group
}

// NameGroups gives the groups of a step that nobody keeps, which [EachPassing] visits, their names and previews: hardly any are shown.
func (a *Analysis) NameGroups() {
	if a.memory != nil {
		a.grouped.name(a.Table)
	}
}

// finiteSum returns the rewards that are finite, and their sum.
func finiteSum(rewards []float64) (finite []float64, sum float64) {
	for _, r := range rewards {
		sum += r
	}
	if units.IsFinite(sum) {
		return rewards, sum
	}
	finite, sum = slices.DeleteFunc(slices.Clone(rewards), func(r float64) bool { return !units.IsFinite(r) }), 0
	for _, r := range finite {
		sum += r
	}
	return finite, sum
}

// describePart takes back what the samples of a group do not tell if the log lacks others of it: the mean stays only if the log
// tells that of the whole group, or if it follows from advantages that are r − μ.
func (g *GroupedStep) describePart(group *Group) {
	whole := g.step.Wholes[g.InputRow[group.Start]]
	if !g.parts[whole] {
		return
	}
	group.IsPart, group.WholeSize, group.HasSolved = true, whole.Size, false
	group.RewardMean, group.RewardStd = whole.Mean, math.NaN()
	if math.IsNaN(group.RewardMean) {
		group.RewardMean = meanByAdvantages(g.LoggedRewards[group.Start:group.End], g.LoggedAdvantages[group.Start:group.End])
	}
	if whole.Std == 0 {
		group.RewardStd = 0
	}
}

// meanByAdvantages returns the mean of a group of which the log holds some rewards and their advantages, NaN if it does not follow:
// r − A is one value for different rewards only where nothing divides A.
func meanByAdvantages(rewards, advantages []float64) float64 {
	mean, largest := rewards[0]-advantages[0], 0.0
	for _, r := range rewards {
		largest = max(largest, math.Abs(r))
	}
	for i, r := range rewards {
		if !(math.Abs(r-advantages[i]-mean) <= loggedPrecision*largest) {
			return math.NaN()
		}
	}
	if isAllZero := advantages[0] == 0; allEqual(rewards) && !isAllZero {
		return math.NaN()
	}
	return mean
}

// at returns element i, NaN of nil.
func at(values []float64, i int) float64 {
	if values == nil {
		return math.NaN()
	}
	return values[i]
}

// measureLengths sums up the lengths of responses.
func (in *shaped) measureLengths(lengths []int32, statuses []model.Status) {
	in.tokenWeights = lengths
	all := sumLengths(lengths)
	in.hasLengths = all.n > 0 && all.hi >= 0
	if all.n > 0 && all.lo < 0 { // some are unknown
		in.tokenWeights = slices.Clone(lengths)
		for i, l := range in.tokenWeights {
			if l < 0 {
				in.tokenWeights[i] = 1
			}
		}
		all = sumLengths(in.tokenWeights)
	}
	counted := in.tokenWeights
	if slices.Contains(statuses, model.StatusUnlogged) {
		counted = nil
		for i, l := range in.tokenWeights {
			if statuses[i] != model.StatusUnlogged {
				counted = append(counted, l)
			}
		}
		all = sumLengths(counted)
	}
	cut, longestUncut := 0, int32(0)
	for _, l := range counted {
		isCut := model.Count01(int(l) == all.hi)
		cut += isCut
		longestUncut = max(longestUncut, l&int32(isCut-1))
	}
	uncut := lengthSum{n: all.n - cut, sum: all.sum - cut*all.hi, lo: all.lo, hi: int(longestUncut)}
	in.length, in.uncutLength = all.moments(), uncut.moments()
}

// countInvalid counts the rewards that are not finite.
func (in *shaped) countInvalid(rewards []float64, statuses []model.Status) {
	for i, r := range rewards {
		if !units.IsFinite(r) && (statuses == nil || statuses[i] != model.StatusErrored) {
			in.invalid++
			in.missing += model.Count01(estimators.IsMissing(r))
		}
	}
}

// EachGroups calls visit with the groups of each step, ascending, with what their rewards tell and
// without what an estimator or a filter makes of them. An open step is left out, unless it is the only
// one. It fails as [Analyze] does.
func EachGroups(ctx context.Context, snap model.Snapshot, set model.Settings, visit func([]Group)) error {
	p, err := newPlan(snap, set, nil)
	if err != nil {
		return err
	}
	return eachStep(ctx, snap, snap.CompleteSteps(), func(ctx context.Context, i int) ([]Group, error) {
		a := &Analysis{plan: p, index: i}
		if err := cmp.Or(a.compute(ctx, 0, stagesOfRewards), ctx.Err()); err != nil {
			return nil, err
		}
		return a.shaped.groups, nil
	}, func(groups []Group) error {
		visit(groups)
		return nil
	})
}

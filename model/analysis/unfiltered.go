package analysis

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	"vantage/estimators"
	"vantage/model"
)

// unfiltered are the advantages before any filter.
type unfiltered struct {
	batch      estimators.Batch
	blocks     []block             // of the batch
	advantages []float64           // of the batch
	samples    []float64           // these by sample: the same slice where each is counted
	ofRule     []float64           // of the batch, as the estimator gives them, where those of the log are taken
	rewards    []float64           // of the samples, as the estimator cleans them
	zeroStd    []bool              // by group: see estimators.Estimator.ZeroStd
	refusal    *estimators.Refusal // what the trainer's own code would raise for the batch, nil if nothing
}

// estimate is the stage that computes the advantages before any filter.
func (a *Analysis) estimate(ctx context.Context, set model.Settings) error {
	e, g, rollouts := a.plan.estimator, &a.grouped, a.shaped.countedRollouts
	u := &a.unfiltered
	*u = unfiltered{batch: g.batch(&a.plan.snap.Run, e, rollouts, a.shaped.rewards, a.memory), blocks: a.shaped.blocks}
	u.advantages, u.rewards = a.memory.numbers(len(u.batch.Rewards)), u.batch.Rewards
	if a.memory != nil {
		clear(u.advantages) // those of another step, which would stay where the estimator refuses
	}
	if rollouts != nil {
		u.blocks, u.rewards = blocksOf(u.batch.Offsets), make([]float64, len(g.InputRow))
		e.CleanInto(u.rewards, a.shaped.rewards)
	}
	if err := u.compute(ctx, e, set.Scale); err != nil && !errors.As(err, &u.refusal) {
		return err
	}
	if set.FromLog {
		u.ofRule = slices.Clone(u.advantages)
	}
	if g.parts != nil || set.FromLog {
		a.takeLogged(set.FromLog)
	}
	if set.Assumed && u.refusal != nil && u.refusal.Kind != estimators.KindMissing {
		u.refusal = nil
	}
	u.zeroStd, u.samples = e.ZeroStd(u.batch, set.Scale), toOutputs(rollouts, u.advantages)
	return nil
}

// takeLogged takes the logged advantages of groups of which the log lacks samples: an estimator would compare the others with a
// part; or all, where no estimator gives them.
func (a *Analysis) takeLogged(all bool) {
	isUnlogged := func(x float64) bool { return !model.IsLogged(x) }
	for k := range a.shaped.groups {
		g := &a.shaped.groups[k]
		logged := a.grouped.LoggedAdvantages[g.Start:g.End]
		if (all || g.IsPart) && a.shaped.countedRollouts == nil && !slices.ContainsFunc(logged, isUnlogged) {
			copy(a.unfiltered.advantages[g.Start:], logged)
		}
	}
}

// compute fills in the advantages, block by block if no group depends on another.
func (u *unfiltered) compute(ctx context.Context, e *estimators.Estimator, scale estimators.Scale) error {
	if e.Separable(u.batch, scale) {
		var refused atomic.Bool
		eachBlock(ctx, u.blocks, func(_ int, b block) {
			if e.Compute(u.advantages[b.lo:b.hi], u.batch.GroupRange(b.from, b.to), scale) != nil {
				refused.Store(true)
			}
		})
		if !refused.Load() {
			return nil
		} // the refusal of the whole batch names its groups
	}
	return e.Compute(u.advantages, u.batch, scale)
}

// batch is the step as an estimator reads it: the rewards that train as its trainer cleaned them, and the other
// columns that it needs, of each rollout that it counts. run may have grown since the step was grouped.
func (g *GroupedStep) batch(run *model.Run, e *estimators.Estimator, by *rollouts, rewards []float64, memory *memory) estimators.Batch {
	rows := lastOf(by, g.InputRow)
	b := estimators.Batch{Rewards: memory.numbers(len(rows)), Offsets: g.Offsets}
	if by != nil {
		b.Offsets = by.offsets
	}
	e.CleanInto(b.Rewards, lastOf(by, rewards))
	if e.Outputs == estimators.ByRollout && g.rollouts != nil {
		b.Rollouts = g.rollouts.of
	}
	if e.Needs.Lengths {
		b.Lengths = g.tokens(by, e.DependsOnBatch)
	}
	if k := run.BaselineColumn(); e.Needs.Baselines && k >= 0 {
		b.Baselines = g.step.Component(rows, k)
	}
	b.Columns = g.columns(run, e.Needs, rows, b.Lengths)
	if e.Needs.Components {
		b.Components, b.Weights = g.components(run, rows)
	}
	return b
}

// components are those of the reward, of rows of the step, and how much each counts; nil if they count alike.
func (g *GroupedStep) components(run *model.Run, rows []int32) (components [][]float64, weights []float64) {
	var names []string
	for _, k := range run.RewardFunctions(g.weights) {
		if k >= len(g.step.Components) || g.step.Components[k] == nil {
			continue // gave nothing in this step
		}
		names = append(names, run.ComponentNames[k])
		components = append(components, g.step.Component(rows, k))
	}
	if g.weights != "" {
		weights, _ = g.weights.Factors(names)
	}
	return components, weights
}

// columns are those that an estimator needs, or reads if they are there, of rows of the step.
func (g *GroupedStep) columns(run *model.Run, needs estimators.Needs, rows, lengths []int32) [][]float64 {
	var columns [][]float64
	for _, c := range (needs.Columns | needs.Optional).List() {
		k := run.InputColumn(c)
		if k < 0 {
			continue
		}
		for len(columns) <= int(c) {
			columns = append(columns, nil)
		}
		columns[c] = g.step.Component(rows, k)
	}
	if total := int(estimators.TotalTokens); len(columns) > total && columns[estimators.InputTokens] == nil && lengths != nil {
		input := slices.Clone(columns[total])
		for i, n := range lengths {
			input[i] -= float64(n)
		}
		columns[estimators.InputTokens] = input
	}
	return columns
}

// tokens are the lengths of what an estimator counts, nil if none is known. One that whitens the batch does so over the tokens that train.
func (g *GroupedStep) tokens(by *rollouts, whitens bool) []int32 {
	lengths := knownLengths(by.lengths(g.Lengths))
	if whitens && lengths != nil && g.Status != nil {
		for i, status := range lastOf(by, g.Status) {
			if status == model.StatusMasked {
				lengths[i] = 0
			}
		}
	}
	return lengths
}

// knownLengths are the lengths with 0 for unknown ones, nil if all are unknown.
func knownLengths(lengths []int32) []int32 {
	if !slices.ContainsFunc(lengths, func(l int32) bool { return l >= 0 }) {
		return nil
	}
	known := make([]int32, len(lengths))
	for i, l := range lengths {
		known[i] = max(0, l)
	}
	return known
}

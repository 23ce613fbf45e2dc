package analysis

import (
	"slices"

	"vantage/estimators"
	"vantage/model"
)

// batch is the step as an estimator reads it: the rewards that its trainer cleaned, and the other
// columns that it needs, of each rollout that it counts. run may have grown since the step was grouped.
func (g *GroupedStep) batch(run *model.Run, e *estimators.Estimator, by *rollouts) estimators.Batch {
	rows, rewards := lastOf(by, g.InputRow), lastOf(by, g.Rewards)
	b := estimators.Batch{Rewards: make([]float64, len(rows)), Offsets: g.Offsets}
	if by != nil {
		b.Offsets = by.offsets
	}
	e.CleanInto(b.Rewards, rewards)
	if e.Outputs == estimators.ByRollout && g.rollouts != nil {
		b.Rollouts = g.rollouts.of
	}
	if e.Needs.Lengths {
		b.Lengths = knownLengths(by.lengths(g.Lengths))
	}
	if k := run.BaselineColumn(); e.Needs.Baselines && k >= 0 {
		b.Baselines = g.step.Component(rows, k)
	}
	b.Columns = g.columns(run, e.Needs, rows, b.Lengths)
	if e.Needs.Components {
		var names []string
		for _, k := range run.RewardFunctions(g.weights) {
			if k >= len(g.step.Components) || g.step.Components[k] == nil {
				continue // gave nothing in this step
			}
			names = append(names, run.ComponentNames[k])
			b.Components = append(b.Components, g.step.Component(rows, k))
		}
		if g.weights != "" {
			b.Weights, _ = g.weights.Factors(names)
		}
	}
	return b
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

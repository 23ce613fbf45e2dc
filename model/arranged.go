package model

import (
	"math"
	"slices"

	"vantage/estimators"
)

// arranged is a step in group order: the samples of a group lie next to each other.
type arranged struct {
	order   []int32   // row in input order of each sample
	offsets []int     // group g is [offsets[g]:offsets[g+1]]
	logged  []float64 // rewards as logged, or as a column or a weighted sum makes them
	lengths []int32   // -1 if unknown
	given   []float64 // advantages as logged, NaN where not
	said    bool      // whether some may be logged
}

// arrange brings the columns of step i into group order. Of the settings it takes
// the reward.
func (s Snapshot) arrange(i int, by Grouping, set Settings) (*arranged, error) {
	step := s.Steps[i]
	order, offsets, err := by.layout(step, s.Open(i))
	if err != nil {
		return nil, err
	}
	n := len(order)
	a := &arranged{
		order: order, offsets: offsets, logged: make([]float64, n), lengths: make([]int32, n), given: make([]float64, n), said: step.Logged != nil,
	}
	for at, row := range order {
		a.logged[at] = step.Rewards[row]
		a.lengths[at] = step.Lengths[row]
		a.given[at] = math.NaN()
		if step.Logged != nil {
			a.given[at] = step.Logged[row]
		}
	}
	return a, a.reward(s.Run.Components, step, set)
}

// reward takes the rewards from a column, or from the weighted sum of several.
func (a *arranged) reward(names []string, step Step, set Settings) error {
	switch {
	case set.Weights != "":
		factors, unknown := set.Weights.of(names)
		if len(unknown) > 0 {
			return noColumn(unknown[0], names)
		}
		a.sum(step, factors)
	case set.Reward != "":
		k := slices.Index(names, set.Reward)
		if k < 0 {
			return noColumn(set.Reward, names)
		}
		for i, x := range a.column(step, k) {
			if math.IsNaN(x) {
				x = estimators.MissingReward()
			}
			a.logged[i] = x
		}
	}
	return nil
}

// sum is the weighted sum of the columns, added in float32 and in the order of the
// log, as trainers do; one that gave nothing counts as 0, and where none gave
// anything the reward is missing.
func (a *arranged) sum(step Step, factors []float64) {
	for i := range a.logged {
		a.logged[i] = estimators.MissingReward()
	}
	for k, factor := range factors {
		if factor == 0 {
			continue
		}
		for i, x := range a.column(step, k) {
			if math.IsNaN(x) {
				continue
			}
			if estimators.IsMissing(a.logged[i]) {
				a.logged[i] = 0
			}
			a.logged[i] = float64(float32(a.logged[i]) + float32(float32(factor)*float32(x)))
		}
	}
}

// column is what a reward function gave, in group order; NaN where nothing.
func (a *arranged) column(step Step, k int) []float64 {
	values := make([]float64, len(a.order))
	for at, row := range a.order {
		values[at] = math.NaN()
		if k < len(step.Parts) && step.Parts[k] != nil {
			values[at] = step.Parts[k][row]
		}
	}
	return values
}

// feed makes the batch that the estimator reads: the rewards as the trainer cleans
// them, and what else it needs of the step.
func (a *arranged) feed(s Snapshot, step Step, entry *estimators.Estimator, weights Weights, rewards []float64) estimators.Batch {
	b := estimators.Batch{Rewards: rewards, Offsets: a.offsets}
	if entry.Needs.Lengths {
		b.Lengths = tokens(a.lengths)
	}
	if k := s.baseline(); entry.Needs.Baselines && k >= 0 {
		b.Baselines = a.column(step, k)
	}
	if entry.Needs.Components {
		var names []string
		for _, k := range s.components(weights) {
			if k >= len(step.Parts) || step.Parts[k] == nil {
				continue // it gave nothing in this step
			}
			names = append(names, s.Run.Components[k])
			b.Components = append(b.Components, a.column(step, k))
		}
		if weights != "" {
			b.Weights, _ = weights.of(names)
		}
	}
	return b
}

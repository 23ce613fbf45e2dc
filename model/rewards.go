package model

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"vantage/estimators"
)

// Rewards returns the rewards of rows of a step, in the given order of rows: as logged, from a
// column, or the weighted sum of several, as the settings say. It fails if the log has no such column.
func (s Snapshot) Rewards(step Step, order []int32, set Settings) ([]float64, error) {
	names := s.Run.ComponentNames
	if err := s.Run.CheckReward(set); err != nil {
		return nil, err
	}
	switch {
	case set.Weights != "":
		factors, _ := set.Weights.Factors(names)
		return weightedSum(step, order, s.Run.ComponentIndexes(set.Weights.Names()), factors), nil
	case set.Reward != "":
		rewards := step.Component(order, slices.Index(names, set.Reward))
		for i, x := range rewards {
			if math.IsNaN(x) {
				rewards[i] = estimators.MissingReward()
			}
		}
		return rewards, nil
	}
	if columns := s.Run.SummedColumns(); len(columns) > 1 && sumsInFloat32(s.Run.Framework) {
		ones := slices.Repeat([]float64{1}, len(names))
		return weightedSum(step, order, s.Run.ComponentIndexes(columns), ones), nil
	}
	rewards := make([]float64, len(order))
	for i, row := range order {
		rewards[i] = step.Rewards[row]
	}
	return rewards, nil
}

// sumsInFloat32 reports whether a trainer that logs no total rounds each sum of two reward functions to float32.
func sumsInFloat32(framework string) bool {
	return framework == "ms-swift" || framework == "trl" || strings.HasPrefix(framework, "trl-")
}

// weightedSum adds components, in the order of the log, as trainers do.
func weightedSum(step Step, order []int32, indexes []int, factors []float64) []float64 {
	var components [][]float64
	var weights []float64
	for _, k := range slices.Sorted(slices.Values(indexes)) {
		components = append(components, step.Component(order, k))
		weights = append(weights, factors[k])
	}
	sum := make([]float64, len(order))
	estimators.WeightedRewards(sum, components, weights)
	return sum
}

// ComponentIndexes are the indexes of components by name, without those that the log lacks.
func (r *Run) ComponentIndexes(names []string) []int {
	var all []int
	for _, name := range names {
		if k := slices.Index(r.ComponentNames, name); k >= 0 {
			all = append(all, k)
		}
	}
	return all
}

// Component returns what reward function k gave to rows of the step, in the given order, NaN where nothing.
func (s Step) Component(order []int32, k int) []float64 {
	values := make([]float64, len(order))
	for i, row := range order {
		values[i] = math.NaN()
		if k < len(s.Components) && s.Components[k] != nil {
			values[i] = s.Components[k][row]
		}
	}
	return values
}

// baselineNames are the names of a column with the reward of a greedy response.
func baselineNames() []string {
	return []string{"reward_baseline", "reward_baselines", "baseline", "greedy_reward"}
}

// BaselineColumn is the index of the component with the rewards of greedy responses, -1 if there is none.
func (r *Run) BaselineColumn() int {
	return slices.IndexFunc(r.ComponentNames, func(name string) bool { return slices.Contains(baselineNames(), name) })
}

// InputColumn is the index of the component that holds a column which an estimator reads beside the rewards,
// -1 if there is none.
func (r *Run) InputColumn(c estimators.Column) int {
	for _, name := range c.Names() {
		if k := slices.Index(r.ComponentNames, name); k >= 0 {
			return k
		}
	}
	return -1
}

// HoldsNames reports whether a component is a column of names, which its values only stand for.
func HoldsNames(component string) bool {
	c, ok := estimators.ColumnNamed(component)
	return ok && c.HoldsNames()
}

// isInput reports whether a component is no reward, but a column that an estimator reads beside them.
func isInput(name string) bool {
	c, ok := estimators.ColumnNamed(name)
	return ok && c != estimators.StepReward
}

// RewardFunctions are the indices of the components that an estimator of several rewards reads: those
// in the weights if weights are given, else all but the baseline, what an estimator reads beside rewards,
// and the log's metrics, some of which are no rewards (counts of turns).
func (r *Run) RewardFunctions(w Weights) []int {
	if w != "" {
		return slices.Sorted(slices.Values(r.ComponentIndexes(w.Names())))
	}
	var all []int
	for k, name := range r.ComponentNames {
		isReward := !slices.Contains(baselineNames(), name) && !strings.HasPrefix(name, "metrics/") && !isInput(name)
		if isReward {
			all = append(all, k)
		}
	}
	return all
}

// SummedColumns are the columns whose sum is the reward of the log, in their order: nil if the log has a
// total.
func (r *Run) SummedColumns() []string {
	if !r.SumsComponents {
		return nil
	}
	var names []string
	for _, k := range r.RewardFunctions("") {
		names = append(names, r.ComponentNames[k])
	}
	return names
}

// CheckReward refuses settings that name a column that the log lacks.
func (r *Run) CheckReward(set Settings) error {
	if _, unknown := set.Weights.Factors(r.ComponentNames); len(unknown) > 0 {
		return noColumn(unknown[0], r.ComponentNames)
	}
	if set.Reward != "" && !slices.Contains(r.ComponentNames, set.Reward) {
		return noColumn(set.Reward, r.ComponentNames)
	}
	return nil
}

// noColumn is the error for a reward column that the log lacks.
func noColumn(name string, names []string) error {
	if len(names) == 0 {
		return fmt.Errorf("the log has no reward column %q: it has one reward per sample and no components", name)
	}
	return fmt.Errorf("the log has no reward column %q: it has %s", name, strings.Join(names, ", "))
}

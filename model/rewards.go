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
	switch {
	case set.Weights != "":
		factors, unknown := set.Weights.Factors(names)
		if len(unknown) > 0 {
			return nil, noColumn(unknown[0], names)
		}
		return weightedSum(step, order, factors), nil
	case set.Reward != "":
		k := slices.Index(names, set.Reward)
		if k < 0 {
			return nil, noColumn(set.Reward, names)
		}
		rewards := step.Component(order, k)
		for i, x := range rewards {
			if math.IsNaN(x) {
				rewards[i] = estimators.MissingReward()
			}
		}
		return rewards, nil
	}
	rewards := make([]float64, len(order))
	for i, row := range order {
		rewards[i] = step.Rewards[row]
	}
	return rewards, nil
}

// weightedSum adds the components that have a factor, in the order of the log, as trainers do.
func weightedSum(step Step, order []int32, factors []float64) []float64 {
	var components [][]float64
	var weights []float64
	for k, factor := range factors {
		if factor != 0 {
			components = append(components, step.Component(order, k))
			weights = append(weights, factor)
		}
	}
	sum := make([]float64, len(order))
	estimators.WeightedRewards(sum, components, weights)
	return sum
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

// RewardFunctions are the indices of the components that an estimator of several rewards reads: those
// with a weight if weights are given, else all but the baseline and the log's metrics, some of which
// are no rewards (counts of turns).
func (r *Run) RewardFunctions(w Weights) []int {
	factors, _ := w.Factors(r.ComponentNames)
	var all []int
	for k, name := range r.ComponentNames {
		isReward := !slices.Contains(baselineNames(), name) && !strings.HasPrefix(name, "metrics/")
		if w == "" && isReward || w != "" && factors[k] != 0 {
			all = append(all, k)
		}
	}
	return all
}

// noColumn is the error for a reward column that the log lacks.
func noColumn(name string, names []string) error {
	if len(names) == 0 {
		return fmt.Errorf("the log has no reward column %q: it has one reward per sample and no components", name)
	}
	return fmt.Errorf("the log has no reward column %q: it has %s", name, strings.Join(names, ", "))
}

package model

import (
	"fmt"
	"slices"
	"strings"

	"vantage/estimators"
)

// LackError says what an estimator needs and the log does not hold.
type LackError struct {
	Estimator string // framework and name
	What      string // "response lengths", or why no reward log would do
	Do        string // what to log; "" if What says it
}

func (e *LackError) Error() string {
	if e.Do == "" {
		return e.Estimator + " cannot be computed from rewards: " + e.What
	}
	return fmt.Sprintf("%s needs %s, which the log does not hold: %s", e.Estimator, e.What, e.Do)
}

// Short says it where there is little room.
func (e *LackError) Short() string {
	if e.Do == "" {
		return "not from rewards"
	}
	return "needs " + e.What
}

// remedies are what to do about each lack that [estimators.Estimator.MissingIn] names.
func remedies() map[string]string {
	return map[string]string{
		"response lengths":  "log the response or its number of tokens as response_length",
		"reward components": "log what each reward function gave in a column of its own",
		"greedy baselines":  "log the reward of the greedy response to the same prompt as reward_baseline",
	}
}

// Lacks says why the log cannot feed an estimator; nil if it can. It looks at the
// run as a whole: a step may still lack what others have.
func (s Snapshot) Lacks(e *estimators.Estimator) *LackError {
	n := 1
	b := estimators.Batch{Rewards: make([]float64, n)}
	if s.Run.LengthUnit != LengthUnknown {
		b.Lengths = make([]int32, n)
	}
	if s.baseline() >= 0 {
		b.Baselines = make([]float64, n)
	}
	for range s.components("") {
		b.Components = append(b.Components, make([]float64, n))
	}
	return lackError(e, e.MissingIn(b))
}

func lackError(e *estimators.Estimator, lack string) *LackError {
	if lack == "" {
		return nil
	}
	return &LackError{Estimator: e.Framework + " " + e.Name, What: lack, Do: remedies()[lack]}
}

// baselineNames are the columns that hold the reward of a greedy response.
func baselineNames() []string {
	return []string{"reward_baseline", "reward_baselines", "baseline", "greedy_reward"}
}

// baseline is the index of the column of greedy rewards, -1 if there is none.
func (s Snapshot) baseline() int {
	return slices.IndexFunc(s.Run.Components, func(name string) bool { return slices.Contains(baselineNames(), name) })
}

// components are the indices of the reward functions: those with a weight if
// weights are given, else every column but the baseline and what stands among the
// metrics, where counts of turns are too.
func (s Snapshot) components(w Weights) []int {
	factors, _ := w.of(s.Run.Components)
	var all []int
	for k, name := range s.Run.Components {
		function := !slices.Contains(baselineNames(), name) && !strings.HasPrefix(name, "metrics/")
		if w == "" && function || w != "" && factors[k] != 0 {
			all = append(all, k)
		}
	}
	return all
}

// batch is the step as an estimator reads it: the rewards as its trainer cleans them, and what
// else it needs of the log.
func (g *GroupedStep) batch(e *estimators.Estimator) estimators.Batch {
	b := estimators.Batch{Rewards: make([]float64, len(g.Order)), Offsets: g.Offsets}
	e.CleanInto(b.Rewards, g.LoggedRewards)
	if e.Needs.Lengths {
		b.Lengths = knownLengths(g.Lengths)
	}
	if k := g.snap.baseline(); e.Needs.Baselines && k >= 0 {
		b.Baselines = component(g.step, g.Order, k)
	}
	if e.Needs.Components {
		var names []string
		for _, k := range g.snap.components(g.weights) {
			if k >= len(g.step.Parts) || g.step.Parts[k] == nil {
				continue // it gave nothing in this step
			}
			names = append(names, g.snap.Run.Components[k])
			b.Components = append(b.Components, component(g.step, g.Order, k))
		}
		if g.weights != "" {
			b.Weights, _ = g.weights.of(names)
		}
	}
	return b
}

// knownLengths are lengths in which an unknown one counts for no token; nil if none is known.
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

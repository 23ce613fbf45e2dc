package model

import (
	"fmt"
	"math"
	"slices"
	"strconv"
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

// Weights are the factors of reward functions, in canonical form: "a=1,b=0.5".
// Empty means none were given.
type Weights string

// ParseWeights reads "a=1,b=0.5" and sorts it by name. No text is no weights.
func ParseWeights(text string) (Weights, error) {
	if text == "" {
		return "", nil
	}
	var names, parts []string
	for part := range strings.SplitSeq(text, ",") {
		name, value := cutWeight(part)
		x, err := strconv.ParseFloat(value, 64)
		if name == "" || err != nil || !finite(x) || slices.Contains(names, name) {
			return "", fmt.Errorf("weights must be like correctness=1,format=0.5, each name once, got %q", text)
		}
		names = append(names, name)
		parts = append(parts, name+"="+strconv.FormatFloat(x, 'g', -1, 64))
	}
	slices.Sort(parts)
	return Weights(strings.Join(parts, ",")), nil
}

// cutWeight splits at the last "=": a name may hold one.
func cutWeight(part string) (name, value string) {
	at := strings.LastIndexByte(part, '=')
	return strings.TrimSpace(part[:max(0, at)]), strings.TrimSpace(part[at+1:])
}

// Names are the reward functions that have a weight.
func (w Weights) Names() []string {
	var names []string
	for part := range strings.SplitSeq(string(w), ",") {
		if name, _, found := strings.Cut(part, "="); found {
			names = append(names, name)
		}
	}
	return names
}

// of returns the factor of each reward function in names, 0 for one that is not
// given, and the given names that are not among them.
func (w Weights) of(names []string) (factors []float64, unknown []string) {
	factors = make([]float64, len(names))
	for part := range strings.SplitSeq(string(w), ",") {
		name, value := cutWeight(part)
		x, _ := strconv.ParseFloat(value, 64)
		if k := slices.Index(names, name); k >= 0 {
			factors[k] = x
		} else {
			unknown = append(unknown, name)
		}
	}
	return factors, unknown
}

// tokens are lengths in which an unknown one counts for no token, with a warning;
// nil if none is known.
func tokens(lengths []int32) []int32 {
	if !slices.ContainsFunc(lengths, func(l int32) bool { return l >= 0 }) {
		return nil
	}
	known := make([]int32, len(lengths))
	for i, l := range lengths {
		known[i] = max(0, l)
	}
	return known
}

// RewardRange is the least and the greatest finite reward of the run under the
// settings: what right and wrong are told by.
func (s Snapshot) RewardRange(set Settings) (lo, hi float64) {
	if set.Reward == "" && set.Weights == "" {
		return s.lo, s.hi
	}
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, step := range s.Steps {
		a := &arranged{order: inOrder(len(step.Rewards)), logged: make([]float64, len(step.Rewards))}
		if a.reward(s.Run.Components, step, set) != nil {
			return s.lo, s.hi
		}
		if l, h, ok := rewardRange(a.logged); ok {
			lo, hi = min(lo, l), max(hi, h)
		}
	}
	return lo, hi
}

// inOrder is the order in which n rows came.
func inOrder(n int) []int32 {
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	return order
}

func noColumn(name string, names []string) error {
	if len(names) == 0 {
		return fmt.Errorf("the log has no reward column %q: it has one reward per sample and no components", name)
	}
	return fmt.Errorf("the log has no reward column %q: it has %s", name, strings.Join(names, ", "))
}

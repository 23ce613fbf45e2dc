package model

import (
	"fmt"

	"vantage/estimators"
)

// MissingError says that a log lacks what an estimator needs.
type MissingError struct {
	Estimator string // framework and name
	What      string // "response lengths", or why no reward log suffices
	Do        string // what to log; "" if no reward log suffices
}

func (e *MissingError) Error() string {
	if e.Do == "" {
		return e.Estimator + " cannot be computed from rewards: " + e.What
	}
	return fmt.Sprintf("%s needs %s, which the log does not hold: %s", e.Estimator, e.What, e.Do)
}

// Short is the error in a few words.
func (e *MissingError) Short() string {
	if e.Do == "" {
		return "not from rewards"
	}
	return "needs " + e.What
}

// remedies say what to log, for each answer of [estimators.Estimator.MissingIn].
func remedies() map[string]string {
	return map[string]string{
		"response lengths":  "log the response or its number of tokens as response_length",
		"reward components": "log what each reward function gave in a column of its own",
		"greedy baselines":  "log the reward of the greedy response to the same prompt as reward_baseline",
	}
}

// Missing says what an estimator needs and the run lacks, nil if it lacks nothing. A single step
// may still lack what others have.
func (s Snapshot) Missing(e *estimators.Estimator) *MissingError {
	n := 1
	b := estimators.Batch{Rewards: make([]float64, n)}
	if s.Run.LengthUnit != LengthUnknown {
		b.Lengths = make([]int32, n)
	}
	if s.Run.BaselineColumn() >= 0 {
		b.Baselines = make([]float64, n)
	}
	for range s.Run.RewardFunctions("") {
		b.Components = append(b.Components, make([]float64, n))
	}
	return missingError(e, e.MissingIn(b))
}

func missingError(e *estimators.Estimator, missing string) *MissingError {
	if missing == "" {
		return nil
	}
	return &MissingError{Estimator: e.Framework + " " + e.Name, What: missing, Do: remedies()[missing]}
}

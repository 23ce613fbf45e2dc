package model

import (
	"fmt"

	"vantage/estimators"
)

// MissingError says what an estimator needs and the log does not hold.
type MissingError struct {
	Estimator string // framework and name
	What      string // "response lengths", or why no reward log would do
	Do        string // what to log; "" if What says it
}

func (e *MissingError) Error() string {
	if e.Do == "" {
		return e.Estimator + " cannot be computed from rewards: " + e.What
	}
	return fmt.Sprintf("%s needs %s, which the log does not hold: %s", e.Estimator, e.What, e.Do)
}

// Short says it where there is little room.
func (e *MissingError) Short() string {
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

// Missing says why the log cannot feed an estimator; nil if it can. It looks at the
// run as a whole: a step may still lack what others have.
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

func missingError(e *estimators.Estimator, lack string) *MissingError {
	if lack == "" {
		return nil
	}
	return &MissingError{Estimator: e.Framework + " " + e.Name, What: lack, Do: remedies()[lack]}
}

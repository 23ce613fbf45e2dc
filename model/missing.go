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
	b.Columns = s.inputColumns(e.Needs, n)
	for range s.Run.RewardFunctions("") {
		b.Components = append(b.Components, make([]float64, n))
	}
	return missingError(e, e.MissingIn(b))
}

func missingError(e *estimators.Estimator, missing string) *MissingError {
	if missing == "" {
		return nil
	}
	do := remedies()[missing]
	for _, c := range e.Needs.Columns.List() {
		if c.String() == missing {
			do = columnRemedy(e, c)
		}
	}
	return &MissingError{Estimator: e.Framework + " " + e.Name, What: missing, Do: do}
}

// columnRemedy says how a log gets a column. It is read only for an estimator that was named at the start,
// so that other logs cost nothing.
func columnRemedy(e *estimators.Estimator, c estimators.Column) string {
	return fmt.Sprintf("log them as %s, and start with --framework %s --estimator %s, since the column is read for this estimator alone",
		c.Names()[0], e.Framework, e.Name)
}

// inputColumns are n values of each column that an estimator needs and the run has.
func (s Snapshot) inputColumns(needs estimators.Needs, n int) [][]float64 {
	var columns [][]float64
	for _, c := range needs.Columns.List() {
		has := s.Run.InputColumn(c) >= 0
		if c == estimators.InputTokens {
			has = has || s.Run.InputColumn(estimators.TotalTokens) >= 0 && s.Run.LengthUnit == LengthTokens
		}
		for has && len(columns) <= int(c) {
			columns = append(columns, nil)
		}
		if has {
			columns[c] = make([]float64, n)
		}
	}
	return columns
}

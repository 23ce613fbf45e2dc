package model

import (
	"slices"
	"strings"

	"vantage/model/units"
)

// Status is what a trainer writes of a sample beside its numbers, and what that says of whether it trains. A sample of which the log
// says nothing trains. Evaluations, of which none does, are told by [Run.Evaluates]; what cannot be read is in Run.Problems.
type Status uint8

// The statuses. Where several fields of a row say one, the last of these in the list counts.
const (
	StatusTrains   Status = iota
	StatusEmpty           // its response has no token or character
	StatusCutOff          // it ended at a limit; whether it trains is a choice of the trainer
	StatusUnlogged        // it has no row: other rows of its group tell its reward
	StatusMasked          // it counts in the mean and std of its group, and its tokens are masked in the loss
	StatusDropped         // it counts in these, and the trainer left it out of the batch
	StatusErrored         // the rollout failed: without a logged advantage it counts in nothing
	StatusCount
)

// Statuses returns all but StatusTrains, in their order.
func Statuses() []Status {
	return []Status{StatusEmpty, StatusCutOff, StatusUnlogged, StatusMasked, StatusDropped, StatusErrored}
}

// String is the status in words: "cut off".
func (s Status) String() string {
	return [...]string{"trains", "empty", "cut off", "not in the log", "masked", "dropped", "errored"}[s]
}

// Trains reports whether the trainer trains on such a sample, according to the log.
func (s Status) Trains() bool { return s < StatusMasked }

// StatusCounts are how many samples have each status.
type StatusCounts [StatusCount]int

// String names those that do not train, and then the others of which the log says something: "40 masked, 12 dropped, 3 cut off"; "" if
// it says nothing of any.
func (c StatusCounts) String() string {
	var parts []string
	for _, s := range []Status{StatusMasked, StatusDropped, StatusErrored, StatusCutOff, StatusUnlogged, StatusEmpty} {
		if c[s] > 0 {
			parts = append(parts, units.Count(c[s])+" "+s.String())
		}
	}
	return strings.Join(parts, ", ")
}

// Add adds the counts of more.
func (c *StatusCounts) Add(more *StatusCounts) {
	for s, n := range more {
		c[s] += n
	}
}

// Untrained is how many of the samples do not train.
func (c StatusCounts) Untrained() int {
	return c[StatusMasked] + c[StatusDropped] + c[StatusErrored]
}

// StatusesOf returns the statuses of some rows, nil if the log says nothing of any: what the trainer writes, or that the response is empty.
func (s *Step) StatusesOf(rows []int32) []Status {
	if !s.tellsStatuses() {
		return nil
	}
	var statuses []Status
	for i, row := range rows {
		status := StatusTrains
		if s.Statuses != nil {
			status = s.Statuses[row]
		}
		if status == StatusTrains && s.Lengths[row] == 0 {
			status = StatusEmpty
		}
		statuses = appendOptional(statuses, i, status, StatusTrains, status != StatusTrains, len(rows))
	}
	return statuses
}

// tellsStatuses reports whether the log may say of some row more than that it trains.
func (s *Step) tellsStatuses() bool { return s.Statuses != nil || slices.Contains(s.Lengths, 0) }

// NotTraining names only those that do not train; "" if all do.
func (c StatusCounts) NotTraining() string {
	c[StatusCutOff], c[StatusUnlogged], c[StatusEmpty] = 0, 0, 0
	return c.String()
}

// StatusSource names what says which samples do not train: the log, and the setting for those that were cut off.
func (s Settings) StatusSource() string {
	if s.Truncated == "" {
		return "according to the log"
	}
	return "according to the log and truncated " + s.Truncated
}

// Failed reports whether the rollout of a row failed.
func (s *Step) Failed(row int) bool {
	return s.Statuses != nil && s.Statuses[row] == StatusErrored
}

// TellsStatuses reports whether the log says of some sample more than that it trains.
func (s Snapshot) TellsStatuses() bool {
	return slices.ContainsFunc(s.Steps, func(st Step) bool { return st.tellsStatuses() })
}

// StatusEvidence says of how many samples the log says more than that they train, and what that means here; "" if it does of none.
func (s Snapshot) StatusEvidence() string {
	var counts StatusCounts
	for _, step := range s.Steps {
		for _, status := range step.StatusesOf(s.InputOrder(len(step.Rewards))) {
			counts[status]++
		}
	}
	if counts.Untrained() == 0 {
		return counts.String()
	}
	return counts.String() + "; the log marks them, and masked, dropped and errored samples do not train"
}

package model

// Status is what a trainer writes of a sample beside its numbers, and what that says of whether it trains. A sample of which the log
// says nothing trains. Evaluations, of which none does, are told by [Run.Evaluates]; what cannot be read is in Run.Problems.
type Status uint8

// The statuses. Where several fields of a row say one, the last of these in the list counts.
const (
	StatusTrains  Status = iota
	StatusEmpty          // its response has no token or character
	StatusCutOff         // it ended at a limit; whether it trains is a choice of the trainer
	StatusMasked         // it counts in the mean and std of its group, and its tokens are masked in the loss
	StatusDropped        // it counts in these, and the trainer left it out of the batch
	StatusErrored        // the rollout failed: without a logged advantage it counts in nothing
	StatusCount
)

// Statuses returns all but StatusTrains, in their order.
func Statuses() []Status {
	return []Status{StatusEmpty, StatusCutOff, StatusMasked, StatusDropped, StatusErrored}
}

// String is the status in words: "cut off".
func (s Status) String() string {
	return [...]string{"trains", "empty", "cut off", "masked", "dropped", "errored"}[s]
}

// Trains reports whether the trainer trains on such a sample, as far as the log says.
func (s Status) Trains() bool { return s < StatusMasked }

// Doc says what the status means.
func (s Status) Doc() string {
	return [...]string{
		"the log says nothing else",
		"the response has no token or character",
		"the response ended at a limit; it trains unless the trainer masks such samples",
		"the trainer masks its tokens in the loss; it counts in the mean and std of its group",
		"the trainer left it out of the batch; it counts in the mean and std of its group",
		"the rollout failed; it trains nothing, and without a logged advantage it counts in no mean",
	}[s]
}

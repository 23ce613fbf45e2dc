package loaders

import (
	"fmt"
	"strconv"
)

// Attempt says which attempt of a run is read: its number from 1, NewestAttempt or AllAttempts.
type Attempt int

// The attempts that have no number.
const (
	NewestAttempt Attempt = 0
	AllAttempts   Attempt = -1
)

// ParseAttempt returns the attempt of a flag: newest, all, or a number from 1.
func ParseAttempt(text string) (Attempt, error) {
	switch text {
	case "newest", "":
		return NewestAttempt, nil
	case "all":
		return AllAttempts, nil
	}
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil || n == 0 {
		return 0, fmt.Errorf("unknown attempt %q: choose newest, all, or a number from 1", text)
	}
	return Attempt(n), nil
}

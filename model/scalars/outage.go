package scalars

import (
	"fmt"
	"slices"

	"vantage/model/diagnosis"
	"vantage/model/units"
)

// When a component is no measurement any more: it is one value, to its last digit, and was another one at nearly every step before.
const (
	outageValues = 10  // values in a row, to the end
	outageMoved  = 0.9 // of the values before differ from the one before them
)

// graderOutage finds a component of the reward that from some step on is one value between those that it had: the default of a grader that
// does not answer. One at an end of its range may be full, or lost.
func (r *run) graderOutage() ([]diagnosis.Finding, string) {
	if len(r.parts) == 0 {
		return nil, "the log has no samples"
	}
	for _, c := range r.parts {
		from := c.stopsAt()
		if from < 0 {
			continue
		}
		value := c.Values[len(c.Values)-1]
		title := fmt.Sprintf("%s is %s at each of the last %s, and was another value at each step before", c.name(), units.Short(value),
			units.Plural(len(c.Values)-from, "steps"))
		f := c.finding(diagnosis.Alarm, c.at(c.Steps[from]), title, c.ends(c.name(), false, c.at(c.Steps[from])))
		return []diagnosis.Finding{f}, ""
	}
	return nil, ""
}

// stopsAt returns the index from which a series is one value to its end, which lies between those before; -1 if it goes on to change.
func (s *Series) stopsAt() int {
	n := len(s.Values)
	from := n - 1
	for from > 0 && s.Values[from-1] == s.Values[n-1] {
		from--
	}
	if before := s.Values[:from]; n-from >= outageValues && from >= leastPoints {
		moved := 0
		for i := 1; i < from; i++ {
			if before[i] != before[i-1] {
				moved++
			}
		}
		isBetween := slices.Min(before) < s.Values[n-1] && s.Values[n-1] < slices.Max(before)
		if isBetween && float64(moved) >= outageMoved*float64(from-1) {
			return from
		}
	}
	return -1
}

package compare

import (
	"fmt"
	"math"

	"vantage/model/units"
)

// differentScales returns a sentence if the two runs have discrete rewards whose wrong and solved values
// differ, such as 0 and 1 against −1 and 1: a difference of means then says nothing. It is "" if they
// agree, or if one of them does not show its scale.
func differentScales(baseline, candidate Run) string {
	wrongA, solvedA, ok := ends(baseline)
	wrongB, solvedB, alsoOK := ends(candidate)
	if !ok || !alsoOK || wrongA == wrongB && solvedA == solvedB {
		return ""
	}
	return fmt.Sprintf("the rewards are not on one scale: %s has %s for wrong and %s for solved, %s %s and %s (--reward and --weights choose what both have)",
		baseline.Name, units.Short(wrongA), units.Short(solvedA), candidate.Name, units.Short(wrongB), units.Short(solvedB))
}

// ends returns the rewards of wrong and of solved samples of a run.
func ends(r Run) (wrong, solved float64, ok bool) {
	set := r.Set
	set.SolvedAt = ""
	scales := r.Snap.RewardScales(set)
	s := &scales[0]
	ok = len(scales) == 1 && s.Discrete && s.Wrong < s.Solved && !math.IsInf(s.Solved, 0) && !math.IsInf(s.Wrong, 0)
	return s.Wrong, s.Solved, ok
}

// WhyNothing says why there are no pairs, "" if there are.
func (r *Result) WhyNothing() string {
	a, b := r.Baseline, r.Candidate
	switch {
	case len(r.Pairs) > 0:
		return ""
	case r.Steps > 0:
		return "the runs saw no prompt in common in the " + units.Plural(r.Steps, "steps") + " that both have"
	case a.OpenSteps+b.OpenSteps > 0 && a.First <= b.Last && b.First <= a.Last:
		return "the runs have no complete step in common yet: " + r.stepRanges()
	}
	return "the runs have no step in common: " + r.stepRanges()
}

func (r *Result) stepRanges() string {
	return fmt.Sprintf("%s has %s, %s %s", r.Names[0], stepRange(r.Baseline), r.Names[1], stepRange(r.Candidate))
}

func stepRange(s Scope) string {
	switch {
	case s.Steps == 0:
		return "none"
	case s.First == s.Last:
		return fmt.Sprintf("step %d", s.First)
	}
	return fmt.Sprintf("steps %d to %d", s.First, s.Last)
}

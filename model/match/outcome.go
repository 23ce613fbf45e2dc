package match

import (
	"fmt"

	"vantage/model/analysis"
	"vantage/model/units"
)

// Outcome is what a comparison comes to. Its texts are part of the JSON.
type Outcome string

// The outcomes.
const (
	OutcomeMatch      Outcome = "match"       // an estimator reproduces all that was compared
	OutcomeCannotTell Outcome = "cannot tell" // all advantages are 0, which several estimators give: nothing tells them apart
	OutcomeMixture    Outcome = "mixture"     // different estimators reproduce different steps
	OutcomeFiltered   Outcome = "filtered"    // an estimator does after keep ratios that the settings do not name
	OutcomeNone       Outcome = "none"        // nothing does
)

// Outcome returns what the comparison comes to.
func (r *Report) Outcome() Outcome {
	switch {
	case r.HasMatch():
		return OutcomeMatch
	case r.Undecided:
		return OutcomeCannotTell
	case len(r.Mixture) > 0:
		return OutcomeMixture
	case r.Found != nil:
		return OutcomeFiltered
	}
	return OutcomeNone
}

// decide takes the matches back if all advantages are 0: then nothing tells apart those estimators that give
// zeros, and the trainer may as well have logged them before it computed any.
func (r *Report) decide(grouped []*analysis.GroupedStep) {
	if !r.HasMatch() || signals(grouped) > 0 {
		return
	}
	r.Undecided = true
	why := "all rewards of each group are equal"
	if rewardsDiffer(grouped) {
		why = "rewards differ within groups"
	}
	r.Clues = []string{fmt.Sprintf("all %s are 0, and %s: %d of %d estimators and scales give that",
		units.Plural(r.Compared, "logged advantages"), why, len(r.Matches), r.Candidates)}
	r.Others = append(r.Matches, r.Others...)
	r.Matches = nil
}

// rewardsDiffer reports whether a group has two finite rewards.
func rewardsDiffer(grouped []*analysis.GroupedStep) bool {
	for _, s := range grouped {
		for g := range len(s.Offsets) - 1 {
			lo, hi := s.Offsets[g], s.Offsets[g+1]
			for _, r := range s.LoggedRewards[lo:hi] {
				if r-r == 0 && r != s.LoggedRewards[lo] {
					return true
				}
			}
		}
	}
	return false
}

// hasSignal reports whether a logged advantage is neither missing nor 0.
func hasSignal(advantages []float64) bool {
	for _, x := range advantages {
		if x == x && x != 0 {
			return true
		}
	}
	return false
}

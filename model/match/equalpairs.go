package match

import (
	"fmt"
	"math"

	"vantage/model/units"
)

// equalPairs counts samples of one group with equal rewards: every estimator that reads
// only rewards gives them the same advantage.
type equalPairs struct {
	groups          int // with such samples
	differing       int // of these, with different advantages
	differentLength int // pairs in input order that differ in advantage and length
	longerIsLower   int // of these, with the lower advantage for the longer response
}

// equalTolerance is the difference, as a share of the largest advantage, up to which two
// advantages count as equal.
const equalTolerance = 1e-4

func (p *equalPairs) add(advantages, rewards []float64, lengths []int32, maxAbs float64) {
	latest := map[float64]int{} // the latest sample with this reward
	hasPair, hasDifferent := false, false
	for i, r := range rewards {
		j, seen := latest[r]
		latest[r] = i
		if !seen {
			continue
		}
		hasPair = true
		gap := advantages[i] - advantages[j]
		if math.Abs(gap) <= equalTolerance*maxAbs {
			continue
		}
		hasDifferent = true
		if lengths[i] >= 0 && lengths[j] >= 0 && lengths[i] != lengths[j] {
			p.differentLength++
			if gap < 0 == (lengths[i] > lengths[j]) {
				p.longerIsLower++
			}
		}
	}
	if hasPair {
		p.groups++
	}
	if hasDifferent {
		p.differing++
	}
}

// sentence returns a clue, or "" if equal rewards always have equal advantages.
func (p *equalPairs) sentence() string {
	const minPairs, minShare = 8, 0.95
	switch {
	case p.differing == 0:
		return ""
	case p.differentLength >= minPairs && float64(p.longerIsLower) > minShare*float64(p.differentLength):
		return fmt.Sprintf("%s give samples of equal reward different advantages, and the longer response nearly always the lower one, as a length penalty that is not in the logged reward would give",
			units.Fraction(p.differing, p.groups)+" groups")
	}
	return fmt.Sprintf("%s give samples of equal reward different advantages: they come from more than this reward",
		units.Fraction(p.differing, p.groups)+" groups")
}
